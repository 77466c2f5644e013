//! Attributes as data: those of anybody, whatever their grammar.

use quote::ToTokens;
use syn::{
    Expr, Meta, PathArguments, Token,
    ext::IdentExt as _,
    parse::{Parse, ParseStream, Parser as _, discouraged::Speculative as _},
    punctuated::Punctuated,
    token,
};
use znight_syntax::problem::ends;

use super::{Doc, Site};
use crate::{
    cfg::Condition,
    diagnostic::Location,
    facts::{Places, ValueExpr, reading, span},
    model::At,
    resolve::{FileId, Found, Resolver, Scope, Value},
};

/// An attribute other than docs and conditions. `cfg_attr` is taken off.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Attribute {
    /// Its path as it is written: `garde`, `acme::job`.
    pub path: String,
    /// The path of the macro it means: `znight::get`. None for attributes of the language and of derives,
    /// such as `serde`, and where it cannot be followed.
    pub canonical: Option<String>,
    /// Its arguments; the value, for `#[path = value]`.
    pub arguments: Vec<AttributeArgument>,
    /// Where it stands, without `#[` and `]`.
    pub site: Site,
}

/// An argument of an attribute, or of an argument: `min = 1` in `length(min = 1)`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AttributeArgument {
    /// `min` of `min = 1`, `length` of `length(min = 1)`; none for a value by itself, such as a word.
    pub name: Option<String>,
    /// Its value; none where it cannot be told, as for most words.
    pub value: Option<Value>,
    /// What is written: the value, or the whole where it has arguments.
    pub written: ValueExpr,
    /// What stands between its parentheses.
    pub arguments: Vec<Self>,
    /// Where it stands, its name included.
    pub site: Site,
}

impl Attribute {
    /// The last part of its path: `job`.
    pub fn name(&self) -> &str {
        self.path.rsplit("::").next().unwrap_or(&self.path)
    }

    /// The argument of a name.
    pub fn argument(&self, name: &str) -> Option<&AttributeArgument> {
        named(&self.arguments, name)
    }

    /// Whether a word stands among its arguments: `skip`.
    pub fn has(&self, word: &str) -> bool {
        has(&self.arguments, word)
    }
}

impl AttributeArgument {
    /// The argument of a name among its own.
    pub fn argument(&self, name: &str) -> Option<&Self> {
        named(&self.arguments, name)
    }

    /// Whether a word stands among its own arguments.
    pub fn has(&self, word: &str) -> bool {
        has(&self.arguments, word)
    }

    /// The word it is: `skip`.
    pub fn word(&self) -> Option<&str> {
        match (&self.name, &self.written) {
            (None, ValueExpr::Path(path)) => path.ident(),
            _ => None,
        }
    }

    /// Its value, where that is a string.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }
}

fn named<'a>(arguments: &'a [AttributeArgument], name: &str) -> Option<&'a AttributeArgument> {
    let is = |argument: &&AttributeArgument| argument.name.as_deref() == Some(name);
    arguments.iter().find(is)
}

fn has(arguments: &[AttributeArgument], word: &str) -> bool {
    arguments
        .iter()
        .any(|argument| argument.word() == Some(word))
}

/// What attributes and types of one item are read with.
pub(crate) struct Reader<'r> {
    pub(super) resolver: &'r Resolver<'r>,
    pub(super) file: FileId,
    /// Where names are looked up.
    pub(super) scope: Scope,
    /// What finds tokens, where the item is an annotated one, with its number.
    pub(super) places: Option<(usize, Places)>,
}

/// What the attributes of something say.
#[derive(Default)]
pub(super) struct Written {
    pub(super) doc: Option<Doc>,
    pub(super) attributes: Vec<Attribute>,
}

