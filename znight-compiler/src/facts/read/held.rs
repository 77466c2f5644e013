//! Items inside of other things: of macros that choose among them by conditions, and of `extern` blocks.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{ForeignItem, ItemForeignMod, Meta, ext::IdentExt as _};

use super::{Reader, attributes, generics, segments, span, visibility};
use crate::{
    cfg::Condition,
    facts::{ItemFact, ItemKind, TypeFact},
};

/// A macro whose branches stand under conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chooser {
    /// `cfg_if! { if #[cfg(a)] { .. } else { .. } }`
    If,
    /// `cfg_select! { a => { .. } _ => { .. } }`
    Select,
}

impl Reader<'_> {
    /// The items that a macro chooses among, each under its condition; none when it is another macro.
    pub(super) fn chosen(&self, call: &syn::ItemMacro) -> Option<Vec<ItemFact>> {
        let chooser = match segments(&call.mac.path).last()?.as_str() {
            "cfg_if" => Chooser::If,
            "cfg_select" => Chooser::Select,
            _ => return None,
        };
        if call.ident.is_some() {
            return None;
        }
        let around = attributes(&call.attrs).conditions;
        let mut found = Vec::new();
        let mut earlier: Vec<Condition> = Vec::new();
        let branches = match chooser {
            Chooser::If => if_branches(call.mac.tokens.clone()),
            Chooser::Select => select_branches(call.mac.tokens.clone()),
        };
        for (own, held) in branches {
            for mut item in self.held(held) {
                item.conditions.extend_from_slice(&around);
                item.conditions.extend(
                    earlier
                        .iter()
                        .map(|earlier| Condition::Not(Box::new(earlier.clone()))),
                );
                item.conditions.extend(own.clone());
                found.push(item);
            }
            earlier.extend(own);
        }
        Some(found)
    }

    /// The items between the braces of a macro call.
    pub(super) fn held(&self, tokens: TokenStream) -> Vec<ItemFact> {
        syn::parse2::<syn::File>(tokens).map_or_else(|_| Vec::new(), |file| self.items(file.items))
    }
}

/// The branches of `cfg_if!`: the condition of each but the last, and what it holds.
fn if_branches(tokens: TokenStream) -> Vec<(Option<Condition>, TokenStream)> {
    let mut branches = Vec::new();
    let mut condition = None;
    for tree in tokens {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        if group.delimiter() == Delimiter::Bracket {
            let meta = syn::parse2::<Meta>(group.stream()).ok();
            condition = meta.and_then(|meta| match meta {
                Meta::List(list) => Some(Condition::read(list.tokens)),
                _ => None,
            });
        } else {
            branches.push((condition.take(), group.stream()));
        }
    }
    branches
}

/// The branches of `cfg_select!`.
fn select_branches(tokens: TokenStream) -> Vec<(Option<Condition>, TokenStream)> {
    let mut branches = Vec::new();
    let mut before: Vec<TokenTree> = Vec::new();
    for tree in tokens {
        let is_arrow = matches!(&before[..], [.., TokenTree::Punct(first), TokenTree::Punct(second)]
            if first.as_char() == '=' && second.as_char() == '>');
        match tree {
            TokenTree::Group(group) if is_arrow => {
                before.truncate(before.len() - 2);
                let predicate = std::mem::take(&mut before);
                let is_rest = matches!(&predicate[..], [TokenTree::Ident(name)] if name == "_");
                let condition =
                    (!is_rest).then(|| Condition::read(predicate.into_iter().collect()));
                branches.push((condition, group.stream()));
            }
            TokenTree::Punct(comma) if before.is_empty() && comma.as_char() == ',' => {}
            tree => before.push(tree),
        }
    }
    branches
}

/// What an `extern` block declares: each item is one of the module around it.
pub(super) fn foreign(block: ItemForeignMod) -> Vec<ItemFact> {
    let around = attributes(&block.attrs).conditions;
    let each = block.items.into_iter().filter_map(|item| {
        let (attrs, vis, ident, kind) = match item {
            ForeignItem::Fn(item) => (item.attrs, item.vis, item.sig.ident, ItemKind::Function),
            ForeignItem::Static(item) => (item.attrs, item.vis, item.ident, ItemKind::Static),
            ForeignItem::Type(item) => {
                let fact = TypeFact {
                    generics: generics(&item.generics),
                    derives: Vec::new(),
                    unit: false,
                    named: false,
                };
                (item.attrs, item.vis, item.ident, ItemKind::Other(fact))
            }
            _ => return None,
        };
        let mut conditions = attributes(&attrs).conditions;
        conditions.extend_from_slice(&around);
        Some(ItemFact {
            name: Some(ident.unraw().to_string()),
            visibility: visibility(&vis),
            conditions,
            attributes: Vec::new(),
            marked: Vec::new(),
            name_at: span(ident.span(), ident.span()),
            kind,
        })
    });
    each.collect()
}
