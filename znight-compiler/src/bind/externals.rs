//! What Znight itself and plugins supply.

use znight_contract::ScopeKind;

use crate::{
    facts::{PathExpr, TypeExpr},
    resolve::{Resolver, Scope, Ty},
    settings::Supplied,
};

/// A value that no provider of the application makes, but Znight itself or a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// The type.
    pub ty: Ty,
    /// Who supplies it; empty where nobody says.
    pub provided_by: String,
    /// How long it lives.
    pub scope: ScopeKind,
    /// Whether it may be left out.
    pub optional: bool,
}

/// The values Znight and its own plugins supply: name, who supplies it, scope.
const OWN: &[(&str, &str, ScopeKind)] = &[
    ("ApplicationHandle", "Znight", ScopeKind::Singleton),
    ("Clock", "Znight", ScopeKind::Singleton),
    ("Container", "Znight", ScopeKind::Singleton),
    ("Hooks", "Znight", ScopeKind::Singleton),
    ("HttpContext", "HttpPlugin", ScopeKind::Request),
    ("RequestId", "HttpPlugin", ScopeKind::Request),
];

/// Everything that is supplied to an application: by Znight, and by the plugins its settings and those
/// of the packages it uses name. The first to name a type counts.
pub(crate) fn externals(resolver: &Resolver<'_>, supplied: &[Supplied]) -> Vec<External> {
    let mut found: Vec<External> = OWN
        .iter()
        .map(|(name, provided_by, scope)| External {
            ty: Ty::Foreign(format!("znight::{name}"), Vec::new()),
            provided_by: (*provided_by).to_owned(),
            scope: *scope,
            optional: false,
        })
        .collect();
    for supplied in supplied {
        let ty = named(resolver, &supplied.path);
        if found.iter().all(|known| known.ty != ty) {
            found.push(External {
                ty,
                provided_by: supplied.plugin.clone().unwrap_or_default(),
                scope: supplied.scope,
                optional: supplied.optional,
            });
        }
    }
    found
}

/// The type or trait object that a path of the settings means: `acme::Clock`, `shop::time::Clock`.
fn named(resolver: &Resolver<'_>, path: &str) -> Ty {
    let mut names: Vec<&str> = path.split("::").collect();
    if names.first() == Some(&resolver.program.crates[0].name.as_str()) {
        names[0] = "crate";
    }
    let path = PathExpr::of(&names);
    let scope = Scope::module(0);
    match resolver.ty(&TypeExpr::Path(path.clone()), &scope) {
        // A trait is no type by itself.
        Ty::Opaque(_) => resolver.ty(&TypeExpr::Dyn(vec![path]), &scope),
        ty => ty,
    }
}

/// Whether something supplied is what an injection asks for: auto traits do not matter, and a trait of
/// another crate is named without saying that it is one.
pub(crate) fn supplies(external: &External, target: &Ty) -> bool {
    match (&external.ty, target) {
        (Ty::Dyn(left, _), Ty::Dyn(right, _)) => left == right,
        (Ty::Foreign(path, _), Ty::Dyn(object, _)) => {
            object.path == crate::resolve::Found::Foreign(path.clone())
        }
        (left, right) => left == right,
    }
}
