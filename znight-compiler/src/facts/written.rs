//! Types, paths and values as a file writes them: plain data, nothing resolved.

use std::fmt;

use super::flat::flat;

/// A type as written. Lifetimes of paths are left out: nothing that is injected depends on one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeExpr {
    /// `a::B<C>`
    Path(PathExpr),
    /// `<A as Trait>::B`: the type, the trait, and the names behind it.
    Projection(Box<TypeExpr>, Option<PathExpr>, Vec<String>),
    /// `dyn A + B`
    Dyn(Vec<PathExpr>),
    /// `&T`, `&mut T`, `*const T`: the text of what stands before, and the type.
    Pointer(String, Box<TypeExpr>),
    /// `(A, B)`
    Tuple(Vec<TypeExpr>),
    /// `[T]`
    Slice(Box<TypeExpr>),
    /// `[T; N]`, with the length.
    Array(Box<TypeExpr>, Box<ValueExpr>),
    /// `fn(A) -> B`
    Function(Vec<TypeExpr>, Box<TypeExpr>),
    /// Anything else, by its text.
    Other(String),
}

/// A path as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathExpr {
    /// Whether it starts with `::`.
    pub absolute: bool,
    /// Its segments, raw identifiers without `r#`.
    pub segments: Vec<SegmentExpr>,
}

/// One segment of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentExpr {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub args: Vec<ArgumentExpr>,
}

/// One argument of a path segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentExpr {
    /// A type.
    Type(TypeExpr),
    /// A const.
    Const(ValueExpr),
    /// `Item = T`
    Assoc(String, TypeExpr),
    /// `(A, B) -> C` of `Fn` and its kin.
    Call(Vec<TypeExpr>, TypeExpr),
}

/// A value as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueExpr {
    /// A string.
    Str(String),
    /// A whole number, with the type behind it: `7u8`.
    Int(i128, String),
    /// A number with a fraction, by its text.
    Float(String),
    /// `true`, `false`
    Bool(bool),
    /// A character.
    Char(char),
    /// A const, an associated const, a variant.
    Path(PathExpr),
    /// `-a`, `!a`
    Unary(char, Box<ValueExpr>),
    /// `a + b`, with the operator's text.
    Binary(String, Box<ValueExpr>, Box<ValueExpr>),
    /// `concat!(a, b)`
    Concat(Vec<ValueExpr>),
    /// `[a, b]`
    List(Vec<ValueExpr>),
    /// `(a, b)`
    Tuple(Vec<ValueExpr>),
    /// `&a`
    Ref(Box<ValueExpr>),
    /// `a as T`
    Cast(Box<ValueExpr>, TypeExpr),
    /// `if a { b } else { c }`
    If(Box<ValueExpr>, Box<ValueExpr>, Box<ValueExpr>),
    /// `a[b]`
    Index(Box<ValueExpr>, Box<ValueExpr>),
    /// `a.0`
    Field(Box<ValueExpr>, usize),
    /// `f(a)`
    Call(PathExpr, Vec<ValueExpr>),
    /// `a.f(b)`
    Method(Box<ValueExpr>, String, Vec<ValueExpr>),
    /// A call of a macro other than `concat!`, by its text.
    Macro(String),
    /// Anything else, by its text.
    Other(String),
}

flat!(
    enum TypeExpr {
        Path(a),
        Projection(a, b, c),
        Dyn(a),
        Pointer(a, b),
        Tuple(a),
        Slice(a),
        Array(a, b),
        Function(a, b),
        Other(a),
    }
);
flat!(struct PathExpr { absolute, segments });
flat!(struct SegmentExpr { name, args });
flat!(
    enum ArgumentExpr {
        Type(a),
        Const(a),
        Assoc(a, b),
        Call(a, b),
    }
);
flat!(
    enum ValueExpr {
        Str(a),
        Int(a, b),
        Float(a),
        Bool(a),
        Char(a),
        Path(a),
        Unary(a, b),
        Binary(a, b, c),
        Concat(a),
        List(a),
        Tuple(a),
        Ref(a),
        Cast(a, b),
        If(a, b, c),
        Index(a, b),
        Field(a, b),
        Call(a, b),
        Method(a, b, c),
        Macro(a),
        Other(a),
    }
);

