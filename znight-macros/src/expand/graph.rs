//! `graph!()` and `library!()`: the marker of the crate, and what the build pass wrote for its root.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use znight_contract::{ErrorCode, RELEASE_LINE};
use znight_syntax::{
    expand::{Host, is_current, report},
    record,
};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    Graph,
    Library,
}

impl Root {
    fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph!()",
            Self::Library => "library!()",
        }
    }
}

/// Expands `graph!()`.
pub(crate) fn graph(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(&Host::current(), Root::Graph, &TokenStream::from(input)).into()
}

/// Expands `library!()`.
pub(crate) fn library(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(&Host::current(), Root::Library, &TokenStream::from(input)).into()
}

fn expand(host: &Host, root: Root, input: &TokenStream) -> TokenStream {
    let name = root.name();
    if !input.is_empty() {
        let (first, last) = znight_syntax::problem::ends(input);
        let message = format!("ZNIGHT005: `{name}` takes no arguments");
        return with_stand_in(root, "::znight", &report::error(&message, first, last));
    }
    let Some((_, target)) = host.target() else {
        let message = if host.has_build_pass() {
            host.rerun();
            format!(
                "ZNIGHT005: the build has not seen this `{name}` yet\n  = hint: it stands at the root of the library, or of the binary in a package without one. If it is new there, build again"
            )
        } else {
            format!(
                "ZNIGHT005: the build script is missing, or does not call `znight_build::compile()`\n  = hint: add a file build.rs beside Cargo.toml:\n\n          fn main() {{\n              znight_build::compile();\n          }}\n\n          and to Cargo.toml:\n\n          [build-dependencies]\n          znight-build = \"{RELEASE_LINE}\""
            )
        };
        let error = report::error(&message, Span::call_site(), Span::call_site());
        return with_stand_in(root, crate_facade(host).as_str(), &error);
    };
    if !is_current(&target) {
        let message = format!(
            "{}: the graph was built by znight-build {}, and this is znight {RELEASE_LINE}\n  = hint: give both the same version in Cargo.toml, then run `cargo update`",
            ErrorCode::VersionMismatch,
            target.release,
        );
        return with_stand_in(
            root,
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
fn with_stand_in(root: Root, facade: &str, error: &TokenStream) -> TokenStream {
    if root == Root::Library {
        return error.clone();
    }
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
    use super::{Host, Root, expand};

    #[test]
    fn a_missing_build_script_is_said_with_the_lines_to_add() {
        let text = expand(
            &Host::default(),
            Root::Graph,
            &proc_macro2::TokenStream::new(),
        )
        .to_string();
        assert!(text.contains("the build script is missing"), "{text}");
        assert!(text.contains("znight_build::compile();"), "{text}");
        assert!(text.contains("pub fn graph ()"), "{text}");
    }

    #[test]
    fn arguments_are_refused() {
        let text = expand(&Host::default(), Root::Graph, &"a".parse().expect("tokens")).to_string();
        assert!(text.contains("takes no arguments"), "{text}");
    }
}
