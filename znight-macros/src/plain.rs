//! The glue of items outside analysed targets: tests, examples, benches, doctests, further binaries.
//!
//! There the item stands for itself: `.provide::<Fake>()` and `.controller::<Probe>()` take it. What is
//! wrong with it alone is reported as in an application.

use proc_macro2::TokenStream;
use znight_syntax::{
    Problems,
    attr::Values,
    expand::{block, report},
    item::{Controller, Factory, Provider},
    record::Mocks,
    symbol::Outer,
};

use crate::expand::{Target, print};

/// The glue of an item, or what is wrong with it.
pub(crate) fn glue(
    outer: Outer,
    facade: &TokenStream,
    mocks: Mocks,
    args: TokenStream,
    item: TokenStream,
) -> TokenStream {
    let mut problems = Problems::new();
    let (read_args, read_item) = (args.clone(), item.clone());
    let scope = match outer {
        Outer::Injectable => {
            Provider::read(read_args, read_item, &mut problems).and_then(|read| read.args.scope)
        }
        Outer::Factory => {
            drop(Factory::read(&read_args, read_item, &mut problems));
            None
        }
        Outer::Controller => Controller::read(&read_args, read_item, &Values::new(), &mut problems)
            .and_then(|read| read.scope),
    };
    if let Some(scope) = scope.filter(|scope| scope.known.is_none()) {
        problems
            .misuse(&scope, "a scope is a literal here: the build evaluates constants only in the modules below `graph!()`")
            .hint("write it out: `scope = \"request\"`");
    }
    if !problems.is_empty() {
        return report::problems(&problems.into_vec());
    }
    block(
        facade,
        &TokenStream::new(),
        &print(outer, &Target::Type(mocks), args, item),
    )
}
