//! Generated code, put together from parts: an extension cannot write what is no expression.

use std::fmt::Write as _;

use crate::{emit::literal, resolve::Externs};

/// A part of the generated code.
#[derive(Debug, Clone)]
pub struct Node(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// Printed already, by this module.
    Text(String),
    /// `path`
    Path(String),
    /// `path { name: value }`
    Record(String, Vec<(String, Node)>),
    /// `&[a, b]`
    List(Vec<Node>),
    /// `path(a, b)`
    Call(String, Vec<Node>),
    /// `<marker as path<id>>::name`
    Glue {
        marker: String,
        path: String,
        id: u64,
        name: String,
    },
    /// `&name`
    Ref(Box<Node>),
}

/// What an extension adds to the graph: a `static` that is a `Section` at run time.
#[derive(Debug, Clone)]
pub struct Section {
    /// The path of its type.
    pub ty: String,
    /// Its value.
    pub value: Node,
}

impl Section {
    /// A section of a type, by the path the crate that exports it has there.
    pub fn new(ty: &str, value: Node) -> Self {
        Self {
            ty: ty.to_owned(),
            value,
        }
    }
}

impl Node {
    /// A string.
    pub fn text(text: &str) -> Self {
        Self(Kind::Text(literal::string(text)))
    }

    /// A number.
    pub fn number(value: i128) -> Self {
        Self(Kind::Text(literal::signed(value)))
    }

    /// `true` or `false`.
    pub fn bool(value: bool) -> Self {
        Self(Kind::Text(value.to_string()))
    }

    /// A const, a static, a variant without fields: `acme::Kind::Daily`.
    pub fn path(path: &str) -> Self {
        Self(Kind::Path(path.to_owned()))
    }

    /// A struct: its path, and its fields.
    pub fn record<N: Into<String>>(
        path: &str,
        fields: impl IntoIterator<Item = (N, Self)>,
    ) -> Self {
        let fields = fields
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect();
        Self(Kind::Record(path.to_owned(), fields))
    }

    /// A slice: `&[a, b]`.
    pub fn list(elements: impl IntoIterator<Item = Self>) -> Self {
        Self(Kind::List(elements.into_iter().collect()))
    }

    /// The call of a `const fn`, or a tuple struct.
    pub fn call(path: &str, arguments: impl IntoIterator<Item = Self>) -> Self {
        Self(Kind::Call(path.to_owned(), arguments.into_iter().collect()))
    }

    /// `Some(value)`, or `None`.
    pub fn option(value: Option<Self>) -> Self {
        match value {
            Some(value) => Self::call("core::option::Option::Some", [value]),
            None => Self::path("core::option::Option::None"),
        }
    }

    /// `&value`.
    #[must_use]
    pub fn by_ref(self) -> Self {
        Self(Kind::Ref(Box::new(self)))
    }

    pub(crate) fn glue(marker: &str, path: &str, id: u64, name: &str) -> Self {
        Self(Kind::Glue {
            marker: marker.to_owned(),
            path: path.to_owned(),
            id,
            name: name.to_owned(),
        })
    }
}

/// Prints nodes for one package.
#[derive(Debug)]
pub(crate) struct Printer<'a> {
    /// The names of other crates there.
    pub(crate) externs: &'a Externs,
}

