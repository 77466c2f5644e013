//! Asking the container.

use std::{
    any::{TypeId, type_name},
    sync::Arc,
};

use znight_contract::{ErrorCode, suggest};

use super::{
    Container, Inner,
    plan::Plan,
    scope,
    slot::SlotId,
    types::{Choice, ambiguous, by_token},
};
use crate::{error::Error, names};

impl Container {
    /// What is provided for `T`, which may be a `dyn Trait`. For a singleton that exists this is
    /// one look-up; others are made now.
    ///
    /// # Errors
    /// ZNIGHT001 when nothing provides `T`, ZNIGHT008 when several do and none is primary,
    /// ZNIGHT013 for a request-scoped one outside of a request, ZNIGHT015 when its constructor
    /// fails or is async and has not run at boot.
    pub fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Result<Arc<T>, Error> {
        let inner = self.inner()?;
        match inner.ready::<T>() {
            Some(arc) => Ok(arc),
            None => slow(&inner)?.ok_or_else(|| inner.unknown(&names::of::<T>())),
        }
    }

    /// What is provided for `T`; `None` when nothing is.
    ///
    /// # Errors
    /// As [`get`](Self::get), except for ZNIGHT001.
    pub fn get_optional<T: ?Sized + Send + Sync + 'static>(&self) -> Result<Option<Arc<T>>, Error> {
        let inner = self.inner()?;
        match inner.ready::<T>() {
            Some(arc) => Ok(Some(arc)),
            None => slow(&inner),
        }
    }

    /// Whether something is provided for `T`: one of several candidates counts, an external
    /// nobody supplied does not.
    pub fn has<T: ?Sized + Send + Sync + 'static>(&self) -> bool {
        let type_id = TypeId::of::<T>();
        self.holds(|inner, plan| {
            let candidates = plan.candidates.all(type_id);
            candidates.into_iter().any(|id| plan.slot(id).supplied())
                || scope::seeded(inner, type_id).is_some()
        })
    }

    /// The provider of `T` named `name`.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_named<T: ?Sized + Send + Sync + 'static>(
        &self,
        name: &str,
    ) -> Result<Arc<T>, Error> {
        let inner = self.inner()?;
        let plan = inner.plan()?;
        if let Some(id) = named::<T>(plan, name)? {
            return inner.required(plan, id);
        }
        let all = plan.candidates.all(TypeId::of::<T>());
        let names: Vec<&str> = all.iter().filter_map(|id| plan.slot(*id).name).collect();
        let error = Error::new(
            ErrorCode::MissingProvider,
            format!("no provider for {} named {name:?}", names::of::<T>()),
        );
        Err(if names.is_empty() {
            error
        } else {
            error.with_hint(format!("names there are: {}", names.join(", ")))
        })
    }

    /// The provider of `T` named `name`; `None` when there is none, or when it provides nothing.
    ///
    /// # Errors
    /// As [`get_named`](Self::get_named), except for ZNIGHT001.
    pub fn get_named_optional<T: ?Sized + Send + Sync + 'static>(
        &self,
        name: &str,
    ) -> Result<Option<Arc<T>>, Error> {
        let inner = self.inner()?;
        let plan = inner.plan()?;
        match named::<T>(plan, name)? {
            Some(id) => inner.optional(plan, id),
            None => Ok(None),
        }
    }

    /// Whether some provider of `T` is named `name`.
    pub fn has_named<T: ?Sized + Send + Sync + 'static>(&self, name: &str) -> bool {
        let type_id = TypeId::of::<T>();
        self.holds(|_, plan| {
            plan.candidates.choose_named(&plan.slots, type_id, name) != Choice::Nobody
        })
    }

    /// The provider with this token (`shop::users::UserService`), or with this display name
    /// (`UserService`) when only one has it.
    ///
    /// # Errors
    /// As [`get`](Self::get). ZNIGHT008 lists the tokens of several providers of that name;
    /// ZNIGHT001 also when the provider is no `T`.
    pub fn get_by_token<T: ?Sized + Send + Sync + 'static>(
        &self,
        token: &str,
    ) -> Result<Arc<T>, Error> {
        let inner = self.inner()?;
        let plan = inner.plan()?;
        let id = by_token(&plan.slots, token)?.ok_or_else(|| inner.unknown(token))?;
        plan.slot(id)
            .handed_out_as(TypeId::of::<T>(), type_name::<T>())?;
        inner.required(plan, id)
    }

    /// The provider with this token or display name: as [`get_by_token`](Self::get_by_token). `None` when
    /// there is none, or when it provides nothing.
    ///
    /// # Errors
    /// As [`get_by_token`](Self::get_by_token); ZNIGHT001 only when the provider is no `T`.
    pub fn get_by_token_optional<T: ?Sized + Send + Sync + 'static>(
        &self,
        token: &str,
    ) -> Result<Option<Arc<T>>, Error> {
        let inner = self.inner()?;
        let plan = inner.plan()?;
        match by_token(&plan.slots, token)? {
            Some(id) => {
                plan.slot(id)
                    .handed_out_as(TypeId::of::<T>(), type_name::<T>())?;
                inner.optional(plan, id)
            }
            None => Ok(None),
        }
    }

    /// Whether something has this token, or this display name: one of several counts, an external nobody
    /// supplied does not.
    pub fn has_token(&self, token: &str) -> bool {
        self.holds(|_, plan| {
            let mut slots = plan.slots.iter();
            slots.any(|slot| slot.supplied() && (slot.token == token || slot.display == token))
        })
    }

    /// Whether something is so; nothing is before `init` and after the disposal.
    fn holds(&self, so: impl FnOnce(&Inner, &Plan) -> bool) -> bool {
        self.inner()
            .is_ok_and(|inner| inner.plan().is_ok_and(|plan| so(&inner, plan)))
    }

    /// The token of what [`get`](Self::get) gives for `T`.
    pub fn token_of<T: ?Sized + Send + Sync + 'static>(&self) -> Option<String> {
        let inner = self.inner().ok()?;
        let plan = inner.plan().ok()?;
        let target = plan.targets.get(&TypeId::of::<T>())?;
        Some(plan.slot(target.slot).token.to_string())
    }
}

