//! `#[mockable]`: a trait with a mock that test beds find.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::{
    Attribute, GenericParam, ItemTrait, ItemType, TraitItem,
    ext::IdentExt as _,
    parse::{ParseStream, Parser as _},
};
use znight_contract::ErrorCode;
use znight_syntax::{
    Problems,
    expand::{Host, Place, block, is_current, report},
    record::{Exist, Mocks},
};

/// The release of mockall that messages name.
const MOCKALL: &str = "0.15";

/// Expands the attribute.
pub(crate) fn mockable(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let file = item
        .clone()
        .into_iter()
        .next()
        .and_then(|tree| tree.span().local_file());
    let place = Host::current().place(file.as_deref());
    expand(&place, &args.into(), &item.into()).into()
}

/// The same without rustc, for tests.
pub(super) fn expand(place: &Place, args: &TokenStream, item: &TokenStream) -> TokenStream {
    if let Place::Analysed(target, _) | Place::Unplaced(target, _) = place
        && !is_current(target)
    {
        // `graph!()` says what is wrong.
        return item.clone();
    }
    let mut problems = Problems::new();
    let types = associated(args, &mut problems);
    let Some(read) = read(item, &types, &mut problems) else {
        let problems = report::problems(&problems.into_vec());
        return quote!(#item #problems);
    };
    let mocks = place.mocks();
    let (cfg, automock) = match mocks.exist {
        Exist::Everywhere => (TokenStream::new(), quote!(#[::mockall::automock])),
        Exist::Tests => (
            quote!(#[cfg(test)]),
            quote!(#[cfg_attr(test, ::mockall::automock)]),
        ),
    };
    if !mocks.mockall {
        let error = report::error(
            &without_mockall(mocks),
            Span::call_site(),
            Span::call_site(),
        );
        return quote!(#item #cfg #error);
    }
    let automock = match (args.is_empty(), mocks.exist) {
        (true, _) => automock,
        (false, Exist::Everywhere) => quote!(#[::mockall::automock(#args)]),
        (false, Exist::Tests) => quote!(#[cfg_attr(test, ::mockall::automock(#args))]),
    };
    let facade: TokenStream = place.facade().parse().unwrap_or_else(|_| quote!(::znight));
    let glue = block(&facade, &cfg, &implementation(&read, &types));
    quote!(#automock #item #glue)
}

/// Reads the associated types that are given.
fn associated(args: &TokenStream, problems: &mut Problems) -> Vec<ItemType> {
    let list = |input: ParseStream<'_>| {
        let mut types = Vec::new();
        while !input.is_empty() {
            types.push(input.parse::<ItemType>()?);
        }
        Ok(types)
    };
    if let Ok(types) = list.parse2(args.clone()) {
        return types;
    }
    problems.misuse(
        args,
        "`#[mockable]` takes nothing but the associated types of the trait: `#[mockable(type Key = u64;)]`",
    );
    Vec::new()
}

/// The trait, unless something is wrong with it.
fn read(item: &TokenStream, types: &[ItemType], problems: &mut Problems) -> Option<ItemTrait> {
    let Ok(read) = syn::parse2::<ItemTrait>(item.clone()) else {
        problems
            .misuse(item, "`#[mockable]` stands on a trait")
            .hint("a test gives a value of a concrete type as it is: `TestBed::of::<..>(..).provide_value(..)`");
        return None;
    };
    if read.items.iter().any(is_boxed_by_async_trait) {
        problems
            .misuse(
                &read.ident,
                "`#[mockable]` stands above `#[async_trait]`, which has rewritten the methods already",
            )
            .hint(format!(
                "change the order: `#[mockable] #[async_trait] trait {}`",
                read.ident
            ));
    }
    for method in read.items.iter().filter_map(|item| match item {
        TraitItem::Fn(method) => Some(&method.sig),
        _ => None,
    }) {
        if let Some(keyword) = &method.asyncness
            && read.attrs.iter().all(is_inert)
        {
            problems
                .misuse(
                    keyword,
                    "a trait with `async fn` cannot be injected as `dyn Trait`, and a bed mocks what is injected",
                )
                .hint(format!(
                    "write `#[async_trait]` below `#[mockable]`: `#[mockable] #[async_trait] trait {}`",
                    read.ident
                ));
            break;
        }
    }
    for item in &read.items {
        if let TraitItem::Type(declared) = item
            && !types.iter().any(|given| given.ident == declared.ident)
        {
            let name = &declared.ident;
            problems
                .misuse(name, format!("the mock has to know what `{name}` is"))
                .hint(format!(
                    "say it, as it is injected: `#[mockable(type {name} = ..;)]`"
                ));
        }
    }
    problems.is_empty().then_some(read)
}

/// Whether a method has the marks of what `#[async_trait]` makes of an `async fn`.
fn is_boxed_by_async_trait(item: &TraitItem) -> bool {
    let TraitItem::Fn(method) = item else {
        return false;
    };
    method.sig.generics.params.iter().any(|param| {
        matches!(param, GenericParam::Lifetime(lifetime) if lifetime.lifetime.ident == "async_trait")
    })
}

/// Whether an attribute leaves the trait as it is; any other may be one that makes methods of `async fn`.
fn is_inert(attribute: &Attribute) -> bool {
    let inert = [
        "allow",
        "cfg",
        "deny",
        "deprecated",
        "doc",
        "expect",
        "forbid",
        "must_use",
        "warn",
    ];
    let first = attribute.path().segments.first();
    first.is_some_and(|first| {
        inert.iter().any(|name| first.ident == name)
            || first.ident == "diagnostic"
            || first.ident == "clippy"
    })
}

fn without_mockall(mocks: Mocks) -> String {
    let lines = match mocks.exist {
        Exist::Tests => format!("[dev-dependencies]\n          mockall = \"{MOCKALL}\""),
        Exist::Everywhere => format!(
            "[features]\n          testing = [\"dep:mockall\"]\n\n          \
             [dependencies]\n          mockall = {{ version = \"{MOCKALL}\", optional = true }}"
        ),
    };
    let why = match mocks.exist {
        Exist::Tests => "the mock of a `#[mockable]` trait is written by mockall, which is missing",
        Exist::Everywhere => {
            "with the feature `testing` on, the mock of a `#[mockable]` trait needs mockall outside of unit tests too"
        }
    };
    format!(
        "{}: {why}\n  = hint: add to Cargo.toml:\n\n          {lines}",
        ErrorCode::InvalidAttribute
    )
}

/// The implementation by which beds find the mock.
fn implementation(item: &ItemTrait, types: &[ItemType]) -> TokenStream {
    let (name, mock) = (&item.ident, mock_name(&item.ident));
    let mut arguments = Vec::new();
    let mut params = Vec::new();
    let mut bounds = Vec::new();
    for param in &item.generics.params {
        match param {
            // A trait object that is shared borrows from nothing.
            GenericParam::Lifetime(_) => arguments.push(quote!('static)),
            GenericParam::Type(param) => {
                let (ident, written) = (&param.ident, &param.bounds);
                arguments.push(ident.to_token_stream());
                params.push(quote!(#ident: #written));
                bounds.push(quote!(#ident: 'static,));
            }
            GenericParam::Const(param) => {
                let (ident, ty) = (&param.ident, &param.ty);
                arguments.push(ident.to_token_stream());
                params.push(quote!(const #ident: #ty));
            }
        }
    }
    let of_mock = arguments.clone();
    arguments.extend(types.iter().map(|given| {
        let (ident, ty) = (&given.ident, &given.ty);
        quote!(#ident = #ty)
    }));
    let at = name.span().resolved_at(Span::call_site());
    let object = if arguments.is_empty() {
        quote_spanned!(at=> #name)
    } else {
        quote_spanned!(at=> #name<#(#arguments),*>)
    };
    let mock = if of_mock.is_empty() {
        quote_spanned!(at=> #mock)
    } else {
        quote_spanned!(at=> #mock<#(#of_mock),*>)
    };
    if !params.is_empty() {
        if let Some(clause) = &item.generics.where_clause {
            let written = clause.predicates.iter();
            bounds.extend(written.map(|predicate| quote!(#predicate,)));
        }
        // What mockall asks of the parameters is its own affair: where it has no mock, there is none.
        bounds.push(quote! {
            #mock: #name<#(#arguments),*> + ::core::default::Default
                + ::core::marker::Send + ::core::marker::Sync,
        });
    }
    // To rustc these are two types, and either may be injected.
    let spellings = [
        quote_spanned!(at=> dyn #object),
        quote_spanned!(at=> dyn #object + ::core::marker::Send + ::core::marker::Sync),
    ];
    let implementations = spellings.iter().map(|spelling| {
        quote_spanned! {at=>
            impl<#(#params),*> __z::Mockable for #spelling where #(#bounds)* {
                type Mock = #mock;

                fn share(mock: #mock) -> ::std::sync::Arc<Self> {
                    ::std::sync::Arc::new(mock)
                }
            }
        }
    });
    implementations.collect()
}

/// The name mockall gives to the mock.
fn mock_name(name: &Ident) -> Ident {
    format_ident!("Mock{}", name.unraw(), span = name.span())
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use znight_contract::RELEASE_LINE;
    use znight_syntax::{
        expand::Place,
        record::{Exist, Mocks, Target},
    };

    use super::expand;

    fn in_package(mocks: Mocks, args: &str, item: &str) -> String {
        let target = Target {
            release: RELEASE_LINE.to_owned(),
            facade: "::zn".to_owned(),
            mocks,
            ..Target::default()
        };
        let tokens = |text: &str| -> TokenStream { text.parse().expect("tokens") };
        expand(
            &Place::Analysed(target, Vec::new()),
            &tokens(args),
            &tokens(item),
        )
        .to_string()
    }

    fn expanded(args: &str, item: &str) -> String {
        in_package(Mocks::default(), args, item)
    }

    #[test]
    fn a_mock_exists_in_unit_tests_only() {
        let text = expanded(
            "",
            "#[async_trait] pub trait Users: Send + Sync { async fn n(&self); }",
        );
        assert!(
            text.starts_with(
                "# [cfg_attr (test , :: mockall :: automock)] # [async_trait] pub trait Users"
            ),
            "{text}"
        );
        assert!(
            text.contains("# [cfg (test)] const _ : () = { use :: zn :: __private as __z ; impl < > __z :: Mockable for dyn Users where"),
            "{text}"
        );
        assert!(text.contains("type Mock = MockUsers ;"), "{text}");
        assert!(
            text.contains(
                "for dyn Users + :: core :: marker :: Send + :: core :: marker :: Sync where"
            ),
            "{text}"
        );
    }

    #[test]
    fn with_the_feature_a_mock_exists_everywhere() {
        let mocks = Mocks {
            exist: Exist::Everywhere,
            ..Mocks::default()
        };
        let text = in_package(mocks, "", "trait Users {}");
        assert!(
            text.starts_with("# [:: mockall :: automock] trait Users { } const _"),
            "{text}"
        );
        assert!(!text.contains("cfg"), "{text}");
    }

    #[test]
    fn parameters_and_associated_types_are_those_of_the_trait_object() {
        let text = expanded(
            "type Key = u64;",
            "trait Store<'a, T: Clone = User, const N: usize>: Send where T: Send { type Key; }",
        );
        for expected in [
            "# [cfg_attr (test , :: mockall :: automock (type Key = u64 ;))]",
            "impl < T : Clone , const N : usize > __z :: Mockable for dyn Store < 'static , T , N , Key = u64 >",
            "where T : 'static , T : Send ,",
            "type Mock = MockStore < 'static , T , N > ;",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn mistakes_are_said_and_the_item_stays() {
        for (args, item, expected) in [
            ("", "struct Users ;", "`#[mockable]` stands on a trait"),
            (
                "",
                "trait Users { fn n < 'async_trait > (& self) ; }",
                "`#[mockable]` stands above `#[async_trait]`",
            ),
            (
                "",
                "# [doc = \"Users.\"] trait Users { async fn n (& self) ; }",
                "a trait with `async fn` cannot be injected",
            ),
            (
                "",
                "trait Users { type Key ; }",
                "the mock has to know what `Key` is",
            ),
            (
                "name = 3",
                "trait Users { }",
                "takes nothing but the associated types",
            ),
        ] {
            let text = expanded(args, item);
            assert!(text.starts_with(item), "{text}");
            assert!(
                text.contains("compile_error") && text.contains(expected),
                "{text}"
            );
            assert!(!text.contains("automock"), "{text}");
        }
    }

    #[test]
    fn an_attribute_of_another_crate_may_deal_with_async_methods() {
        let text = expanded(
            "",
            "#[trait_variant::make] trait Users { async fn n(&self); }",
        );
        assert!(!text.contains("compile_error"), "{text}");
    }

    #[test]
    fn without_mockall_the_lines_to_add_are_said_where_the_mock_would_exist() {
        let mocks = Mocks {
            mockall: false,
            ..Mocks::default()
        };
        let text = in_package(mocks, "", "trait Users {}");
        assert!(
            text.contains("# [cfg (test)] :: core :: compile_error"),
            "{text}"
        );
        assert!(text.contains("[dev-dependencies]"), "{text}");
        let everywhere = Mocks {
            exist: Exist::Everywhere,
            ..mocks
        };
        let text = in_package(everywhere, "", "trait Users {}");
        assert!(text.contains("testing = [\\\"dep:mockall\\\"]"), "{text}");
        assert!(!text.contains("cfg (test)"), "{text}");
    }
}
