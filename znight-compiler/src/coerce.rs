//! The trait objects each provider is handed out as, and how its module can write them.

use znight_contract::ErrorCode;

use crate::{
    analyse::Application,
    bind::Bindings,
    model::{Binding, Origin, Provider, Sink},
    resolve::{Found, ModuleId, TraitRef, Ty},
    shared::{self, Libraries},
};

/// A trait object: the trait and the auto traits spelled beside it.
pub type Object = (TraitRef, Vec<String>);

/// The trait objects of each provider of one world, in a fixed order, and how each is written.
#[derive(Debug, Default)]
pub struct Coercions {
    /// Those that are made beside the provider.
    pub glue: Vec<Vec<(Object, String)>>,
    /// Those that the graph adds to a provider of another crate, which could not know of them.
    pub graph: Vec<Vec<(Object, String)>>,
}

impl Coercions {
    /// Every trait object of a provider.
    pub fn of(&self, provider: usize) -> impl Iterator<Item = &Object> {
        let glue = self.glue[provider].iter();
        glue.chain(&self.graph[provider]).map(|(object, _)| object)
    }
}

/// For each provider of one world, the trait objects it is handed out as.
pub(crate) fn coercions(
    app: &Application<'_>,
    bindings: &Bindings,
    libraries: &Libraries,
    sink: &mut Sink,
) -> Coercions {
    let mut found = Coercions {
        glue: vec![Vec::new(); app.providers.len()],
        graph: vec![Vec::new(); app.providers.len()],
    };
    for (index, provider) in app.providers.iter().enumerate() {
        if app.is_shared(provider) {
            found.glue[index] = shared::known(app, provider, libraries);
        } else {
            for (ty, _) in &provider.declared {
                if let Ty::Dyn(object, auto) = ty {
                    add(app, &mut found.glue, index, (**object).clone(), &[]);
                    add(app, &mut found.glue, index, (**object).clone(), auto);
                }
            }
        }
    }
    for (consumer, provider) in app.providers.iter().enumerate() {
        for (injection, binding) in provider
            .injections
            .iter()
            .zip(&bindings.injections[consumer])
        {
            let Some(Ty::Dyn(object, auto)) = injection.want.target() else {
                continue;
            };
            let targets: &[usize] = match binding {
                Binding::Provider(target) => std::slice::from_ref(target),
                Binding::Many(targets) => targets,
                _ => &[],
            };
            for target in targets {
                // What is provided as this very object needs no coercion.
                if matches!(&app.providers[*target].ty, Ty::Dyn(own, own_auto) if own == object && own_auto == auto)
                {
                    continue;
                }
                if let Err(hint) = hand_out(app, &mut found, *target, object, auto) {
                    let provider = &app.providers[*target];
                    sink.error(
                        ErrorCode::InvalidAttribute,
                        injection.at,
                        format!(
                            "{} cannot be handed out as `dyn {}`",
                            provider.display,
                            object.display(app.program())
                        ),
                        hint,
                    );
                }
            }
        }
    }
    let program = app.program();
    for (index, list) in found.glue.iter_mut().enumerate() {
        // What others have written is in order.
        if !app.is_shared(&app.providers[index]) {
            list.sort_by_cached_key(|((object, auto), _)| (object.token(program), auto.clone()));
        }
    }
    for list in &mut found.graph {
        list.sort_by_cached_key(|((object, auto), _)| (object.token(program), auto.clone()));
    }
    found
}

/// Sees to it that a provider is handed out as a trait object; the ways out where it cannot be written.
fn hand_out(
    app: &Application<'_>,
    found: &mut Coercions,
    target: usize,
    object: &TraitRef,
    auto: &[String],
) -> Result<(), Vec<String>> {
    let provider = &app.providers[target];
    if app.program().modules[provider.module].krate == 0 {
        if app.is_shared(provider) {
            // Its own build decides by what it is, not by who asks.
            return Ok(());
        }
        let plain = add(app, &mut found.glue, target, object.clone(), &[]);
        if plain && add(app, &mut found.glue, target, object.clone(), auto) {
            return Ok(());
        }
        return Err(vec![format!(
            "its module cannot name the trait: import it there, or declare `#[injectable(as(dyn ..))]` ({})",
            app.show(provider.at)
        )]);
    }
    for auto in [&[], auto] {
        let known = |list: &[(Object, String)]| {
            list.iter()
                .any(|((made, with), _)| made == object && with == auto)
        };
        if known(&found.glue[target]) || known(&found.graph[target]) {
            continue;
        }
        let key = (object.clone(), auto.to_vec());
        let text = type_text(app, &provider.ty, 0)
            .and_then(|_| type_text(app, &Ty::Dyn(Box::new(object.clone()), auto.to_vec()), 0));
        let Some(text) = text else {
            return Err(out_of_reach(app, provider, object));
        };
        found.graph[target].push((key, text));
    }
    Ok(())
}

/// The ways out where the provider is of a library and the trait of another crate: neither build can name
/// both.
fn out_of_reach(app: &Application<'_>, provider: &Provider, object: &TraitRef) -> Vec<String> {
    let program = app.program();
    let library = &program.crate_of(provider.module).name;
    let name = object.display(program);
    let own_trait =
        matches!(object.path, Found::Item(item) if program.is_own(program.items[item].file));
    let unnamed = type_text(app, &provider.ty, 0).is_none();
    if own_trait && unnamed {
        return vec![format!(
            "the graph stands in this crate, which cannot name {}: make it public in {library}, or add the crates it is made of to `[dependencies]`",
            provider.ty.display(program)
        )];
    }
    if let Found::Item(item) = object.path
        && program.is_own(program.items[item].file)
    {
        return vec![format!(
            "the graph stands at the root of this crate, and cannot name {name} from there: make it `pub(crate)`, and the modules around it ({})",
            program.place(item)
        )];
    }
    let attribute = match provider.origin {
        Origin::Method(..) => "provides",
        Origin::Injectable(_) | Origin::Host(_) => "injectable",
    };
    let declare = format!(
        "declare it in the library {library}, which can name both: `#[{attribute}(as(dyn {name}))]` ({})",
        app.show(provider.at)
    );
    let hidden = if unnamed {
        provider.ty.display(program)
    } else {
        name
    };
    vec![
        declare,
        format!("or make {hidden} public: this crate cannot name it, so it cannot do so either"),
    ]
}

