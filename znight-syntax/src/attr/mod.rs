//! The arguments of one attribute.

mod options;
mod provider;
mod route;

pub use options::{Opt, OptValue, options};
pub use provider::{Declared, ProviderArgs, ProvidesArgs, injectable_args, provides_args};
pub use route::{ControllerArgs, Verb, controller_args, path_literal};

use syn::{Expr, Lit, LitStr};

use crate::Problems;

/// The string an argument must be; anything else is reported.
///
/// Names, scopes and paths must be readable without compiling, so only literals will do.
pub fn string(value: &Expr, what: &str, problems: &mut Problems) -> Option<LitStr> {
    if let Expr::Lit(literal) = value
        && let Lit::Str(text) = &literal.lit
    {
        return Some(text.clone());
    }
    problems
        .misuse(value, format!("{what} must be a string literal"))
        .hint("it is read from the source before anything is compiled");
    None
}
