//! The trait objects each provider is handed out as, and how its module can write them.

use znight_contract::ErrorCode;

use crate::{
    analyse::Application,
    bind::Bindings,
    model::{Binding, Provider, Sink},
    resolve::{Found, ModuleId, TraitRef, Ty},
};

/// A trait object: the trait and the auto traits spelled beside it.
pub type Object = (TraitRef, Vec<String>);

/// For each provider of one world, the trait objects it is handed out as, in a fixed order.
pub fn coercions(
    app: &Application<'_>,
    bindings: &Bindings,
    sink: &mut Sink,
) -> Vec<Vec<(Object, String)>> {
    let mut found: Vec<Vec<(Object, String)>> = vec![Vec::new(); app.providers.len()];
    for (index, provider) in app.providers.iter().enumerate() {
        for (ty, _) in &provider.declared {
            if let Ty::Dyn(object, _) = ty {
                add(app, &mut found, index, (**object).clone(), &[]);
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
                let plain = add(app, &mut found, *target, (**object).clone(), &[]);
                if !(plain && add(app, &mut found, *target, (**object).clone(), auto)) {
                    let provider = &app.providers[*target];
                    sink.error(
                        ErrorCode::InvalidAttribute,
                        injection.at,
                        format!("{} cannot be handed out as `dyn {}`", provider.display, object.display(app.program())),
                        vec![format!(
                            "its module cannot name the trait: import it there, or declare `#[injectable(as(dyn ..))]` ({})",
                            app.show(provider.at)
                        )],
                    );
                }
            }
        }
    }
    for coercions in &mut found {
        coercions.sort();
    }
    found
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
    let Some(mut text) = spelling(app, &app.providers[provider], &key.0) else {
        return false;
    };
    for path in auto {
        text.push_str(" + ::");
        text.push_str(path);
    }
    found[provider].push((key, text));
    true
}

/// How a trait object is written in the module of a provider.
fn spelling(app: &Application<'_>, provider: &Provider, object: &TraitRef) -> Option<String> {
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
            app.program().visible_path(*item, from)
        }
        Found::Foreign(path) => Some(foreign_path(app, path)),
        _ => None,
    }
}

fn foreign_path(app: &Application<'_>, path: &str) -> String {
    match path.strip_prefix("znight::") {
        Some(rest) => format!("::{}::{rest}", app.resolver.facade()),
        None => format!("::{path}"),
    }
}

fn type_text(app: &Application<'_>, ty: &Ty, from: ModuleId) -> Option<String> {
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
                app.program().visible_path(*item, from)
            };
            with_args(path?, args)
        }
        Ty::Foreign(path, args) => with_args(foreign_path(app, path), args),
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
        Ty::Pointer(..) | Ty::Param(_) | Ty::Opaque(_) | Ty::Missing(_) => None,
    }
}