impl PathExpr {
    /// A path of names alone.
    pub fn of(names: &[&str]) -> Self {
        let segments = names
            .iter()
            .map(|name| SegmentExpr {
                name: (*name).to_owned(),
                args: Vec::new(),
            })
            .collect();
        Self {
            absolute: false,
            segments,
        }
    }

    /// The names of its segments.
    pub fn names(&self) -> Vec<&str> {
        self.segments
            .iter()
            .map(|segment| segment.name.as_str())
            .collect()
    }

    /// The name of its last segment.
    pub fn last(&self) -> &str {
        self.segments
            .last()
            .map_or("", |segment| segment.name.as_str())
    }

    /// The name, when the path is nothing else.
    pub fn ident(&self) -> Option<&str> {
        match &self.segments[..] {
            [only] if !self.absolute && only.args.is_empty() => Some(&only.name),
            _ => None,
        }
    }
}

impl PathExpr {
    /// Visits every path among the arguments of this one.
    pub fn each_argument(&self, visit: &mut dyn FnMut(&Self)) {
        for argument in self.segments.iter().flat_map(|segment| &segment.args) {
            match argument {
                ArgumentExpr::Type(ty) | ArgumentExpr::Assoc(_, ty) => ty.each_path(visit),
                ArgumentExpr::Const(_) => {}
                ArgumentExpr::Call(inputs, output) => {
                    for ty in inputs {
                        ty.each_path(visit);
                    }
                    output.each_path(visit);
                }
            }
        }
    }
}

impl TypeExpr {
    /// Visits every path in the type, inner ones included.
    pub fn each_path(&self, visit: &mut dyn FnMut(&PathExpr)) {
        match self {
            Self::Path(path) => {
                visit(path);
                path.each_argument(visit);
            }
            Self::Projection(ty, path, _) => {
                ty.each_path(visit);
                if let Some(path) = path {
                    visit(path);
                    path.each_argument(visit);
                }
            }
            Self::Dyn(bounds) => {
                for path in bounds {
                    visit(path);
                    path.each_argument(visit);
                }
            }
            Self::Pointer(_, inner) | Self::Slice(inner) | Self::Array(inner, _) => {
                inner.each_path(visit);
            }
            Self::Tuple(parts) => parts.iter().for_each(|ty| ty.each_path(visit)),
            Self::Function(inputs, output) => {
                for ty in inputs {
                    ty.each_path(visit);
                }
                output.each_path(visit);
            }
            Self::Other(_) => {}
        }
    }

    /// The name of the last segment of a path.
    pub fn last(&self) -> Option<&str> {
        match self {
            Self::Path(path) => Some(path.last()),
            _ => None,
        }
    }
}

/// Names that can only be written `r#name`.
const KEYWORDS: &[&str] = &[
    "as", "async", "await", "break", "const", "continue", "dyn", "else", "enum", "extern", "false",
    "fn", "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub",
    "ref", "return", "static", "struct", "trait", "true", "type", "unsafe", "use", "where",
    "while", "abstract", "become", "box", "do", "final", "macro", "override", "priv", "try",
    "typeof", "unsized", "virtual", "yield",
];

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, parts: &[T]) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        part.fmt(f)?;
    }
    Ok(())
}

