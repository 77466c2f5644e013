//! `#[injectable(..)]` and `#[provides(..)]`.

use proc_macro2::TokenStream;
use syn::{Path, Type};
use znight_contract::ScopeKind;

use super::{Argument, Opt, OptValue, Values, options};
use crate::{Problems, check};

/// What both attributes say of a provider.
#[derive(Debug, Default)]
pub struct ProviderArgs {
    /// How long an instance lives; a singleton without it.
    pub scope: Option<Argument<ScopeKind>>,
    /// The qualifier.
    pub name: Option<Argument<String>>,
    /// Preferred among several candidates.
    pub primary: bool,
    /// Traits it is declared to implement.
    pub declared: Vec<Declared>,
}

/// A trait of `as(dyn Trait)`.
#[derive(Debug)]
pub struct Declared {
    /// The type as written.
    pub ty: Type,
}

/// What `#[provides(..)]` says beyond that.
#[derive(Debug, Default)]
pub struct ProvidesArgs {
    /// What it shares with `#[injectable]`.
    pub provider: ProviderArgs,
    /// Injected by value, as a clone.
    pub clone: bool,
    /// Called with the value when it is released.
    pub dispose: Option<Path>,
    /// Called with the value at start.
    pub on_start: Option<Path>,
}

const SHARED: [&str; 4] = ["scope", "name", "primary", "as"];

/// Reads the arguments of `#[injectable]`.
pub fn injectable_args(args: TokenStream, problems: &mut Problems) -> ProviderArgs {
    let mut read = ProviderArgs::default();
    for opt in options(args, "injectable", &SHARED, problems) {
        read.take(&opt, problems);
    }
    read
}

/// Reads the arguments of `#[provides]`.
pub fn provides_args(args: TokenStream, problems: &mut Problems) -> ProvidesArgs {
    let known: Vec<&str> = SHARED
        .into_iter()
        .chain(["clone", "dispose", "on_start"])
        .collect();
    let mut read = ProvidesArgs::default();
    for opt in options(args, "provides", &known, problems) {
        match (opt.name.to_string().as_str(), &opt.value) {
            ("clone", OptValue::Flag) => read.clone = true,
            ("dispose", OptValue::Value(value)) => read.dispose = path(value, "dispose", problems),
            ("on_start", OptValue::Value(value)) => {
                read.on_start = path(value, "on_start", problems);
            }
            ("clone", _) => {
                problems.misuse(&opt, "`clone` takes no value");
            }
            (name @ ("dispose" | "on_start"), _) => {
                problems.misuse(
                    &opt,
                    format!("`{name}` takes the path of a function: `{name} = Pool::close`"),
                );
            }
            _ => read.provider.take(&opt, problems),
        }
    }
    read
}

impl ProviderArgs {
    /// The scope, as far as it is known here.
    pub fn known_scope(&self) -> Option<ScopeKind> {
        match &self.scope {
            Some(scope) => scope.known,
            None => Some(ScopeKind::Singleton),
        }
    }

    fn take(&mut self, opt: &Opt, problems: &mut Problems) {
        match (opt.name.to_string().as_str(), &opt.value) {
            ("primary", OptValue::Flag) => self.primary = true,
            ("primary", _) => {
                problems.misuse(opt, "`primary` takes no value");
            }
            ("name", OptValue::Value(value)) => {
                self.name =
                    Argument::read(value, &check::PROVIDER_NAME, &Values::default(), problems);
            }
            ("scope", OptValue::Value(value)) => self.scope = scope(value, problems),
            ("as", OptValue::Types(types)) => {
                for ty in types {
                    if matches!(ty, Type::TraitObject(_)) {
                        self.declared.push(Declared { ty: ty.clone() });
                    } else {
                        problems.misuse(ty, "`as(..)` lists trait objects: `as(dyn Trait)`");
                    }
                }
            }
            ("as", _) => {
                problems.misuse(opt, "`as` lists trait objects: `as(dyn Trait)`");
            }
            (name, _) => {
                problems.misuse(opt, format!("`{name}` takes a string: `{name} = \"..\"`"));
            }
        }
    }
}

/// Reads the value of `scope = ".."`.
pub(super) fn scope(value: &syn::Expr, problems: &mut Problems) -> Option<Argument<ScopeKind>> {
    Argument::read(value, &check::SCOPE, &Values::default(), problems)
}

fn path(value: &syn::Expr, option: &str, problems: &mut Problems) -> Option<Path> {
    if let syn::Expr::Path(path) = value {
        return Some(path.path.clone());
    }
    problems.misuse(
        value,
        format!("`{option}` takes the path of a function: `{option} = Pool::close`"),
    );
    None
}
