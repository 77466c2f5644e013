//! The view of an item's tokens that both passes share.
//!
//! The build pass lexes source text, the macros receive rustc's tokens. [`flatten`] gives both the
//! same list: the item's own attributes and all doc comments are left out, a function body counts as
//! one token whatever it holds. Hence a fingerprint that is equal in both, and places written as
//! numbers of tokens, immune to tabs, line ends, multi-byte text and shifted lines.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use znight_contract::fingerprint::Fingerprint;

use crate::symbol;

/// One token of a flattened item.
#[derive(Debug, Clone, Copy)]
pub struct FlatToken {
    /// Where it starts; for a function body, its opening brace.
    pub start: Span,
    /// Where it ends; for a function body, its closing brace.
    pub end: Span,
}

/// The tokens of an item, numbered.
#[derive(Debug, Clone)]
pub struct Flat {
    /// The tokens, in order.
    pub tokens: Vec<FlatToken>,
    /// Equal for equal items.
    pub fingerprint: u64,
}

/// Flattens an item, or the arguments of an attribute.
pub fn flatten(tokens: TokenStream) -> Flat {
    let mut flat = Flat {
        tokens: Vec::new(),
        fingerprint: 0,
    };
    let mut hash = Fingerprint::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(tree) = rest.peek() {
        if !is_pound(tree) {
            break;
        }
        let pound = rest.next().expect("invariant: peeked");
        let Some(TokenTree::Group(attribute)) = rest.peek() else {
            push_tree(pound, &mut flat, &mut hash);
            break;
        };
        let kept =
            attribute_name(attribute).is_some_and(|name| symbol::ON_ITEM.contains(&name.as_str()));
        let attribute = rest.next().expect("invariant: peeked");
        if kept {
            push_tree(pound, &mut flat, &mut hash);
            push_tree(attribute, &mut flat, &mut hash);
        }
    }
    push_all(rest, &mut flat, &mut hash);
    flat.fingerprint = hash.finish();
    flat
}

/// Replaces the content of every function body by nothing, so that syn need not parse it.
pub fn blank_bodies(tokens: TokenStream) -> TokenStream {
    let mut bodies = Bodies::default();
    tokens
        .into_iter()
        .map(|tree| {
            let body = bodies.is_body(&tree);
            match tree {
                TokenTree::Group(group) => {
                    let inner = if body {
                        TokenStream::new()
                    } else {
                        blank_bodies(group.stream())
                    };
                    let mut blank = Group::new(group.delimiter(), inner);
                    blank.set_span(group.span());
                    TokenTree::Group(blank)
                }
                other => other,
            }
        })
        .collect()
}

/// Removes our own attributes from inside an item, keeping every other token as it was.
pub fn strip(outer: symbol::Outer, item: TokenStream) -> TokenStream {
    let ours = |level: usize, name: &str| {
        if level == 0 {
            outer == symbol::Outer::Controller && symbol::ON_ITEM.contains(&name)
        } else {
            symbol::is_inside(outer, name)
        }
    };
    strip_level(&ours, item, 0)
}

/// The same for the attributes of an extension, by their names: on the item itself, and inside it.
pub fn strip_names(on_item: &[&str], inside: &[&str], item: TokenStream) -> TokenStream {
    let ours = |level: usize, name: &str| {
        let names = if level == 0 { on_item } else { inside };
        names.contains(&name)
    };
    strip_level(&ours, item, 0)
}

fn strip_level(
    ours: &dyn Fn(usize, &str) -> bool,
    tokens: TokenStream,
    level: usize,
) -> TokenStream {
    let mut out = Vec::new();
    let mut bodies = Bodies::default();
    let mut rest = tokens.into_iter().peekable();
    while let Some(tree) = rest.next() {
        if is_pound(&tree)
            && let Some(TokenTree::Group(attribute)) = rest.peek()
            && let Some(name) = attribute_name(attribute)
            && ours(level, &name)
        {
            rest.next();
            continue;
        }
        let body = bodies.is_body(&tree);
        out.push(match tree {
            // Level 1 holds fields or methods, level 2 the parameters of a method.
            TokenTree::Group(group)
                if !body && level < 2 && group.delimiter() != Delimiter::Bracket =>
            {
                let mut stripped = Group::new(
                    group.delimiter(),
                    strip_level(ours, group.stream(), level + 1),
                );
                stripped.set_span(group.span());
                TokenTree::Group(stripped)
            }
            other => other,
        });
    }
    out.into_iter().collect()
}

/// Tells function bodies from other brace groups in one level of a token stream.
#[derive(Debug, Default)]
struct Bodies {
    after_fn: bool,
    previous: Option<char>,
}