impl fmt::Display for TypeExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.fmt(f),
            Self::Projection(ty, path, names) => {
                match path {
                    Some(path) => write!(f, "<{ty} as {path}>")?,
                    None => write!(f, "<{ty}>")?,
                }
                names.iter().try_for_each(|name| write!(f, "::{name}"))
            }
            Self::Dyn(bounds) => {
                f.write_str("dyn ")?;
                for (index, bound) in bounds.iter().enumerate() {
                    if index > 0 {
                        f.write_str(" + ")?;
                    }
                    bound.fmt(f)?;
                }
                Ok(())
            }
            Self::Pointer(prefix, inner) => write!(f, "{prefix}{inner}"),
            Self::Tuple(parts) => {
                f.write_str("(")?;
                list(f, parts)?;
                f.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
            Self::Slice(inner) => write!(f, "[{inner}]"),
            Self::Array(inner, length) => write!(f, "[{inner}; {length}]"),
            Self::Function(inputs, output) => {
                f.write_str("fn(")?;
                list(f, inputs)?;
                f.write_str(")")?;
                arrow(f, output)
            }
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// Part of a larger expression: parentheses are not kept, and set again where they may matter.
fn operand(f: &mut fmt::Formatter<'_>, value: &ValueExpr) -> fmt::Result {
    match value {
        ValueExpr::Binary(..) | ValueExpr::Cast(..) | ValueExpr::If(..) => write!(f, "({value})"),
        value => write!(f, "{value}"),
    }
}

fn arrow(f: &mut fmt::Formatter<'_>, output: &TypeExpr) -> fmt::Result {
    match output {
        TypeExpr::Tuple(parts) if parts.is_empty() => Ok(()),
        output => write!(f, " -> {output}"),
    }
}

impl fmt::Display for PathExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.segments.iter().enumerate() {
            if index > 0 || self.absolute {
                f.write_str("::")?;
            }
            segment.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for SegmentExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if KEYWORDS.contains(&self.name.as_str()) {
            f.write_str("r#")?;
        }
        f.write_str(&self.name)?;
        match &self.args[..] {
            [] => Ok(()),
            [ArgumentExpr::Call(inputs, output)] => {
                f.write_str("(")?;
                list(f, inputs)?;
                f.write_str(")")?;
                arrow(f, output)
            }
            args => {
                f.write_str("<")?;
                list(f, args)?;
                f.write_str(">")
            }
        }
    }
}

impl fmt::Display for ArgumentExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(ty) => ty.fmt(f),
            Self::Const(value) => value.fmt(f),
            Self::Assoc(name, ty) => write!(f, "{name} = {ty}"),
            Self::Call(inputs, output) => {
                list(f, inputs)?;
                arrow(f, output)
            }
        }
    }
}

impl fmt::Display for ValueExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Str(text) => write!(f, "{text:?}"),
            Self::Int(number, suffix) => write!(f, "{number}{suffix}"),
            Self::Float(text) | Self::Macro(text) | Self::Other(text) => f.write_str(text),
            Self::Bool(on) => on.fmt(f),
            Self::Char(c) => write!(f, "{c:?}"),
            Self::Path(path) => path.fmt(f),
            Self::Unary(operator, value) => {
                write!(f, "{operator}")?;
                operand(f, value)
            }
            Self::Binary(operator, left, right) => {
                operand(f, left)?;
                write!(f, " {operator} ")?;
                operand(f, right)
            }
            Self::Concat(parts) => {
                f.write_str("concat!(")?;
                list(f, parts)?;
                f.write_str(")")
            }
            Self::List(parts) => {
                f.write_str("[")?;
                list(f, parts)?;
                f.write_str("]")
            }
            Self::Tuple(parts) => {
                f.write_str("(")?;
                list(f, parts)?;
                f.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
            Self::Ref(value) => write!(f, "&{value}"),
            Self::Cast(value, ty) => {
                operand(f, value)?;
                write!(f, " as {ty}")
            }
            Self::If(condition, then, otherwise) => {
                write!(f, "if {condition} {{ {then} }} else {{ {otherwise} }}")
            }
            Self::Index(list, index) => write!(f, "{list}[{index}]"),
            Self::Field(tuple, index) => write!(f, "{tuple}.{index}"),
            Self::Call(path, args) => {
                write!(f, "{path}(")?;
                list(f, args)?;
                f.write_str(")")
            }
            Self::Method(receiver, name, args) => {
                write!(f, "{receiver}.{name}(")?;
                list(f, args)?;
                f.write_str(")")
            }
        }
    }
}
