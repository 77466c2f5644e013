//! `graph!()`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use znight_contract::{ErrorCode, RELEASE_LINE};
use znight_syntax::record;

use crate::{
    host::{Host, is_current},
    report,
};

/// Expands `graph!()`.
pub(crate) fn graph(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = TokenStream::from(input);
    expand(&Host::current(), &input).into()
}

fn expand(host: &Host, input: &TokenStream) -> TokenStream {
    if !input.is_empty() {
        let (first, last) = znight_syntax::problem::ends(input);
        return with_stand_in(
            "::znight",
            &report::error("ZNIGHT005: `graph!()` takes no arguments", first, last),
        );
    }
    let Some((_, target)) = host.target() else {
        let message = if host.has_build_pass() {
            host.rerun();
            "ZNIGHT005: the build has not seen this `graph!()` yet\n  = hint: it stands at the root of the library, or of the binary in a package without one. If it is new there, build again".to_owned()
        } else {
            format!(
                "ZNIGHT005: the build script is missing, or does not call `znight_build::compile()`\n  = hint: add a file build.rs beside Cargo.toml:\n\n          fn main() {{\n              znight_build::compile();\n          }}\n\n          and to Cargo.toml:\n\n          [build-dependencies]\n          znight-build = \"{RELEASE_LINE}\""
            )
        };
        let error = report::error(&message, Span::call_site(), Span::call_site());
        return with_stand_in(crate_facade(host).as_str(), &error);
    };
    if !is_current(&target) {
        let message = format!(
            "{}: the graph was built by znight-build {}, and this is znight {RELEASE_LINE}\n  = hint: give both the same version in Cargo.toml, then run `cargo update`",
            ErrorCode::VersionMismatch,
            target.release,
        );
        return with_stand_in(
            &target.facade,
            &report::error(&message, Span::call_site(), Span::call_site()),
        );
    }
    let problems: TokenStream = target
        .problems
        .iter()
        .map(|message| report::error(message, Span::call_site(), Span::call_site()))
        .collect();
    let file = format!(
        "/{}/{}/{}",
        record::DIRECTORY,
        record::target_directory(target.binary.as_deref()),
        record::GRAPH_FILE
    );
    quote! {
        #[doc(hidden)]
        #[derive(Debug)]
        pub struct __Znight;
        #problems
        ::core::include!(::core::concat!(::core::env!("OUT_DIR"), #file));
    }
}

fn crate_facade(host: &Host) -> String {
    host.place(None).facade().to_owned()
}

/// An error, with a `graph()` for the rest of the crate to call.
fn with_stand_in(facade: &str, error: &TokenStream) -> TokenStream {
    let facade: TokenStream = facade.parse().unwrap_or_else(|_| quote!(::znight));
    quote! {
        #error
        /// Stands in for the graph until the error is mended.
        pub fn graph() -> #facade::Graph {
            #facade::Graph::empty()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Host, expand};

    #[test]
    fn a_missing_build_script_is_said_with_the_lines_to_add() {
        let text = expand(&Host::default(), &proc_macro2::TokenStream::new()).to_string();
        assert!(text.contains("the build script is missing"), "{text}");
        assert!(text.contains("znight_build::compile();"), "{text}");
        assert!(text.contains("pub fn graph ()"), "{text}");
    }

    #[test]
    fn arguments_are_refused() {
        let text = expand(&Host::default(), &"a".parse().expect("tokens")).to_string();
        assert!(text.contains("takes no arguments"), "{text}");
    }
}