/// Adds a coercion once; whether the provider's module can write it.
fn add(
    app: &Application<'_>,
    found: &mut [Vec<(Object, String)>],
    provider: usize,
    object: TraitRef,
    auto: &[String],
) -> bool {
    let key = (object, auto.to_vec());
    if found[provider].iter().any(|(known, _)| *known == key) {
        return true;
    }
    let Some(text) = spelling(app, &app.providers[provider], &key) else {
        return false;
    };
    found[provider].push((key, text));
    true
}

/// How a trait object is written in the module of a provider.
pub(crate) fn spelling(
    app: &Application<'_>,
    provider: &Provider,
    (object, auto): &Object,
) -> Option<String> {
    let mut text = trait_spelling(app, provider, object)?;
    for path in auto {
        text.push_str(" + ::");
        text.push_str(path);
    }
    Some(text)
}

fn trait_spelling(app: &Application<'_>, provider: &Provider, object: &TraitRef) -> Option<String> {
    let declared = provider
        .declared
        .iter()
        .find(|(ty, _)| matches!(ty, Ty::Dyn(declared, _) if **declared == *object));
    if let Some((_, written)) = declared {
        return Some(written.clone());
    }
    if let Some(found) = app.traits.implementation(&provider.ty, object)
        && found.module == provider.module
        && found.implemented == *object
    {
        let written = app.traits.written(found);
        if !written.contains("Self") {
            return Some(format!("dyn {written}"));
        }
    }
    let path = trait_path(app, object, provider.module)?;
    let mut args = Vec::new();
    for ty in &object.args {
        args.push(type_text(app, ty, provider.module)?);
    }
    for (name, ty) in &object.bindings {
        args.push(format!("{name} = {}", type_text(app, ty, provider.module)?));
    }
    Some(if args.is_empty() {
        format!("dyn {path}")
    } else {
        format!("dyn {path}<{}>", args.join(", "))
    })
}

fn trait_path(app: &Application<'_>, object: &TraitRef, from: ModuleId) -> Option<String> {
    match &object.path {
        Found::Item(item) => {
            let name = app.program().item_name(*item);
            if app.resolver.path(from, &[name], false) == object.path {
                return Some(name.to_owned());
            }
            app.resolver.nameable(*item, from)
        }
        Found::Foreign(path) => foreign_path(app, path, from),
        _ => None,
    }
}

/// How something of another crate is written in a module, as far as its crate knows that other crate.
fn foreign_path(app: &Application<'_>, path: &str, from: ModuleId) -> Option<String> {
    let path = app.resolver.foreign_path(from, path)?;
    Some(match path.strip_prefix("znight::") {
        Some(rest) => format!("::{}::{rest}", app.resolver.facade()),
        None => format!("::{path}"),
    })
}

pub(crate) fn type_text(app: &Application<'_>, ty: &Ty, from: ModuleId) -> Option<String> {
    let list = |types: &[Ty]| -> Option<String> {
        let texts: Option<Vec<String>> = types.iter().map(|ty| type_text(app, ty, from)).collect();
        Some(texts?.join(", "))
    };
    let with_args = |name: String, args: &[Ty]| -> Option<String> {
        Some(if args.is_empty() {
            name
        } else {
            format!("{name}<{}>", list(args)?)
        })
    };
    match ty {
        Ty::Local(item, args) => {
            let name = app.program().item_name(*item);
            let known = app.resolver.path(from, &[name], false) == Found::Item(*item);
            let path = if known {
                Some(name.to_owned())
            } else {
                app.resolver.nameable(*item, from)
            };
            with_args(path?, args)
        }
        Ty::Foreign(path, args) => with_args(foreign_path(app, path, from)?, args),
        Ty::Primitive(name) => Some((*name).to_owned()),
        Ty::Tuple(parts) => Some(match &parts[..] {
            [only] => format!("({},)", type_text(app, only, from)?),
            parts => format!("({})", list(parts)?),
        }),
        Ty::Slice(inner, None) => Some(format!("[{}]", type_text(app, inner, from)?)),
        Ty::Slice(inner, Some(length)) => {
            Some(format!("[{}; {length}]", type_text(app, inner, from)?))
        }
        Ty::Dyn(object, auto) => {
            let mut text = format!("dyn {}", trait_path(app, object, from)?);
            if !object.args.is_empty() {
                text = format!("{text}<{}>", list(&object.args)?);
            }
            for path in auto {
                text = format!("{text} + ::{path}");
            }
            Some(text)
        }
        Ty::Function(inputs, output) => Some(format!(
            "fn({}) -> {}",
            list(inputs)?,
            type_text(app, output, from)?
        )),
        // More than a literal needs braces, and a literal in braces is a lint.
        Ty::Const(value) => Some(if value.contains(' ') {
            format!("{{ {value} }}")
        } else {
            value.clone()
        }),
        Ty::Pointer(..) | Ty::Param(_) | Ty::Opaque(_) | Ty::Missing(_) => None,
    }
}
