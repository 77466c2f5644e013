//! The packages an application is built from, as Cargo resolved them.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    cfg::Cfg,
    facts::flat::{Flat, Input, flat},
    resolve::Externs,
    settings::{InterceptorAttribute, Supplied},
};

/// The crate that applications know the framework by.
pub const FACADE: &str = "znight";

/// Every package of a build: plain data from `cargo metadata`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packages {
    /// The packages.
    pub list: Vec<Package>,
    /// The one that is built.
    pub own: usize,
}

/// One package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Package {
    /// Its name in `Cargo.toml`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its directory.
    pub directory: PathBuf,
    /// Whether it lies in a directory of the user's, not in one of Cargo's.
    pub is_path: bool,
    /// The name and the root file of its library, if it has one.
    pub library: Option<(String, PathBuf)>,
    /// Whether paths in `use` start at the crate root (edition 2015).
    pub rooted_uses: bool,
    /// The features that are switched on.
    pub features: Vec<String>,
    /// What its plugins supply to applications.
    pub provides: Vec<Supplied>,
    /// Its attributes that stand for interceptors.
    pub interceptors: Vec<InterceptorAttribute>,
    /// What it uses at run time: the name it knows a crate by, and the number of its package.
    pub dependencies: Vec<(String, usize)>,
}

flat!(struct Packages { list, own });
flat!(struct Package { name, version, directory, is_path, library, rooted_uses, features, provides, interceptors, dependencies });
flat!(struct Supplied { path, plugin, scope, optional });
flat!(struct InterceptorAttribute { attribute, interceptor });

impl Flat for PathBuf {
    fn write(&self, out: &mut Vec<u8>) {
        crate::facts::flat::text(&self.to_string_lossy(), out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        input.text().map(Self::from)
    }
}

/// A path of a crate under the name somebody knows the crate by.
fn known_as(name: &str, path: &str) -> String {
    let rest = path.split_once("::").map_or("", |(_, rest)| rest);
    format!("{name}::{rest}")
}

impl Packages {
    /// The package that is built.
    pub fn own(&self) -> Option<&Package> {
        self.list.get(self.own)
    }

    /// What the plugins of the packages that the built one uses supply, by the names it knows them by.
    pub fn provides(&self) -> Vec<Supplied> {
        let Some(own) = self.own() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (name, package) in &own.dependencies {
            for supplied in &self.list[*package].provides {
                found.push(Supplied {
                    path: known_as(name, &supplied.path),
                    ..supplied.clone()
                });
            }
        }
        found
    }

    /// The attributes that stand for interceptors in the packages that the built one uses, by the
    /// names it knows them by.
    pub fn interceptors(&self) -> Vec<InterceptorAttribute> {
        let Some(own) = self.own() else {
            return Vec::new();
        };
        let dependencies = own.dependencies.iter();
        dependencies
            .flat_map(|(name, package)| {
                let attributes = self.list[*package].interceptors.iter();
                attributes.map(move |attribute| InterceptorAttribute {
                    attribute: known_as(name, &attribute.attribute),
                    interceptor: known_as(name, &attribute.interceptor),
                })
            })
            .collect()
    }

    /// What a package knows a dependency by.
    pub fn dependency(&self, package: usize, name: &str) -> Option<usize> {
        let (_, found) = self
            .list
            .get(package)?
            .dependencies
            .iter()
            .find(|(known, _)| known == name)?;
        Some(*found)
    }

    /// The name under which a package knows the facade, if it does.
    pub fn facade_of(&self, package: usize) -> Option<&str> {
        self.list
            .get(package)?
            .dependencies
            .iter()
            .find(|(_, target)| {
                self.list
                    .get(*target)
                    .is_some_and(|target| target.name == FACADE)
            })
            .map(|(name, _)| name.as_str())
    }

    /// The names of other crates in a package.
    pub fn externs(&self, package: usize) -> Externs {
        let facade = self.facade_of(package).unwrap_or(FACADE).to_owned();
        let found = &self.list[package];
        Externs {
            crates: found
                .dependencies
                .iter()
                .map(|(name, _)| name.clone())
                .filter(|name| *name != facade)
                .collect(),
            renamed: found
                .dependencies
                .iter()
                .filter_map(|(name, package)| {
                    let (own, _) = self.list[*package].library.as_ref()?;
                    (own != name && *name != facade).then(|| (name.clone(), own.clone()))
                })
                .collect(),
            facade,
            loaded: BTreeMap::new(),
            rooted_uses: found.rooted_uses,
        }
    }
}

/// What is switched on in a package: what the target has, and the features of its own.
pub(crate) fn cfg_of(package: &Package, target: &Cfg) -> Cfg {
    package
        .features
        .iter()
        .fold(target.of_another_package(), |cfg, feature| {
            cfg.feature(feature)
        })
}
