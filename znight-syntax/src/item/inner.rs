//! Attributes inside an item.

use proc_macro2::TokenStream;
use syn::{Attribute, Meta, Receiver, ReceiverKind};

/// The name of an attribute that is a single identifier.
pub(super) fn name(attribute: &Attribute) -> Option<String> {
    attribute.path().get_ident().map(ToString::to_string)
}

/// The tokens between the parentheses of an attribute; none for `#[name]`.
pub(super) fn args(attribute: &Attribute) -> TokenStream {
    match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => {
            let value = &pair.value;
            quote::quote!(= #value)
        }
        Meta::Path(_) => TokenStream::new(),
    }
}

/// The attributes of that name.
pub(super) fn named<'a>(
    attributes: &'a [Attribute],
    wanted: &'a str,
) -> impl Iterator<Item = &'a Attribute> {
    attributes
        .iter()
        .filter(move |attribute| attribute.path().is_ident(wanted))
}

/// The `#[cfg(..)]` attributes.
pub(super) fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    named(attributes, "cfg").cloned().collect()
}

/// Whether a receiver is `&self`.
pub(super) fn is_shared(receiver: &Receiver) -> bool {
    matches!(receiver.kind, ReceiverKind::Reference(_, _, None))
}
