//! Parts of items as data, for the compiler's own attributes and those of extensions.

use syn::{Attribute, Expr, Meta};
use znight_syntax::{
    Problems,
    attr::{Argument, Values},
    check::QUALIFIER,
};

use super::marked::Places;
pub(crate) use super::written::{path, text, ty, value};
use crate::{cfg::Condition, facts::ArgumentFact};

/// An argument that is evaluated later.
pub(crate) fn argument(written: &Expr, places: &Places) -> ArgumentFact {
    // A rule that everything keeps: only its key is wanted.
    let key = Argument::read(written, &QUALIFIER, &Values::new(), &mut Problems::new())
        .and_then(|argument| argument.key());
    ArgumentFact {
        value: value(written),
        key,
        place: places.of(written),
    }
}

/// The conditions of `#[cfg(..)]` attributes.
pub(crate) fn conditions(attributes: &[Attribute]) -> Vec<Condition> {
    attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::List(list) if list.path.is_ident("cfg") => {
                Some(Condition::read(list.tokens.clone()))
            }
            _ => None,
        })
        .collect()
}
