//! What a field or parameter asks for.

use znight_contract::ErrorCode;
use znight_syntax::check;

use crate::{
    cfg::Condition,
    facts::{InjectionFact, PlaceFact},
    model::{At, Injection, Sink, Want},
    resolve::{Found, Resolver, Scope, Ty},
};

/// Everything needed to read the injections of one item.
pub(super) struct Reader<'a> {
    pub(super) resolver: &'a Resolver<'a>,
    pub(super) number: usize,
    pub(super) scope: Scope,
    /// Whether the item is a struct, whose fields need not be injected.
    pub(super) is_struct: bool,
}

impl Reader<'_> {
    /// The injections that exist in this world.
    pub(super) fn read(&self, injections: &[InjectionFact], sink: &mut Sink) -> Vec<Injection> {
        injections
            .iter()
            .filter(|injection| self.is_live(&injection.conditions))
            .enumerate()
            .map(|(index, injection)| self.one(index, injection, sink))
            .collect()
    }

    /// Whether something under these conditions exists in this world.
    pub(super) fn is_live(&self, conditions: &[Condition]) -> bool {
        let cfg = &self.resolver.program.crate_of(self.scope.module).cfg;
        cfg.allows(conditions, self.resolver.world)
    }

    /// A place in the item.
    pub(super) fn at(&self, place: PlaceFact) -> At {
        At {
            occurrence: self.number,
            place,
        }
    }

    fn one(&self, index: usize, injection: &InjectionFact, sink: &mut Sink) -> Injection {
        let at = self.at(injection.place);
        let ty = self.resolver.ty(&injection.ty, &self.scope);
        let qualifier = injection
            .qualifier
            .as_ref()
            .map(|name| self.argument(name, &check::QUALIFIER, sink));
        let want = match wanted(&ty, qualifier.is_some()) {
            // Under which name cannot be told.
            Ok(_) if qualifier == Some(None) => Want::Nothing,
            Ok(want) => want,
            Err(Refusal::NeedsName) => {
                self.needs_name(injection, &ty, sink);
                Want::Nothing
            }
            Err(problem) => {
                let explained = match (&problem, self.ambiguous(injection)) {
                    (Refusal::Opaque(_), Some(name)) => Some(several_meanings(&name)),
                    _ => problem.explain(&ty, &injection.ty.to_string(), self.resolver),
                };
                if let Some((message, hint)) = explained {
                    sink.error(ErrorCode::UnresolvableInjection, at, message, vec![hint]);
                }
                Want::Nothing
            }
        };
        Injection {
            want,
            qualifier: qualifier.flatten(),
            label: injection.label.clone().unwrap_or_else(|| index.to_string()),
            at,
            qualifier_at: injection
                .qualifier
                .as_ref()
                .map(|named| self.at(named.place)),
        }
    }
}

impl Reader<'_> {
    /// The first path of an injection that several globs give a meaning.
    fn ambiguous(&self, injection: &InjectionFact) -> Option<String> {
        let mut found = None;
        injection.ty.each_path(&mut |path| {
            let meaning = self
                .resolver
                .path(self.scope.module, &path.names(), path.absolute);
            if meaning == Found::Ambiguous && found.is_none() {
                found = Some(path.to_string());
            }
        });
        found
    }

    /// Reports a value without a type of its own: it may have a name, or not be meant to be injected.
    fn needs_name(&self, injection: &InjectionFact, ty: &Ty, sink: &mut Sink) {
        let program = self.resolver.program;
        let label = injection.label.as_deref().unwrap_or("value");
        let provided = factory_of(
            &format!("(name = \"{label}\", clone)"),
            label,
            &ty.display(program),
        );
        let mut hints = vec![format!(
            "name it, `#[inject(\"{label}\")]`, and provide it from a factory: {provided}"
        )];
        if self.is_struct {
            hints.push(
                "or do not inject it: `#[init]` for its default, `#[init(..)]` for another value"
                    .to_owned(),
            );
        }
        sink.error(
            ErrorCode::UnresolvableInjection,
            self.at(injection.place),
            format!(
                "a value of type `{}` is injected by name, not by type",
                injection.ty
            ),
            hints,
        );
    }
}

