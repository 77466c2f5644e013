//! Values of constant expressions, as far as they can be told without compiling.
//!
//! What is not evaluated is refused with the part that stands in the way, and never guessed. An
//! expression rustc would refuse may pass here: rustc sees it as well.

use super::{
    Resolver, Scope, Ty,
    number::{IntType, Wrong},
    values::FoundValue,
};
use crate::facts::{ItemKind, TypeExpr, ValueExpr};

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A whole number, with its type where that is known.
    Int(i128, Option<IntType>),
    /// A number with a fraction, by its text.
    Float(String),
    /// A truth value.
    Bool(bool),
    /// A character.
    Char(char),
    /// An array or a slice.
    List(Vec<Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A variant of an enum, by its path as written.
    Variant(String),
}

impl Value {
    /// What it is, for messages: "the number 7".
    pub fn describe(&self) -> String {
        match self {
            Self::Text(_) => "a string".to_owned(),
            Self::Int(number, _) => format!("the number {number}"),
            Self::Float(text) => format!("the number {text}"),
            Self::Bool(on) => format!("`{on}`"),
            Self::Char(c) => format!("the character {c:?}"),
            Self::List(_) => "a list".to_owned(),
            Self::Tuple(_) => "a tuple".to_owned(),
            Self::Variant(path) => format!("the variant `{path}`"),
        }
    }
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What stands in the way: "`name()` is a function call". None for what rustc reports.
    pub reason: Option<String>,
    /// The const the part stands in, with its place, when it is not the expression itself.
    pub inside: Option<(String, String)>,
}

/// More parts than this are no name of anything: consts that double one another, say.
const MAX_STEPS: usize = 10_000;
/// Consts of consts beyond this would need a stack without end.
const MAX_DEPTH: usize = 100;

impl Resolver<'_> {
    /// The value of an expression written at a place.
    ///
    /// # Errors
    ///
    /// The part that cannot be evaluated.
    pub fn evaluate(&self, value: &ValueExpr, scope: &Scope) -> Result<Value, Refusal> {
        let mut evaluation = Evaluation {
            resolver: self,
            open: Vec::new(),
            steps: 0,
        };
        evaluation.value(value, scope, None)
    }

    /// Where the value of an expression is given: the place of the first const it names.
    pub fn value_given_at(&self, value: &ValueExpr, scope: &Scope) -> Option<String> {
        match value {
            ValueExpr::Path(path) => self.value_place(&self.value_path(path, scope)),
            ValueExpr::Ref(inner) | ValueExpr::Field(inner, _) | ValueExpr::Index(inner, _) => {
                self.value_given_at(inner, scope)
            }
            ValueExpr::Concat(parts) => parts
                .iter()
                .find_map(|part| self.value_given_at(part, scope)),
            _ => None,
        }
    }
}

struct Evaluation<'r> {
    resolver: &'r Resolver<'r>,
    /// The consts whose values are being evaluated, each by what the path to it means.
    open: Vec<FoundValue>,
    steps: usize,
}

type Evaluated = Result<Value, Refusal>;

fn refuse<T>(reason: String) -> Result<T, Refusal> {
    Err(Refusal {
        reason: Some(reason),
        inside: None,
    })
}