impl Printer<'_> {
    /// The text of a node; what is no Rust path or name is an error.
    pub(crate) fn print(&self, node: &Node) -> Result<String, String> {
        let mut out = String::new();
        self.node(node, 16, &mut out)?;
        Ok(out)
    }

    /// The text of a path as the package can write it.
    pub(crate) fn path(&self, path: &str) -> Result<String, String> {
        if syn::parse_str::<syn::Path>(path).is_err() {
            return Err(format!("`{path}` is no path"));
        }
        Ok(match path.strip_prefix("znight::__private::") {
            Some(rest) => format!("z::{rest}"),
            None => match path.strip_prefix("znight::") {
                Some(rest) => format!("::{}::{rest}", self.externs.facade),
                None => self.foreign(path.trim_start_matches("::")),
            },
        })
    }

    /// A path of another crate, under the name the package gives that crate.
    fn foreign(&self, path: &str) -> String {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        let mut renamed = self.externs.renamed.iter();
        match renamed.find(|(_, own)| *own == first) {
            Some((name, _)) => format!("::{name}::{rest}"),
            None => format!("::{path}"),
        }
    }

    fn name(name: &str) -> Result<&str, String> {
        match syn::parse_str::<syn::Ident>(name) {
            Ok(_) => Ok(name),
            Err(_) => Err(format!("`{name}` is no name")),
        }
    }

    fn node(&self, node: &Node, indent: usize, out: &mut String) -> Result<(), String> {
        let pad = " ".repeat(indent);
        match &node.0 {
            Kind::Text(text) => out.push_str(text),
            Kind::Path(path) => out.push_str(&self.path(path)?),
            Kind::Record(path, fields) => {
                let path = self.path(path)?;
                let _ = write!(out, "{path} {{");
                for (index, (name, value)) in fields.iter().enumerate() {
                    out.push_str(if index == 0 { " " } else { ", " });
                    let _ = write!(out, "{}: ", Self::name(name)?);
                    self.node(value, indent + 4, out)?;
                }
                out.push_str(" }");
            }
            Kind::List(elements) if elements.is_empty() => out.push_str("&[]"),
            Kind::List(elements) => {
                out.push_str("&[\n");
                for element in elements {
                    out.push_str(&pad);
                    self.node(element, indent + 4, out)?;
                    out.push_str(",\n");
                }
                out.push_str(&pad[..indent.saturating_sub(4)]);
                out.push(']');
            }
            Kind::Call(path, arguments) => {
                let _ = write!(out, "{}(", self.path(path)?);
                for (index, argument) in arguments.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    self.node(argument, indent + 4, out)?;
                }
                out.push(')');
            }
            Kind::Glue {
                marker,
                path,
                id,
                name,
            } => {
                let _ = write!(
                    out,
                    "<{marker} as {}<{}>>::{}",
                    self.path(path)?,
                    literal::id(*id),
                    Self::name(name)?
                );
            }
            Kind::Ref(value) => {
                out.push('&');
                self.node(value, indent, out)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, Printer};
    use crate::resolve::Externs;

    fn print(node: &Node) -> Result<String, String> {
        let externs = Externs {
            facade: "zn".to_owned(),
            renamed: [("jobs".to_owned(), "acme_jobs".to_owned())].into(),
            ..Externs::default()
        };
        Printer { externs: &externs }.print(node)
    }

    #[test]
    fn paths_are_written_as_the_package_knows_them() {
        for (path, expected) in [
            ("znight::__private::http::A", "z::http::A"),
            ("znight::Scope", "::zn::Scope"),
            ("acme::Kind::Daily", "::acme::Kind::Daily"),
            ("acme_jobs::Entry", "::jobs::Entry"),
        ] {
            assert_eq!(print(&Node::path(path)).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn parts_make_expressions() {
        let node = Node::record(
            "acme::A",
            [
                ("a", Node::text("\"")),
                ("b", Node::number(-1_234)),
                ("c", Node::option(Some(Node::bool(true)))),
                ("d", Node::option(None)),
                ("e", Node::list([]).by_ref()),
            ],
        );
        let text = print(&node).expect("an expression");
        assert_eq!(
            text,
            "::acme::A { a: \"\\\"\", b: -1_234, c: ::core::option::Option::Some(true), d: ::core::option::Option::None, e: &&[] }"
        );
        let list = Node::list([Node::call("acme::f", [node.clone(), node])]);
        syn::parse_str::<syn::Expr>(&print(&list).expect("an expression")).expect("Rust");
    }

    #[test]
    fn what_is_no_path_or_name_is_refused() {
        for node in [
            Node::path("a b"),
            Node::path("a; panic!()"),
            Node::record("acme::A", [("1", Node::bool(true))]),
            Node::call("", []),
        ] {
            assert!(print(&node).is_err(), "{node:?}");
        }
    }
}
