//! Whether a file says the same with its bodies blanked.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, TraitItem};
use znight_compiler::source::blank::blank_bodies;

/// What the bodies hid: the first head that differs; `Ok` when nothing does, or when the file is no Rust.
///
/// # Errors
/// With the heads, as they are and as they are read.
pub fn agrees(text: &str) -> Result<(), String> {
    let Ok(whole) = syn::parse_file(text) else {
        return Ok(());
    };
    let blank = match syn::parse_file(&blank_bodies(text)) {
        Ok(blank) => blank,
        Err(error) => return Err(format!("blanked, it is no Rust: {error}")),
    };
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    heads(&whole.items, &mut expected);
    heads(&blank.items, &mut found);
    let differs = expected.iter().zip(&found).find(|(a, b)| a != b);
    match differs {
        Some((expected, found)) => Err(format!("`{expected}` is read as `{found}`")),
        None if expected.len() != found.len() => Err("items are lost".to_owned()),
        None => Ok(()),
    }
}

/// The text of everything that stays when bodies go.
fn heads(items: &[Item], found: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Mod(item) => {
                found.push(format!("mod {}", item.ident));
                if let Some((_, items)) = &item.content {
                    heads(items, found);
                }
            }
            Item::Fn(item) => found.push(head(&item.sig)),
            Item::Enum(item) => {
                found.push(format!("enum {} {}", item.ident, head(&item.generics)));
            }
            Item::Impl(item) => {
                let of_trait = item.trait_.as_ref().map(|(path, ..)| head(path));
                let generics = head(&item.generics);
                found.push(format!(
                    "impl {generics} {of_trait:?} {}",
                    head(&item.self_ty)
                ));
                for member in &item.items {
                    if let syn::ImplItem::Const(member) = member {
                        found.push(format!("const {} {}", member.ident, head(&member.ty)));
                    }
                }
            }
            Item::Trait(item) => {
                found.push(format!("trait {} {}", item.ident, head(&item.supertraits)));
                for member in &item.items {
                    found.push(match member {
                        TraitItem::Fn(member) => head(&member.sig),
                        TraitItem::Const(member) => member.ident.to_string(),
                        TraitItem::Macro(member) => head(&member.mac.path),
                        member => head(member),
                    });
                }
            }
            Item::Const(item) => found.push(format!("const {} {}", item.ident, head(&item.ty))),
            Item::Static(item) => found.push(format!("static {} {}", item.ident, head(&item.ty))),
            Item::Macro(item) => found.push(head(&item.mac.path)),
            item => found.push(head(item)),
        }
    }
}

fn head(node: &impl ToTokens) -> String {
    undocumented(node.to_token_stream()).to_string()
}

/// Without comments of documentation, which are blanked too.
fn undocumented(tokens: TokenStream) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    for tree in tokens {
        let TokenTree::Group(group) = &tree else {
            out.push(tree);
            continue;
        };
        let first = group.stream().into_iter().next();
        let is_doc = group.delimiter() == Delimiter::Bracket
            && matches!(&first, Some(TokenTree::Ident(name)) if name == "doc");
        if is_doc {
            // The `#` before it.
            out.pop();
        } else {
            let inner = undocumented(group.stream());
            out.push(proc_macro2::Group::new(group.delimiter(), inner).into());
        }
    }
    out.into_iter().collect()
}
