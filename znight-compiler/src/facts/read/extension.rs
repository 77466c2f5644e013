//! Items under the attributes of extensions: what the compiler checks for every one of them.

use syn::{Expr, Item, Token, parse::Parser as _, punctuated::Punctuated};
use znight_contract::{ErrorCode, suggest};
use znight_syntax::Problems;

use super::{
    Names,
    marked::{Places, Source},
    reading,
};
use crate::{
    extension::{AttributeSpec, ItemSource, Target, attempt},
    facts::{ArgumentFact, ExtensionFact, PathExpr, TypeExpr},
};

/// Reads an item with the extension that owns its attribute.
pub(super) fn read(
    source: &Source<'_>,
    item: &Item,
    places: &Places,
    names: &Names,
    problems: &mut Problems,
) -> Option<ExtensionFact> {
    let (number, spec) = names.spec(source.path)?;
    if !stands_rightly(spec, item, problems) {
        return None;
    }
    let arguments = arguments(source, spec, places, problems)?;
    let extension = names.extensions().get(*number);
    let read = ItemSource {
        spec,
        args: source.args,
        tokens: source.tokens,
        places,
        arguments: arguments.clone(),
    };
    let mut found = Problems::new();
    let reading = match attempt(|| extension.read(&read, &mut found)) {
        Ok(reading) => {
            problems.append(found);
            reading?
        }
        Err(message) => {
            problems
                .error(
                    ErrorCode::VersionMismatch,
                    &name_tokens(item),
                    format!(
                        "the compiler extension `{}` failed here: {message}",
                        extension.name()
                    ),
                )
                .hint("this is a mistake in the extension: please report it to its authors");
            return None;
        }
    };
    let (self_ty, self_at) = match item {
        Item::Impl(item) => (reading::ty(&item.self_ty), places.of(&item.self_ty)),
        other => {
            let name = super::name(other).0.unwrap_or_default();
            (
                TypeExpr::Path(PathExpr::of(&[&name])),
                places.of(&name_tokens(other)),
            )
        }
    };
    Some(ExtensionFact {
        self_ty,
        self_at,
        arguments,
        evaluated: reading.arguments,
        types: reading.types,
        data: reading.data,
    })
}

fn target(item: &Item) -> Option<Target> {
    Some(match item {
        Item::Struct(_) => Target::Struct,
        Item::Enum(_) => Target::Enum,
        Item::Impl(item) if item.trait_.is_some() => Target::TraitImpl,
        Item::Impl(_) => Target::Impl,
        Item::Trait(_) => Target::Trait,
        Item::Fn(_) => Target::Function,
        _ => return None,
    })
}

fn stands_rightly(spec: &AttributeSpec, item: &Item, problems: &mut Problems) -> bool {
    let found = target(item);
    // Without targets the extension says for itself what its attribute stands on.
    if spec.targets.is_empty() || found.is_some_and(|found| spec.targets.contains(&found)) {
        return true;
    }
    let on: Vec<String> = spec
        .targets
        .iter()
        .map(|target| target.describe().to_owned())
        .collect();
    let on = match on.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => on.concat(),
    };
    let not = found.map_or_else(String::new, |found| {
        format!(", not on {}", found.describe())
    });
    problems.misuse(
        &name_tokens(item),
        format!("`#[{}]` stands on {on}{not}", spec.name()),
    );
    false
}

/// The tokens an item is named by.
fn name_tokens(item: &Item) -> proc_macro2::TokenStream {
    match item {
        Item::Struct(item) => quote::ToTokens::to_token_stream(&item.ident),
        Item::Enum(item) => quote::ToTokens::to_token_stream(&item.ident),
        Item::Trait(item) => quote::ToTokens::to_token_stream(&item.ident),
        Item::Fn(item) => quote::ToTokens::to_token_stream(&item.sig.ident),
        Item::Impl(item) => quote::ToTokens::to_token_stream(&item.self_ty),
        _ => proc_macro2::TokenStream::new(),
    }
}

/// The arguments of an attribute that declares them; none when they cannot be read.
fn arguments(
    source: &Source<'_>,
    spec: &AttributeSpec,
    places: &Places,
    problems: &mut Problems,
) -> Option<Vec<(Option<String>, ArgumentFact)>> {
    let Some(specs) = &spec.arguments else {
        return Some(Vec::new());
    };
    let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
    let written = match parser.parse2(source.args.clone()) {
        Ok(written) => written,
        Err(error) => {
            problems.syntax(&error);
            return None;
        }
    };
    let positional: Vec<_> = specs.iter().filter(|spec| spec.name.is_none()).collect();
    let mut found: Vec<(Option<String>, ArgumentFact)> = Vec::new();
    let mut count = 0;
    for expression in &written {
        let name = match expression {
            Expr::Assign(assign) => match &*assign.left {
                Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
                _ => None,
            },
            _ => None,
        };
        match (name, expression) {
            (Some(name), Expr::Assign(assign)) => {
                let known = specs.iter().any(|spec| spec.name.as_ref() == Some(&name));
                if !known {
                    let names = specs.iter().filter_map(|spec| spec.name.as_deref());
                    let close = suggest::closest(&name, names).map(str::to_owned);
                    let problem = problems.misuse(
                        &assign.left,
                        format!("`#[{}]` has no option `{name}`", spec.name()),
                    );
                    if let Some(close) = close {
                        problem.hint(format!("did you mean `{close}`?"));
                    }
                } else if found.iter().any(|(known, _)| known.as_ref() == Some(&name)) {
                    problems.misuse(&assign.left, format!("the option `{name}` is given twice"));
                } else {
                    found.push((Some(name), reading::argument(&assign.right, places)));
                }
            }
            _ if count < positional.len() => {
                count += 1;
                found.push((None, reading::argument(expression, places)));
            }
            _ => {
                problems.misuse(
                    expression,
                    format!(
                        "`#[{}]` takes {} here",
                        spec.name(),
                        how_many(positional.len())
                    ),
                );
            }
        }
    }
    let required = positional.iter().filter(|spec| spec.required).count();
    if count < required {
        problems.misuse(
            source.args,
            format!("`#[{}]` takes {}", spec.name(), how_many(required)),
        );
        return None;
    }
    for missing in specs.iter().filter(|spec| spec.required) {
        if let Some(name) = &missing.name
            && !found.iter().any(|(known, _)| known.as_ref() == Some(name))
        {
            problems.misuse(
                source.args,
                format!("`#[{}]` needs `{name} = ..`", spec.name()),
            );
        }
    }
    Some(found)
}

fn how_many(count: usize) -> String {
    match count {
        0 => "no argument".to_owned(),
        1 => "one argument".to_owned(),
        count => format!("{count} arguments"),
    }
}
