//! The glue of libraries: written by their own build passes, for whoever will use them.
//!
//! An application sees more than a library's build: the types behind the names of other crates, further
//! impls. Yet it has to know what that build wrote, position by position. So both ask here, of the
//! library alone. Names are not followed into other crates either: Cargo cannot be asked for the
//! packages of a library that comes from a registry.

use std::collections::BTreeMap;

use crate::{
    Role,
    analyse::{self, Application},
    coerce::{self, Object},
    extension::{Extensions, decisions},
    facts::Whole,
    model::{Occurrence, Origin, Provider, Sink},
    resolve::{ItemId, Program, Resolver, Substitution, Ty, unify},
    source::Sources,
};

/// What the own build of a library writes for a provider.
#[derive(Debug)]
pub(crate) struct Written {
    /// Its token, as that build knows it.
    pub(crate) token: String,
    /// The trait objects it is handed out as, in order.
    pub(crate) made: Vec<Made>,
    /// Whether it seems to be a guard.
    pub(crate) guard: bool,
}

/// A trait object that is made beside a provider.
#[derive(Debug)]
pub(crate) struct Made {
    /// The trait object.
    pub(crate) object: Object,
    /// How it is written there.
    pub(crate) text: String,
    cause: Cause,
}

/// Why a trait object is made: what stays the same however much of the program is seen.
#[derive(Debug, Clone, Copy)]
enum Cause {
    /// The provider declares it.
    Declared(usize),
    /// An impl of its crate.
    Impl(ItemId),
}

/// The glue of every library of a program, by the origins of the providers.
pub(crate) type Libraries = BTreeMap<Origin, Written>;

/// Finds what the own builds of all libraries of a program write.
pub(crate) fn libraries(
    program: &Program,
    role: Option<Role>,
    sources: &dyn Sources,
    whole: &Whole<'_>,
    extensions: &Extensions,
    occurrences: &[Occurrence],
) -> Libraries {
    let Some(role) = role.filter(|role| *role == Role::Library || program.crates.len() > 1) else {
        return Libraries::new();
    };
    let resolver = Resolver::alone(program, role).reading(whole);
    // What is wrong with a library its own build says.
    let mut unheard = Sink::default();
    let library = Some(Role::Library);
    let app = analyse::build(
        &resolver,
        sources,
        extensions,
        occurrences,
        library,
        &mut unheard,
    );
    app.providers
        .iter()
        .map(|provider| {
            // The version tells libraries apart here, and is nothing they know of.
            let krate = program.crate_of(provider.module);
            let (label, name) = (format!("{}::", krate.label), format!("{}::", krate.name));
            let written = Written {
                token: provider.token.replace(&label, &name),
                made: made(&app, provider),
                guard: decisions::is_guard(&app, provider),
            };
            (provider.origin, written)
        })
        .collect()
}

/// The trait objects a library's build makes of a provider: who will ask for what is not known there, so
/// every trait of the crate that it could be.
pub(crate) fn made(app: &Application<'_>, provider: &Provider) -> Vec<Made> {
    let mut found: Vec<Made> = Vec::new();
    let mut add = |object: Object, cause| {
        if found.iter().any(|known| known.object == object) {
            return;
        }
        let text = coerce::spelling(app, provider, &object);
        found.extend(text.map(|text| Made {
            object,
            text,
            cause,
        }));
    };
    for (number, (ty, _)) in provider.declared.iter().enumerate() {
        if let Ty::Dyn(object, auto) = ty {
            add(((**object).clone(), Vec::new()), Cause::Declared(number));
            add(((**object).clone(), auto.clone()), Cause::Declared(number));
        }
    }
    let krate = app.program().modules[provider.module].krate;
    for (item, object) in app.traits.objects_of(&provider.ty, krate) {
        add((object, Vec::new()), Cause::Impl(item));
    }
    let program = app.program();
    found.sort_by_cached_key(|made| {
        let (object, auto) = &made.object;
        (object.token(program), auto.clone())
    });
    found
}

/// The trait objects a library's build made of a provider, as the application knows them.
pub(crate) fn known(
    app: &Application<'_>,
    provider: &Provider,
    libraries: &Libraries,
) -> Vec<(Object, String)> {
    let object = |made: &Made| -> Option<Object> {
        let (_, auto) = &made.object;
        let object = match made.cause {
            Cause::Declared(number) => match provider.declared.get(number) {
                Some((Ty::Dyn(object, _), _)) => (**object).clone(),
                _ => return None,
            },
            Cause::Impl(item) => {
                let found = app.traits.of_item(item)?;
                let mut with = Substitution::new();
                if !unify(&found.self_ty, &provider.ty, &mut with) {
                    return None;
                }
                found.implemented.substitute(&with)
            }
        };
        Some((object, auto.clone()))
    };
    let Some(written) = libraries.get(&provider.origin) else {
        // Only for the tests of a library.
        let made = made(app, provider).into_iter();
        return made.map(|made| (made.object, made.text)).collect();
    };
    written
        .made
        .iter()
        // What cannot be followed keeps its position: those behind it keep theirs.
        .map(|made| {
            let object = object(made).unwrap_or_else(|| made.object.clone());
            (object, made.text.clone())
        })
        .collect()
}
