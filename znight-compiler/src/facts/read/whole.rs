//! Files read whole, for what their facts leave out: docs, fields, variants, methods.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    rc::Rc,
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Attribute, Item};
use znight_syntax::tokens::{blank_bodies, flatten};

use super::{attributes, marked::Places, name, range, segments, slice, span};
use crate::source::{Sources, Span};

/// Files that are read whole, each when it is first asked for.
///
/// Most of an application never is: facts are kept between builds and say what binding needs.
pub struct Whole<'a> {
    sources: &'a dyn Sources,
    files: RefCell<BTreeMap<PathBuf, Option<Rc<WholeFile>>>>,
}

/// One file.
struct WholeFile {
    /// Its items, those of inline modules and of macros that put a condition on them included, by where
    /// they are named.
    items: BTreeMap<Span, Item>,
    tokens: TokenStream,
}

/// Syntax trees are nothing to look at.
impl fmt::Debug for Whole<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Whole")
            .field("sources", &self.sources)
            .finish_non_exhaustive()
    }
}

impl<'a> Whole<'a> {
    /// No file has been read yet.
    pub fn new(sources: &'a dyn Sources) -> Self {
        Self {
            sources,
            files: RefCell::default(),
        }
    }

    /// The item of a file that is named at a place; none when the file cannot be read.
    pub(crate) fn item(&self, path: &Path, name_at: Span) -> Option<WholeItem> {
        let known = self.files.borrow().get(path).cloned();
        let file = known.unwrap_or_else(|| {
            let read = self.sources.read(path).and_then(|text| read(&text));
            let read = read.map(Rc::new);
            let mut files = self.files.borrow_mut();
            files.insert(path.to_owned(), read.clone());
            read
        })?;
        file.items
            .contains_key(&name_at)
            .then_some(WholeItem { file, name_at })
    }
}

/// An item with all its tokens but the bodies of functions.
pub(crate) struct WholeItem {
    file: Rc<WholeFile>,
    name_at: Span,
}

impl WholeItem {
    /// The item.
    pub(crate) fn item(&self) -> &Item {
        &self.file.items[&self.name_at]
    }

    /// What finds places by the numbers of the item's tokens, and of those of the arguments of one of its
    /// attributes: its position among those that are not the language's own.
    pub(crate) fn places(&self, attribute: usize) -> Places {
        let item = self.item();
        let attrs = attrs(item);
        let args = attributes(attrs)
            .ours
            .into_iter()
            .nth(attribute)
            .map(|found| found.args)
            .unwrap_or_default();
        let tokens = slice(&self.file.tokens, range(item, attrs));
        Places::new(&flatten(args), &flatten(tokens), name(item).1)
    }
}

/// The attributes of an item.
pub(crate) fn attrs(item: &Item) -> &[Attribute] {
    match item {
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        _ => &[],
    }
}

fn read(text: &str) -> Option<WholeFile> {
    // Places are those of the facts, which do not count a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = super::without_shebang(text.to_owned());
    // Bodies may hold syntax that is newer than syn.
    let tokens = blank_bodies(text.parse().ok()?);
    let file: syn::File = syn::parse2(tokens.clone()).ok()?;
    let mut items = BTreeMap::new();
    keep(file.items, &mut items);
    Some(WholeFile { items, tokens })
}

fn keep(found: Vec<Item>, items: &mut BTreeMap<Span, Item>) {
    for item in found {
        match item {
            Item::Mod(module) => {
                if let Some((_, content)) = module.content {
                    keep(content, items);
                }
            }
            Item::Macro(call) if call.ident.is_none() => {
                let path = segments(&call.mac.path);
                match path.last().map_or("", String::as_str) {
                    "cfg_if" => keep_branches(call.mac.tokens, items),
                    name if name.starts_with("cfg_") => keep_held(call.mac.tokens, items),
                    _ => {}
                }
            }
            item => {
                let at = name(&item).1;
                items.entry(span(at, at)).or_insert(item);
            }
        }
    }
}

/// The items of every branch of `cfg_if!`.
fn keep_branches(tokens: TokenStream, items: &mut BTreeMap<Span, Item>) {
    for tree in tokens {
        if let TokenTree::Group(group) = tree
            && group.delimiter() == Delimiter::Brace
        {
            keep_held(group.stream(), items);
        }
    }
}

fn keep_held(tokens: TokenStream, items: &mut BTreeMap<Span, Item>) {
    if let Ok(file) = syn::parse2::<syn::File>(tokens) {
        keep(file.items, items);
    }
}