impl Bodies {
    fn is_body(&mut self, tree: &TokenTree) -> bool {
        let previous = self.previous.take();
        match tree {
            TokenTree::Ident(ident) => {
                if ident == "fn" {
                    self.after_fn = true;
                }
                false
            }
            TokenTree::Punct(punct) => {
                if punct.as_char() == ';' {
                    self.after_fn = false;
                }
                self.previous = Some(punct.as_char());
                false
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && self.after_fn => {
                // `Foo<{ N }>` in a signature is a const argument, not the body.
                if matches!(previous, Some('<' | ',' | '=')) {
                    return false;
                }
                self.after_fn = false;
                true
            }
            _ => false,
        }
    }
}

fn push_all(trees: impl Iterator<Item = TokenTree>, flat: &mut Flat, hash: &mut Fingerprint) {
    let mut bodies = Bodies::default();
    let mut trees = trees.peekable();
    while let Some(tree) = trees.next() {
        if is_pound(&tree) {
            let bang = match trees.peek() {
                Some(TokenTree::Punct(punct)) if punct.as_char() == '!' => trees.next(),
                _ => None,
            };
            if let Some(TokenTree::Group(attribute)) = trees.peek()
                && attribute_name(attribute).is_some_and(|name| name == "doc")
            {
                trees.next();
                continue;
            }
            push_tree(tree, flat, hash);
            if let Some(bang) = bang {
                push_tree(bang, flat, hash);
            }
            continue;
        }
        if bodies.is_body(&tree)
            && let TokenTree::Group(body) = &tree
        {
            flat.tokens.push(FlatToken {
                start: body.span_open(),
                end: body.span_close(),
            });
            *hash = hash.token("{body}");
            continue;
        }
        push_tree(tree, flat, hash);
    }
}

fn push_tree(tree: TokenTree, flat: &mut Flat, hash: &mut Fingerprint) {
    let group = match tree {
        TokenTree::Group(group) => group,
        other => {
            let span = other.span();
            flat.tokens.push(FlatToken {
                start: span,
                end: span,
            });
            *hash = hash.token(&other.to_string());
            return;
        }
    };
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        // Invisible delimiters come from macro expansion only: the source text has none.
        Delimiter::None => {
            push_all(group.stream().into_iter(), flat, hash);
            return;
        }
    };
    flat.tokens.push(FlatToken {
        start: group.span_open(),
        end: group.span_open(),
    });
    *hash = hash.token(open);
    push_all(group.stream().into_iter(), flat, hash);
    flat.tokens.push(FlatToken {
        start: group.span_close(),
        end: group.span_close(),
    });
    *hash = hash.token(close);
}

fn is_pound(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == '#')
}

fn attribute_name(attribute: &Group) -> Option<String> {
    if attribute.delimiter() != Delimiter::Bracket {
        return None;
    }
    match attribute.stream().into_iter().next() {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;

    use super::{blank_bodies, flatten, strip};
    use crate::symbol::Outer;

    fn tokens(text: &str) -> TokenStream {
        text.parse().expect("test tokens")
    }

    #[test]
    fn layout_docs_bodies_and_own_attributes_do_not_change_a_fingerprint() {
        let plain = flatten(tokens("pub struct A { #[inject(\"x\")] b: Arc<B> }"));
        let dressed = flatten(tokens(
            "#[derive(Debug)] /// Doc.\n pub struct A {\n\t/// A field.\n #[inject(\"x\")]\n b: Arc<B>\n}",
        ));
        assert_eq!(plain.fingerprint, dressed.fingerprint);
        assert_eq!(plain.tokens.len(), dressed.tokens.len());
        let one = flatten(tokens("impl A { fn new(b: B) -> Self { Self { b } } }"));
        let other = flatten(tokens("impl A { fn new(b: B) -> Self { todo!(\"é\") } }"));
        assert_eq!(one.fingerprint, other.fingerprint);
        let signature = flatten(tokens("impl A { fn new(b: C) -> Self { Self { b } } }"));
        assert_ne!(one.fingerprint, signature.fingerprint);
    }

    #[test]
    fn a_const_argument_is_not_a_body() {
        let blank = blank_bodies(tokens(
            "impl A { fn f(&self) -> Foo<{ 1 + 1 }> { 2 } const C: u8 = { 3 }; }",
        ));
        assert_eq!(
            blank.to_string(),
            tokens("impl A { fn f(&self) -> Foo<{ 1 + 1 }> { } const C: u8 = { 3 }; }").to_string()
        );
    }

    #[test]
    fn only_our_attributes_at_our_places_are_removed() {
        let stripped = strip(
            Outer::Controller,
            tokens(
                "#[guard(G)] #[other] impl A { #[get(\"/\")] #[inline] fn f(&self, #[param] id: u64, #[foreign] x: u8) { #[status] let x = 1; } }",
            ),
        );
        let expected = tokens(
            "#[other] impl A { #[inline] fn f(&self, id: u64, #[foreign] x: u8) { #[status] let x = 1; } }",
        );
        assert_eq!(stripped.to_string(), expected.to_string());
        let fields = strip(
            Outer::Injectable,
            tokens("struct A { #[inject(\"x\")] a: B, #[header] c: C }"),
        );
        assert_eq!(
            fields.to_string(),
            tokens("struct A { a: B, #[header] c: C }").to_string()
        );
    }
}