/// An instance that has to be made, is in the request scope, or does not exist.
fn slow<T: ?Sized + Send + Sync + 'static>(inner: &Inner) -> Result<Option<Arc<T>>, Error> {
    let plan = inner.plan()?;
    let type_id = TypeId::of::<T>();
    if let Some(target) = plan.targets.get(&type_id) {
        if !plan.slot(target.slot).supplied() {
            return Ok(None);
        }
        return Ok(inner.resolve(target.slot)?.map(super::Held::arc));
    }
    if let Some(seed) = scope::seeded(inner, type_id) {
        return Ok(Some(seed.into_arc()));
    }
    match plan.candidates.choose(&plan.slots, type_id) {
        Choice::Several(several) => Err(ambiguous(&plan.slots, &names::of::<T>(), &several)),
        Choice::One(_) | Choice::Nobody => Ok(None),
    }
}

/// The slot of the provider of `T` with a name.
fn named<T: ?Sized + 'static>(plan: &Plan, name: &str) -> Result<Option<SlotId>, Error> {
    let type_id = TypeId::of::<T>();
    match plan.candidates.choose_named(&plan.slots, type_id, name) {
        Choice::One(id) => Ok(Some(id)),
        Choice::Nobody => Ok(None),
        Choice::Several(several) => {
            let wanted = format!("{} named {name:?}", names::of::<T>());
            Err(ambiguous(&plan.slots, &wanted, &several))
        }
    }
}

impl Inner {
    /// What a slot hands out for `T`; nothing when nobody supplied it or its provider provides nothing.
    fn optional<T: ?Sized + Send + Sync + 'static>(
        &self,
        plan: &Plan,
        id: SlotId,
    ) -> Result<Option<Arc<T>>, Error> {
        let id = plan.redirected(id, TypeId::of::<T>());
        if !plan.slot(id).supplied() {
            return Ok(None);
        }
        Ok(self.resolve(id)?.map(super::Held::arc))
    }

    /// What a slot hands out for `T`.
    pub(super) fn required<T: ?Sized + Send + Sync + 'static>(
        &self,
        plan: &Plan,
        id: SlotId,
    ) -> Result<Arc<T>, Error> {
        let id = plan.redirected(id, TypeId::of::<T>());
        match self.resolve(id)? {
            Some(held) => Ok(held.arc()),
            None => Err(self.provides_nothing(id)),
        }
    }

    /// ZNIGHT001 for something nobody provides.
    fn unknown(&self, wanted: &str) -> Error {
        let error = Error::new(
            ErrorCode::MissingProvider,
            format!("no provider for {wanted}"),
        );
        let Ok(plan) = self.plan() else {
            return error;
        };
        if let Some(slot) = plan.slots.iter().find(|slot| slot.display == wanted) {
            // An external, or a provider that made nothing.
            return match slot.origin {
                super::slot::Origin::External(plugin) if !plugin.is_empty() => {
                    error.with_hint(format!("add {plugin} to the application"))
                }
                _ => error.with_hint(format!("{} provides nothing", slot.described())),
            };
        }
        let error = match suggest::closest(wanted, plan.slots.iter().map(|slot| &*slot.display)) {
            Some(close) => error.with_hint(format!("there is {close}")),
            None => error,
        };
        if wanted.starts_with("dyn ") {
            error.with_hint(format!(
                "the container knows the traits that somebody injects or a provider declares: \
                 `#[injectable(as({wanted}))]`"
            ))
        } else {
            error
        }
    }
}
