//! Edits of all kinds, as somebody makes them who is typing.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use proptest::prelude::*;

use crate::realistic::Texts;

/// A change to one file, or two. Numbers are taken modulo what there is.
#[derive(Debug, Clone)]
pub(crate) enum Edit {
    /// A token is deleted.
    Delete(usize, usize),
    /// A token is there twice.
    Duplicate(usize, usize),
    /// A file ends early.
    Truncate(usize, usize),
    /// Two files change places.
    Swap(usize, usize),
    /// A delimiter stands before a token.
    Insert(usize, usize, char),
    /// A file is as it was.
    Restore(usize),
    /// A line is added at the top.
    Push(usize),
}

/// Any edit.
pub(crate) fn edit() -> impl Strategy<Value = Edit> {
    let place = || (any::<usize>(), any::<usize>());
    let delimiter =
        prop::sample::select(vec!['(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '#']);
    prop_oneof![
        4 => place().prop_map(|(file, token)| Edit::Delete(file, token)),
        3 => place().prop_map(|(file, token)| Edit::Duplicate(file, token)),
        1 => place().prop_map(|(file, at)| Edit::Truncate(file, at)),
        1 => place().prop_map(|(a, b)| Edit::Swap(a, b)),
        2 => (place(), delimiter).prop_map(|((file, token), c)| Edit::Insert(file, token, c)),
        2 => any::<usize>().prop_map(Edit::Restore),
        1 => any::<usize>().prop_map(Edit::Push),
    ]
}

impl Edit {
    /// Makes the change.
    pub(crate) fn apply(&self, texts: &mut Texts, original: &Texts) {
        let count = texts.len();
        match *self {
            Self::Delete(file, token) => {
                let text = &mut texts[file % count].1;
                if let Some(range) = token_at(text, token) {
                    text.replace_range(range, " ");
                }
            }
            Self::Duplicate(file, token) => {
                let text = &mut texts[file % count].1;
                if let Some(range) = token_at(text, token) {
                    let again = format!(" {} ", &text[range.clone()]);
                    text.insert_str(range.end, &again);
                }
            }
            Self::Truncate(file, at) => {
                let text = &mut texts[file % count].1;
                let at = at % (text.len() + 1);
                let at = (0..=at)
                    .rev()
                    .find(|at| text.is_char_boundary(*at))
                    .unwrap_or_default();
                text.truncate(at);
            }
            Self::Swap(a, b) => {
                let first = texts[a % count].1.clone();
                let second = std::mem::replace(&mut texts[b % count].1, first);
                texts[a % count].1 = second;
            }
            Self::Insert(file, token, c) => {
                let text = &mut texts[file % count].1;
                if let Some(range) = token_at(text, token) {
                    text.insert(range.start, c);
                }
            }
            Self::Restore(file) => texts[file % count].1.clone_from(&original[file % count].1),
            Self::Push(file) => texts[file % count].1.insert_str(0, "// more\n"),
        }
    }
}

/// The place of a token; none in a text that has none, or that cannot be read.
fn token_at(text: &str, number: usize) -> Option<Range<usize>> {
    // What was read before is of no use any more, and would be looked through for each token.
    proc_macro2::extra::invalidate_current_thread_spans();
    let mut found = Vec::new();
    collect(text.parse().ok()?, &mut found);
    if found.is_empty() {
        return None;
    }
    Some(found.swap_remove(number % found.len()))
}

fn collect(tokens: TokenStream, found: &mut Vec<Range<usize>>) {
    for tree in tokens {
        if let TokenTree::Group(group) = &tree {
            found.push(group.span_open().byte_range());
            collect(group.stream(), found);
            found.push(group.span_close().byte_range());
        } else {
            found.push(tree.span().byte_range());
        }
    }
}
