//! The glue of items outside analysed targets: tests, examples, benches, doctests, further binaries.
//!
//! There the item stands for itself: `.provide::<Fake>()` and `.controller::<Probe>()` take it. What is
//! wrong with it alone is reported as in an application.

use proc_macro2::TokenStream;
use znight_syntax::{
    Problems,
    item::{Controller, Factory, Provider},
    symbol::Outer,
};

use crate::{
    expand::{Target, block, print},
    report,
};

/// The glue of an item, or what is wrong with it.
pub(crate) fn glue(
    outer: Outer,
    facade: &TokenStream,
    args: TokenStream,
    item: TokenStream,
) -> TokenStream {
    let mut problems = Problems::new();
    match outer {
        Outer::Injectable => drop(Provider::read(args.clone(), item.clone(), &mut problems)),
        Outer::Factory => drop(Factory::read(&args, item.clone(), &mut problems)),
        Outer::Controller => drop(Controller::read(&args, item.clone(), &mut problems)),
    }
    if !problems.is_empty() {
        return report::problems(&problems.into_vec());
    }
    block(
        facade,
        &TokenStream::new(),
        &print(outer, &Target::Type, args, item),
    )
}