impl Evaluation<'_> {
    /// The value of an expression of which a type is expected, if that is known.
    fn value(&mut self, value: &ValueExpr, scope: &Scope, expected: Option<&Ty>) -> Evaluated {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return refuse("it has too many parts".to_owned());
        }
        match value {
            ValueExpr::Str(text) => Ok(Value::Text(text.clone())),
            ValueExpr::Int(number, suffix) => {
                let ty = IntType::parse(suffix).or_else(|| expected.and_then(int_type));
                int(value, *number, ty)
            }
            ValueExpr::Float(text) => Ok(Value::Float(text.clone())),
            ValueExpr::Bool(on) => Ok(Value::Bool(*on)),
            ValueExpr::Char(c) => Ok(Value::Char(*c)),
            ValueExpr::Path(path) => {
                let found = self.resolver.value_path(path, scope);
                self.path(found, &path.to_string())
            }
            ValueExpr::Ref(inner) => {
                let expected = match expected {
                    Some(Ty::Pointer(_, pointee)) => Some(&**pointee),
                    other => other,
                };
                self.value(inner, scope, expected)
            }
            ValueExpr::Unary(operator, inner) => {
                self.unary(value, *operator, inner, scope, expected)
            }
            ValueExpr::Binary(operator, left, right) => {
                self.binary(value, operator, (left, right), scope, expected)
            }
            ValueExpr::Concat(parts) => {
                let mut text = String::new();
                for part in parts {
                    match self.value(part, scope, None)? {
                        Value::Text(part) | Value::Float(part) => text.push_str(&part),
                        Value::Int(number, _) => text.push_str(&number.to_string()),
                        Value::Bool(on) => text.push_str(&on.to_string()),
                        Value::Char(c) => text.push(c),
                        other => {
                            return refuse(format!(
                                "`{part}` is {}, which `concat!` does not take",
                                other.describe()
                            ));
                        }
                    }
                }
                Ok(Value::Text(text))
            }
            ValueExpr::List(parts) => {
                let expected = match expected {
                    Some(Ty::Slice(element, _)) => Some(&**element),
                    _ => None,
                };
                let parts = parts.iter().map(|part| self.value(part, scope, expected));
                parts.collect::<Result<_, _>>().map(Value::List)
            }
            ValueExpr::Tuple(parts) => {
                let types: &[Ty] = match expected {
                    Some(Ty::Tuple(types)) => types,
                    _ => &[],
                };
                let parts = parts.iter().enumerate();
                let parts = parts.map(|(at, part)| self.value(part, scope, types.get(at)));
                parts.collect::<Result<_, _>>().map(Value::Tuple)
            }
            ValueExpr::Cast(inner, ty) => self.cast(value, inner, ty, scope),
            ValueExpr::If(condition, then, otherwise) => {
                match self.value(condition, scope, None)? {
                    Value::Bool(true) => self.value(then, scope, expected),
                    Value::Bool(false) => self.value(otherwise, scope, expected),
                    other => refuse(format!(
                        "`{condition}` is {}, not a condition",
                        other.describe()
                    )),
                }
            }
            ValueExpr::Index(list, index) => self.index(value, list, index, scope),
            ValueExpr::Field(tuple, index) => match self.value(tuple, scope, None)? {
                Value::Tuple(mut parts) if *index < parts.len() => Ok(parts.swap_remove(*index)),
                other => refuse(format!(
                    "`{tuple}` is {} without a `.{index}`",
                    other.describe()
                )),
            },
            ValueExpr::Call(..) => refuse(format!("`{value}` is a function call")),
            ValueExpr::Method(..) => refuse(format!("`{value}` is a method call")),
            ValueExpr::Macro(text) => refuse(format!("`{text}` is a macro")),
            ValueExpr::Other(text) => {
                refuse(format!("`{text}` is no expression the build evaluates"))
            }
        }
    }

    /// The value of what a path means.
    fn path(&mut self, found: FoundValue, written: &str) -> Evaluated {
        let resolver = self.resolver;
        if let Some((fact, scope)) = resolver.const_at(&found) {
            if self.open.contains(&found) {
                return refuse(format!("`{written}` is defined by itself"));
            }
            if self.open.len() >= MAX_DEPTH {
                return refuse(format!("`{written}` is a const of too many others"));
            }
            let place = resolver.value_place(&found);
            self.open.push(found);
            let ty = resolver.ty(&fact.ty, &scope);
            let value = self.value(&fact.value, &scope, Some(&ty));
            self.open.pop();
            return value.map_err(|mut refusal| {
                // The innermost const is where the part can be found.
                refusal.inside = refusal
                    .inside
                    .or_else(|| Some((written.to_owned(), place?)));
                refusal
            });
        }
        match found {
            FoundValue::Missing => Err(Refusal {
                reason: None,
                inside: None,
            }),
            FoundValue::Variant(..) => Ok(Value::Variant(written.to_owned())),
            FoundValue::Primitive(primitive, name) => {
                match IntType::parse(primitive).and_then(|ty| ty.constant(&name)) {
                    Some((number, ty)) => Ok(Value::Int(number, Some(ty))),
                    None => refuse(format!("`{written}` is not known to the build")),
                }
            }
            FoundValue::Foreign(_) => refuse(format!(
                "`{written}` belongs to another crate, whose sources are not read"
            )),
            FoundValue::Inherited(ty) => refuse(format!(
                "`{written}` stands in no `impl` of `{}` itself",
                ty.display(resolver.program)
            )),
            FoundValue::Ambiguous => refuse(format!("`{written}` has more than one meaning here")),
            FoundValue::Unknown => refuse(format!(
                "`{written}` may come from a macro or a glob that cannot be followed"
            )),
            FoundValue::Item(item) => {
                let kind = match resolver.program.items[item].fact.kind {
                    ItemKind::Static => "a `static`, which may change",
                    ItemKind::Function => "a function",
                    _ => "a struct",
                };
                refuse(format!("`{written}` is {kind}"))
            }
            // Found by `const_at`.
            FoundValue::Member(..) => refuse(format!("`{written}` is not known to the build")),
        }
    }

    fn unary(
        &mut self,
        whole: &ValueExpr,
        operator: char,
        inner: &ValueExpr,
        scope: &Scope,
        expected: Option<&Ty>,
    ) -> Evaluated {
        // The literal alone may not fit: `-128i8`.
        if let ('-', ValueExpr::Int(number, suffix)) = (operator, inner) {
            let ty = IntType::parse(suffix).or_else(|| expected.and_then(int_type));
            return int(whole, -number, ty);
        }
        match (operator, self.value(inner, scope, expected)?) {
            ('*', value) => Ok(value),
            ('!', Value::Bool(on)) => Ok(Value::Bool(!on)),
            ('!', Value::Int(number, ty)) => {
                let number = ty.unwrap_or_else(IntType::default_type).not(number);
                computed(whole, number, ty)
            }
            ('-', Value::Int(number, ty)) => match number.checked_neg() {
                Some(number) => int(whole, number, ty),
                None => computed(whole, Err(Wrong::Overflow), ty),
            },
            ('-', Value::Float(text)) => Ok(Value::Float(format!("-{text}"))),
            (_, other) => refuse(format!(
                "`{operator}` does not apply to `{inner}`, which is {}",
                other.describe()
            )),
        }
    }

    fn binary(
        &mut self,
        whole: &ValueExpr,
        operator: &str,
        (left_written, right_written): (&ValueExpr, &ValueExpr),
        scope: &Scope,
        expected: Option<&Ty>,
    ) -> Evaluated {
        let compares = matches!(operator, "==" | "!=" | "<" | "<=" | ">" | ">=");
        let shifts = matches!(operator, "<<" | ">>");
        let expected = if compares { None } else { expected };
        let mut left = self.value(left_written, scope, expected)?;
        // The other side is not even looked at.
        match (operator, &left) {
            ("&&", Value::Bool(false)) | ("||", Value::Bool(true)) => return Ok(left),
            _ => {}
        }
        let mut right = self.value(right_written, scope, if shifts { None } else { expected })?;
        // A number without a type has that of the other side.
        if !shifts && let (Value::Int(_, a), Value::Int(_, b)) = (&left, &right) {
            match (a, b) {
                (None, Some(ty)) => {
                    left = self.value(left_written, scope, Some(&Ty::Primitive(ty.name())))?;
                }
                (Some(ty), None) => {
                    right = self.value(right_written, scope, Some(&Ty::Primitive(ty.name())))?;
                }
                _ => {}
            }
        }
        match (left, right) {
            (Value::Int(a, ty), Value::Int(b, other)) if shifts || ty == other => {
                if compares {
                    return Ok(Value::Bool(compare(operator, &a, &b)));
                }
                let number = ty
                    .unwrap_or_else(IntType::default_type)
                    .binary(operator, a, b);
                computed(whole, number, ty)
            }
            (Value::Bool(a), Value::Bool(b)) => match operator {
                "&&" | "&" => Ok(Value::Bool(a & b)),
                "||" | "|" => Ok(Value::Bool(a | b)),
                "^" => Ok(Value::Bool(a ^ b)),
                _ if compares => Ok(Value::Bool(compare(operator, &a, &b))),
                _ => refuse(format!("`{whole}` is no expression the build evaluates")),
            },
            (Value::Char(a), Value::Char(b)) if compares => {
                Ok(Value::Bool(compare(operator, &a, &b)))
            }
            (Value::Text(_), Value::Text(_)) if operator == "+" => refuse(format!(
                "`{whole}` joins strings, which constants do with `concat!`"
            )),
            (left, right) => refuse(format!(
                "`{operator}` cannot be computed of {} and {}",
                left.describe(),
                right.describe()
            )),
        }
    }

    fn cast(
        &mut self,
        whole: &ValueExpr,
        inner: &ValueExpr,
        ty: &TypeExpr,
        scope: &Scope,
    ) -> Evaluated {
        let ty = self.resolver.ty(ty, scope);
        let value = self.value(inner, scope, None)?;
        if let Some(to) = int_type(&ty) {
            let number = match value {
                Value::Int(number, _) => number,
                Value::Bool(on) => i128::from(on),
                Value::Char(c) => i128::from(u32::from(c)),
                other => {
                    return refuse(format!(
                        "`{whole}` casts {}, whose number is not known to the build",
                        other.describe()
                    ));
                }
            };
            return computed(whole, to.wrap(number), Some(to));
        }
        match (value, &ty) {
            (Value::Int(number, _), Ty::Primitive("char")) if u8::try_from(number).is_ok() => Ok(
                Value::Char(u8::try_from(number).map(char::from).unwrap_or_default()),
            ),
            (value @ Value::Bool(_), Ty::Primitive("bool"))
            | (value @ Value::Char(_), Ty::Primitive("char")) => Ok(value),
            _ => refuse(format!(
                "`{whole}` is a cast between other types than integers"
            )),
        }
    }

    fn index(
        &mut self,
        whole: &ValueExpr,
        list: &ValueExpr,
        index: &ValueExpr,
        scope: &Scope,
    ) -> Evaluated {
        let mut parts = match self.value(list, scope, None)? {
            Value::List(parts) => parts,
            other => {
                return refuse(format!("`{list}` is {}, not a list", other.describe()));
            }
        };
        let usize_type = Ty::Primitive("usize");
        match self.value(index, scope, Some(&usize_type))? {
            Value::Int(number, _) => match usize::try_from(number) {
                Ok(at) if at < parts.len() => Ok(parts.swap_remove(at)),
                _ => refuse(format!(
                    "`{whole}` is out of bounds: the length of `{list}` is {}",
                    parts.len()
                )),
            },
            other => refuse(format!("`{index}` is {}, not a position", other.describe())),
        }
    }
}

/// A number that fits its type.
fn int(whole: &ValueExpr, number: i128, ty: Option<IntType>) -> Evaluated {
    let fit = ty.map_or(Ok(number), |ty| ty.fit(number));
    computed(whole, fit, ty)
}

/// The number, or why there is none.
fn computed(whole: &ValueExpr, number: Result<i128, Wrong>, ty: Option<IntType>) -> Evaluated {
    match number {
        Ok(number) => Ok(Value::Int(number, ty)),
        Err(Wrong::Overflow) => refuse(format!(
            "`{whole}` overflows `{}`",
            ty.unwrap_or_else(IntType::default_type).name()
        )),
        Err(Wrong::Zero) => refuse(format!("`{whole}` divides by zero")),
        Err(Wrong::Operator) => refuse(format!("`{whole}` is no expression the build evaluates")),
    }
}

fn compare<T: Ord>(operator: &str, left: &T, right: &T) -> bool {
    match operator {
        "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        _ => left >= right,
    }
}

fn int_type(ty: &Ty) -> Option<IntType> {
    match ty {
        Ty::Primitive(name) => IntType::parse(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