/// That several globs bring a name.
fn several_meanings(name: &str) -> (String, String) {
    (
        format!("`{name}` has more than one meaning here"),
        format!(
            "more than one `use ..::*` brings it: import the one that is meant by its name, or write its whole path instead of `{name}`"
        ),
    )
}

/// A factory with one method, to be pasted.
pub(crate) fn factory_of(options: &str, name: &str, ty: &str) -> String {
    let name = if name.starts_with(|c: char| c.is_ascii_digit()) {
        "value"
    } else {
        name
    };
    format!(
        "`struct Factory; #[factory] impl Factory {{ #[provides{options}] fn {name}() -> {ty} {{ todo!() }} }}`"
    )
}

const ARC: &str = "std::sync::Arc";
const LAZY: &str = "znight::Lazy";
const INTERCEPTORS: &str = "znight::Interceptors";

/// Why a type cannot be injected.
pub(crate) enum Refusal {
    /// `Box<T>`, `Rc<T>`, `&T`, ...: write `Arc<T>`.
    WriteArc(Ty),
    /// `Option<T>` or `Vec<T>` of something that is not an `Arc`.
    WrapsValue(&'static str, Ty),
    /// `Arc<Arc<T>>`, `Lazy<Arc<T>>`, `Arc<Lazy<T>>`: one wrapper is enough, and this is how it is written.
    WrappedTwice(&'static str, Ty),
    /// `Option<Vec<Arc<T>>>`: a list is never missing.
    EmptyList(Ty),
    /// A simple type without a name.
    NeedsName,
    /// Cannot be followed.
    Opaque(Ty),
}

/// Reads the wrapper around what is asked for.
pub(crate) fn wanted(ty: &Ty, qualified: bool) -> Result<Want, Refusal> {
    let want = match ty {
        Ty::Foreign(path, args) => match (path.as_str(), &args[..]) {
            (ARC, [inner]) => Want::One(inner.clone()),
            (LAZY, [inner]) => Want::Lazy(inner.clone()),
            (INTERCEPTORS, []) => Want::Interceptors,
            ("std::option::Option", [inner]) => match arc_or_lazy(inner) {
                Some((inner, false)) => Want::Optional(inner.clone()),
                Some((inner, true)) => Want::OptionalLazy(inner.clone()),
                None if qualified => Want::Value(ty.clone()),
                None if matches!(wanted(inner, false), Ok(Want::Many(_))) => {
                    return Err(Refusal::EmptyList(inner.clone()));
                }
                None => return Err(Refusal::WrapsValue("Option", inner.clone())),
            },
            ("std::vec::Vec", [inner]) => match arc_or_lazy(inner) {
                Some((inner, false)) => Want::Many(inner.clone()),
                _ if qualified => Want::Value(ty.clone()),
                Some((inner, true)) => {
                    return Err(Refusal::WrappedTwice("Vec<Arc", inner.clone()));
                }
                _ => return Err(Refusal::WrapsValue("Vec", inner.clone())),
            },
            (
                "std::boxed::Box" | "std::rc::Rc" | "std::cell::RefCell" | "std::cell::Cell",
                [inner],
            ) => {
                return Err(Refusal::WriteArc(inner.clone()));
            }
            ("std::string::String", []) if !qualified => return Err(Refusal::NeedsName),
            _ => Want::Value(ty.clone()),
        },
        Ty::Local(..) => Want::Value(ty.clone()),
        // A reference that lives for ever is a value like others; others cannot be provided.
        Ty::Pointer(prefix, _) if qualified && prefix == "&" => Want::Value(ty.clone()),
        Ty::Pointer(_, inner) => return Err(Refusal::WriteArc((**inner).clone())),
        Ty::Dyn(..) => return Err(Refusal::WriteArc(ty.clone())),
        Ty::Primitive(_) | Ty::Tuple(_) | Ty::Slice(..) | Ty::Function(..) if qualified => {
            Want::Value(ty.clone())
        }
        Ty::Primitive(_) | Ty::Tuple(_) | Ty::Slice(..) | Ty::Function(..) => {
            return Err(Refusal::NeedsName);
        }
        Ty::Const(_) | Ty::Param(_) | Ty::Opaque(_) | Ty::Missing(_) => {
            return Err(Refusal::Opaque(ty.clone()));
        }
    };
    // What `Arc` and `Lazy` hold is provided as what they hold.
    if !matches!(want, Want::Value(_))
        && let Some((inner, is_lazy)) = want.target().and_then(arc_or_lazy)
    {
        let lazy = is_lazy || matches!(want, Want::Lazy(_) | Want::OptionalLazy(_));
        let wrapper = match (&want, lazy) {
            (Want::Many(_), _) => "Vec<Arc",
            (Want::Optional(_) | Want::OptionalLazy(_), true) => "Option<Lazy",
            (Want::Optional(_), false) => "Option<Arc",
            (_, true) => "Lazy",
            (_, false) => "Arc",
        };
        return Err(Refusal::WrappedTwice(wrapper, inner.clone()));
    }
    match want.target().and_then(Ty::unfollowable) {
        Some(part) => Err(Refusal::Opaque(part.clone())),
        None => Ok(want),
    }
}

fn arc_or_lazy(ty: &Ty) -> Option<(&Ty, bool)> {
    match ty {
        Ty::Foreign(path, args) if path == ARC => args.first().map(|inner| (inner, false)),
        Ty::Foreign(path, args) if path == LAZY => args.first().map(|inner| (inner, true)),
        _ => None,
    }
}

impl Refusal {
    /// The message and the way out; none when rustc reports the type itself.
    pub(crate) fn explain(
        &self,
        ty: &Ty,
        written: &str,
        resolver: &Resolver<'_>,
    ) -> Option<(String, String)> {
        let program = resolver.program;
        Some(match self {
            Self::WriteArc(inner) => {
                if matches!(inner.unfollowable(), Some(Ty::Missing(_))) {
                    return None;
                }
                (format!("`{written}` cannot be injected"), format!("write `Arc<{}>`", inner.display(program)))
            }
            Self::WrapsValue(wrapper, inner) => {
                if matches!(inner.unfollowable(), Some(Ty::Missing(_))) {
                    return None;
                }
                (
                    format!("`{written}` cannot be injected"),
                    format!("write `{wrapper}<Arc<{}>>`, or name a value of this type: `#[inject(\"name\")]`", inner.display(program)),
                )
            }
            Self::WrappedTwice(wrapper, inner) => {
                if matches!(inner.unfollowable(), Some(Ty::Missing(_))) {
                    return None;
                }
                let closing = ">".repeat(1 + wrapper.matches('<').count());
                (
                    format!("`{written}` cannot be injected"),
                    format!("write `{wrapper}<{}{closing}`", inner.display(program)),
                )
            }
            Self::EmptyList(inner) => (
                format!("`{written}` cannot be injected"),
                format!("write `{}`: it is empty when nothing provides one", inner.display(program)),
            ),
            Self::NeedsName => (
                format!("a value of type `{written}` is injected by name, not by type"),
                format!(
                    "add `#[inject(\"name\")]` here and provide it: `#[provides(name = \"name\", clone)] fn name(&self) -> {}`",
                    ty.display(program)
                ),
            ),
            Self::Opaque(Ty::Missing(_)) => return None,
            Self::Opaque(Ty::Param(name)) => {
                (format!("the type parameter `{name}` has no type to inject"), "inject a concrete type".to_owned())
            }
            Self::Opaque(part) => (
                format!("`{}` cannot be analysed, so `{written}` cannot be injected", part.display(program)),
                "write the type itself, or wrap it in a struct of yours and inject that: what a macro makes, an associated type and a name from another crate's glob cannot be followed".to_owned(),
            ),
        })
    }
}