impl Reader<'_> {
    /// Where a node stands.
    pub(super) fn site(&self, node: &impl ToTokens) -> Site {
        let (first, last) = ends(node);
        self.between(first, last)
    }

    fn between(&self, first: proc_macro2::Span, last: proc_macro2::Span) -> Site {
        let file = self.resolver.program.file_name(self.file);
        let at = self.places.as_ref().and_then(|(occurrence, places)| {
            let place = places.find(first, last)?;
            Some(At {
                occurrence: *occurrence,
                place,
            })
        });
        Site {
            location: Location::new(file, span(first, last)),
            at,
        }
    }

    /// Docs and attributes; none when a condition switches the whole off.
    pub(super) fn attributes(&self, written: &[syn::Attribute]) -> Option<Written> {
        let mut metas = Vec::new();
        for attribute in written {
            self.take(&attribute.meta, &[], &mut metas)?;
        }
        let mut docs = Vec::new();
        let mut ends_of_docs = None;
        let mut found = Written::default();
        for meta in metas {
            if let Some(text) = doc(&meta) {
                let (first, last) = ends(&meta);
                ends_of_docs = Some((ends_of_docs.map_or(first, |(first, _)| first), last));
                docs.push(text);
            } else {
                found.attributes.push(self.attribute(&meta));
            }
        }
        found.doc = ends_of_docs.and_then(|(first, last)| {
            let site = self.between(first, last);
            Doc::read(&docs, site)
        });
        Some(found)
    }

    /// Takes `cfg_attr` off an attribute; none when it is a condition that does not hold.
    fn take(&self, meta: &Meta, around: &[Condition], found: &mut Vec<Meta>) -> Option<()> {
        let cfg = &self.resolver.program.crates[self.resolver.program.files[self.file].krate].cfg;
        let holds = |conditions: &[Condition]| cfg.allows(conditions, self.resolver.world);
        match meta {
            Meta::List(list) if list.path.is_ident("cfg") => {
                // `cfg_attr(a, cfg(b))` means `b` only where `a` holds.
                let mut condition = Condition::read(list.tokens.clone());
                if !around.is_empty() {
                    let not = Condition::Not(Box::new(Condition::All(around.to_vec())));
                    condition = Condition::Any(vec![not, condition]);
                }
                holds(&[condition]).then_some(())
            }
            Meta::List(list) if list.path.is_ident("cfg_attr") => {
                let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
                let Ok(parts) = list.parse_args_with(parser) else {
                    return Some(());
                };
                let mut parts = parts.iter();
                let Some(condition) = parts.next() else {
                    return Some(());
                };
                let mut around = around.to_vec();
                around.push(Condition::read(condition.to_token_stream()));
                if holds(&around) {
                    for part in parts {
                        self.take(part, &around, found)?;
                    }
                }
                Some(())
            }
            meta => {
                found.push(meta.clone());
                Some(())
            }
        }
    }

    fn attribute(&self, meta: &Meta) -> Attribute {
        let path = reading::path(meta.path());
        let arguments = match meta {
            Meta::Path(_) => Vec::new(),
            Meta::List(list) => {
                let parser = |input: ParseStream<'_>| Ok(self.arguments(input));
                parser.parse2(list.tokens.clone()).unwrap_or_default()
            }
            Meta::NameValue(pair) => vec![self.argument(None, &pair.value, &pair.value)],
        };
        Attribute {
            canonical: self.canonical(&path.names(), path.absolute),
            path: path.to_string(),
            arguments,
            site: self.site(meta),
        }
    }

    fn canonical(&self, names: &[&str], absolute: bool) -> Option<String> {
        let module = self.scope.module;
        match self.resolver.path(module, names, absolute) {
            // A crate is no macro: `serde` is the attribute of a derive.
            Found::Foreign(path) if path.contains("::") => {
                Some(self.resolver.unrenamed(module, path))
            }
            _ => None,
        }
    }

    /// Arguments up to the end. What is no Rust expression ends at the next comma.
    fn arguments(&self, input: ParseStream<'_>) -> Vec<AttributeArgument> {
        let mut found = Vec::new();
        while !input.is_empty() {
            found.push(self.next_argument(input));
            // Every argument goes as far as the next comma.
            let _ = input.parse::<Option<Token![,]>>();
        }
        found
    }

    fn next_argument(&self, input: ParseStream<'_>) -> AttributeArgument {
        let ahead = input.fork();
        if let Ok(name) = ahead.call(syn::Ident::parse_any) {
            if ahead.peek(Token![=]) && !ahead.peek(Token![==]) {
                let _ = ahead.parse::<Token![=]>();
                input.advance_to(&ahead);
                return self.value(Some(&name), input);
            }
            if ahead.peek(token::Paren) {
                let ahead_of_all = input.fork();
                if let Ok(nested) = self.list(&ahead_of_all)
                    && (ahead_of_all.is_empty() || ahead_of_all.peek(Token![,]))
                {
                    let tokens = tokens_until_comma(input);
                    let written = syn::parse2::<Expr>(tokens.clone());
                    return AttributeArgument {
                        name: Some(name.unraw().to_string()),
                        value: None,
                        written: written.map_or_else(
                            |_| ValueExpr::Other(reading::text(&tokens)),
                            |written| reading::value(&written),
                        ),
                        arguments: nested,
                        site: self.site(&tokens),
                    };
                }
            }
        }
        self.value(None, input)
    }

    fn list(&self, input: ParseStream<'_>) -> syn::Result<Vec<AttributeArgument>> {
        input.call(syn::Ident::parse_any)?;
        let content;
        syn::parenthesized!(content in input);
        Ok(self.arguments(&content))
    }

    fn value(&self, name: Option<&syn::Ident>, input: ParseStream<'_>) -> AttributeArgument {
        let whole = |value: &dyn ToTokens| {
            let mut tokens = name.to_token_stream();
            value.to_tokens(&mut tokens);
            tokens
        };
        let (text, whole) = if let Some(ty) = alone(input, has_arguments) {
            // The commas between the arguments of a type end nothing.
            (reading::ty(&ty).to_string(), whole(&ty))
        } else if let Some(value) = alone(input, |_: &Expr| true) {
            return self.argument(name, &value, &whole(&value));
        } else {
            let tokens = tokens_until_comma(input);
            (reading::text(&tokens), whole(&tokens))
        };
        AttributeArgument {
            name: name.map(|name| name.unraw().to_string()),
            value: None,
            written: ValueExpr::Other(text),
            arguments: Vec::new(),
            site: self.site(&whole),
        }
    }

    fn argument(
        &self,
        name: Option<&syn::Ident>,
        value: &Expr,
        whole: &impl ToTokens,
    ) -> AttributeArgument {
        let written = reading::value(value);
        AttributeArgument {
            name: name.map(|name| name.unraw().to_string()),
            value: self.resolver.evaluate(&written, &self.scope).ok(),
            written,
            arguments: Vec::new(),
            site: self.site(whole),
        }
    }
}

/// The text of `#[doc = ".."]`, which every doc comment is.
fn doc(meta: &Meta) -> Option<String> {
    match meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Something of a kind that goes as far as the next comma; nothing is read otherwise.
fn alone<T: Parse>(input: ParseStream<'_>, is: impl FnOnce(&T) -> bool) -> Option<T> {
    let ahead = input.fork();
    let found = ahead.parse::<T>().ok()?;
    if is(&found) && (ahead.is_empty() || ahead.peek(Token![,])) {
        input.advance_to(&ahead);
        Some(found)
    } else {
        None
    }
}

/// Whether a type is written with arguments: `Auth<Admin, User>`.
fn has_arguments(ty: &syn::Type) -> bool {
    let syn::Type::Path(found) = ty else {
        return false;
    };
    let last = found.path.segments.last();
    last.is_some_and(|last| matches!(last.arguments, PathArguments::AngleBracketed(_)))
}

fn tokens_until_comma(input: ParseStream<'_>) -> proc_macro2::TokenStream {
    let mut found = proc_macro2::TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        match input.parse::<proc_macro2::TokenTree>() {
            Ok(tree) => found.extend([tree]),
            Err(_) => break,
        }
    }
    found
}
