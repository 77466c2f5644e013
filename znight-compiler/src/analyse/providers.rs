//! The providers and controllers of one world.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use znight_contract::{ErrorCode, ScopeKind};

use super::{injections::Reader, traits::Traits};
use crate::{
    Role,
    bind::External,
    facts::{
        ControllerFact, FactoryFact, ItemKind, Parsed, PlaceFact, ProviderArgsFact, ProviderFact,
        TypeExpr,
    },
    model::{At, ControllerEntry, Occurrence, Origin, Provider, RouteEntry, Sink},
    resolve::{ItemId, Program, Resolver, Scope, TraitRef, Ty},
    source::Sources,
};

/// The application in one world.
#[derive(Debug)]
pub struct Application<'a> {
    /// Whether it is one, or a library of providers.
    pub role: Option<Role>,
    /// Names and types.
    pub resolver: &'a Resolver<'a>,
    /// Where files come from.
    pub sources: &'a dyn Sources,
    /// Impls.
    pub traits: Traits<'a>,
    /// The annotated items, those of other worlds included.
    pub occurrences: &'a [Occurrence],
    /// The providers, ordered by token.
    pub providers: Vec<Provider>,
    /// The controllers, ordered by token.
    pub controllers: Vec<ControllerEntry>,
    /// What Znight and plugins supply.
    pub externals: Vec<External>,
    /// Whether something could not be read, so that what seems missing may exist.
    pub incomplete: bool,
    /// Items whose own attribute is wrong: what they would provide is unknown, not missing.
    pub unknown: BTreeSet<ItemId>,
    /// Whether an item is wrong, so that there can be no graph.
    pub broken: bool,
    /// The providers of each type.
    pub(crate) by_type: BTreeMap<Ty, Vec<usize>>,
    /// The providers of each trait that was asked for.
    pub(crate) implementing: RefCell<BTreeMap<TraitRef, Rc<[usize]>>>,
}

impl Application<'_> {
    /// The program.
    pub fn program(&self) -> &Program {
        self.resolver.program
    }

    /// Leaves out the providers that are not among these; what is left keeps its order.
    pub(crate) fn keep(&mut self, needed: &[bool]) {
        let mut next = 0;
        let places: Vec<Option<usize>> = needed
            .iter()
            .map(|needed| {
                let place = next;
                next += usize::from(*needed);
                needed.then_some(place)
            })
            .collect();
        let mut index = 0;
        self.providers.retain(|_| {
            index += 1;
            needed[index - 1]
        });
        self.controllers.retain_mut(|controller| {
            places[controller.provider].is_some_and(|place| {
                controller.provider = place;
                true
            })
        });
        self.by_type = by_type(&self.providers);
        self.implementing = RefCell::default();
    }

    /// Whether a provider's glue belongs to another crate, which has been built before this one, or is
    /// for others to use.
    pub fn is_shared(&self, provider: &Provider) -> bool {
        self.role == Some(Role::Library) || self.program().modules[provider.module].krate != 0
    }

    /// `src/users/service.rs:12`, for messages.
    pub fn show(&self, at: At) -> String {
        at.show(self.program(), self.occurrences)
    }
}

/// Finds the providers and controllers that exist in the resolver's world.
pub fn build<'a>(
    resolver: &'a Resolver<'a>,
    sources: &'a dyn Sources,
    occurrences: &'a [Occurrence],
    role: Option<Role>,
    sink: &mut Sink,
) -> Application<'a> {
    let mut builder = Builder {
        resolver,
        sources,
        occurrences,
        providers: Vec::new(),
        hosts: Vec::new(),
        controllers: BTreeMap::new(),
        unknown: BTreeSet::new(),
        broken: false,
    };
    for (number, occurrence) in occurrences.iter().enumerate() {
        if occurrence.live.within(resolver.world) && resolver.sees(occurrence.file) {
            builder.occurrence(number, occurrence, sink);
        }
    }
    builder.finish(role, sink)
}

struct Builder<'a> {
    resolver: &'a Resolver<'a>,
    sources: &'a dyn Sources,
    occurrences: &'a [Occurrence],
    providers: Vec<Provider>,
    /// Types with a controller or factory, to be registered when nothing else does.
    hosts: Vec<(usize, Ty, At)>,
    /// The scope and the routes each controller gives, by its occurrence.
    controllers: BTreeMap<usize, (ScopeKind, Vec<RouteEntry>)>,
    unknown: BTreeSet<ItemId>,
    broken: bool,
}

impl<'a> Builder<'a> {
    fn program(&self) -> &'a Program {
        self.resolver.program
    }

    fn reader(&self, number: usize, scope: Scope) -> Reader<'a> {
        let resolver: &'a Resolver<'a> = self.resolver;
        Reader {
            resolver,
            number,
            scope,
        }
    }

    fn occurrence(&mut self, number: usize, occurrence: &'a Occurrence, sink: &mut Sink) {
        let module = self.program().items[occurrence.item].module;
        match &occurrence.marked.parsed {
            Parsed::Injectable(parsed) => self.injectable(number, parsed, module, sink),
            Parsed::Factory(parsed) => self.factory(number, parsed, module, sink),
            Parsed::Controller(parsed) => {
                let written = (&parsed.self_ty, parsed.self_at);
                if let Some((ty, at)) = self.self_type(number, written, module, sink) {
                    self.controller(number, parsed, &ty, module, sink);
                    self.hosts.push((number, ty, at));
                }
            }
            // Its problems are reported; what it would provide is unknown.
            Parsed::Nothing => {
                self.broken = true;
                self.unknown
                    .extend(self.named_item(occurrence.item, module));
            }
        }
    }

    /// The type an item is about; none when it cannot be followed.
    fn self_type(
        &mut self,
        number: usize,
        (written, place): (&TypeExpr, PlaceFact),
        module: usize,
        sink: &mut Sink,
    ) -> Option<(Ty, At)> {
        let reader = self.reader(number, Scope::module(module));
        let ty = reader.resolver.ty(written, &reader.scope);
        let at = reader.at(place);
        match (&ty, ty.unfollowable()) {
            (_, Some(Ty::Missing(_))) => self.broken = true,
            (Ty::Local(..), None) => return Some((ty, at)),
            _ => {
                self.broken = true;
                sink.error(
                    ErrorCode::UnresolvableInjection,
                    at,
                    format!("`{written}` cannot be analysed"),
                    vec!["name a struct that stands in the source of this crate".to_owned()],
                );
            }
        }
        None
    }

    fn injectable(&mut self, number: usize, parsed: &ProviderFact, module: usize, sink: &mut Sink) {
        let Some((ty, _)) = self.self_type(number, (&parsed.self_ty, parsed.self_at), module, sink)
        else {
            return;
        };
        let mut scope = Scope::module(module);
        scope.self_ty = Some(Box::new(ty.clone()));
        let reader = self.reader(number, scope);
        let at = self.named(number);
        let injections = reader.read(&parsed.injections, sink);
        let token = ty.token(self.program());
        let origin = Origin::Injectable(number);
        self.push(
            origin,
            ty,
            token,
            (&parsed.args, parsed.asyncness),
            false,
            injections,
            module,
            at,
            &reader,
            sink,
        );
    }

    fn controller(
        &mut self,
        number: usize,
        parsed: &ControllerFact,
        ty: &Ty,
        module: usize,
        sink: &mut Sink,
    ) {
        let mut scope = Scope::module(module);
        scope.self_ty = Some(Box::new(ty.clone()));
        let reader = self.reader(number, scope);
        let scope = reader.scope_of(parsed.scope.as_ref(), sink);
        let (routes, complete) = reader.routes(parsed, sink);
        self.broken |= scope.is_none() || !complete;
        // One that cannot be told is taken for the one that fits everywhere.
        let scope = scope.unwrap_or(ScopeKind::Transient);
        self.controllers.insert(number, (scope, routes));
    }

    fn factory(&mut self, number: usize, parsed: &FactoryFact, module: usize, sink: &mut Sink) {
        let Some((host, at)) =
            self.self_type(number, (&parsed.self_ty, parsed.self_at), module, sink)
        else {
            return;
        };
        let mut scope = Scope::module(module);
        scope.self_ty = Some(Box::new(host.clone()));
        for (index, method) in parsed.methods.iter().enumerate() {
            let reader = self.reader(number, scope.clone());
            if !reader.is_live(&method.conditions) {
                continue;
            }
            let method_at = reader.at(method.name.place);
            let provided = reader.resolver.ty(&method.provided, &scope);
            if is_wrapper(&provided) {
                sink.error(
                    ErrorCode::InvalidAttribute,
                    reader.at(method.provided_at),
                    format!(
                        "what `{}` provides is hidden behind an alias",
                        method.name.text
                    ),
                    vec![format!(
                        "write the type out: `{}`",
                        provided.display(self.program())
                    )],
                );
                continue;
            }
            if let Some(part) = provided.unfollowable() {
                self.broken = true;
                if !matches!(part, Ty::Missing(_)) {
                    sink.error(
                        ErrorCode::UnresolvableInjection,
                        reader.at(method.provided_at),
                        format!("`{}` cannot be analysed, so nothing can be bound to what `{}` provides", part.display(self.program()), method.name.text),
                        vec!["return a type that stands in the source, or one of another crate by its path".to_owned()],
                    );
                }
                continue;
            }
            let mut injections = Vec::new();
            if method.receiver {
                injections.push(crate::model::Injection {
                    want: crate::model::Want::One(host.clone()),
                    qualifier: None,
                    label: "self".to_owned(),
                    at: method_at,
                    qualifier_at: None,
                });
            }
            injections.extend(reader.read(&method.params, sink));
            let token = format!("{}::{}", host.token(self.program()), method.name.text);
            let origin = Origin::Method(number, index);
            self.push(
                origin,
                provided,
                token,
                (&method.args, method.asyncness),
                method.clone,
                injections,
                module,
                method_at,
                &reader,
                sink,
            );
        }
        if parsed.methods.iter().any(|method| method.receiver) {
            self.hosts.push((number, host, at));
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one record, read at two places"
    )]
    fn push(
        &mut self,
        origin: Origin,
        ty: Ty,
        token: String,
        (args, asyncness): (&ProviderArgsFact, Option<PlaceFact>),
        clone: bool,
        injections: Vec<crate::model::Injection>,
        module: usize,
        at: At,
        reader: &Reader<'_>,
        sink: &mut Sink,
    ) {
        let evaluated = reader.provider_args(args, asyncness, sink);
        self.broken |= !evaluated.complete;
        let display = match origin {
            Origin::Method(..) => znight_contract::display::method(&token),
            _ => znight_contract::display::short(&token),
        };
        let declared = args
            .declared
            .iter()
            .map(|declared| {
                let ty = reader.resolver.ty(&declared.ty, &reader.scope);
                (ty, declared.ty.to_string())
            })
            .collect();
        self.providers.push(Provider {
            token,
            display,
            ty,
            origin,
            module,
            scope: evaluated.scope,
            name: evaluated.name,
            name_unknown: evaluated.name_unknown,
            primary: args.primary,
            clone,
            declared,
            at,
            injections,
            uses: Vec::new(),
        });
    }

    /// Registers hosts, joins guards to controllers, orders by token.
    fn finish(mut self, role: Option<Role>, sink: &mut Sink) -> Application<'a> {
        self.refuse_twice(sink);
        let hosts = std::mem::take(&mut self.hosts);
        for (number, ty, at) in &hosts {
            let known = self.providers.iter().find(|provider| {
                provider.ty == *ty && !matches!(provider.origin, Origin::Method(..))
            });
            match known {
                Some(provider) if matches!(provider.origin, Origin::Injectable(_)) => {
                    self.refuse_second_scope(*number, provider, sink);
                }
                Some(_) => {}
                None => self.host(*number, ty, *at, sink),
            }
        }
        let mut controllers = Vec::new();
        for (number, ty, _) in hosts {
            let Parsed::Controller(parsed) = &self.occurrences[number].marked.parsed else {
                continue;
            };
            let provider = self.providers.iter_mut().position(|provider| {
                provider.ty == ty && !matches!(provider.origin, Origin::Method(..))
            });
            let Some(provider) = provider else { continue };
            let uses = self.uses(number, parsed);
            self.providers[provider].uses.extend(uses);
            controllers.push((number, self.providers[provider].token.clone()));
        }
        self.providers
            .sort_by(|a, b| (&a.token, a.origin).cmp(&(&b.token, b.origin)));
        let mut controllers: Vec<ControllerEntry> = controllers
            .into_iter()
            .filter_map(|(occurrence, token)| {
                let provider = self.providers.iter().position(|provider| {
                    provider.token == token && !matches!(provider.origin, Origin::Method(..))
                })?;
                Some(ControllerEntry {
                    occurrence,
                    provider,
                    token,
                    routes: self
                        .controllers
                        .remove(&occurrence)
                        .map(|(_, routes)| routes)
                        .unwrap_or_default(),
                })
            })
            .collect();
        controllers.sort_by(|a, b| (&a.token, a.occurrence).cmp(&(&b.token, b.occurrence)));
        Application {
            role,
            resolver: self.resolver,
            sources: self.sources,
            traits: Traits::new(self.resolver),
            occurrences: self.occurrences,
            incomplete: self.resolver.program.incomplete,
            broken: self.broken,
            by_type: by_type(&self.providers),
            externals: Vec::new(),
            implementing: RefCell::default(),
            unknown: self.unknown,
            providers: self.providers,
            controllers,
        }
    }

    /// Registers the type of a controller or factory that nothing else provides.
    fn host(&mut self, number: usize, ty: &Ty, at: At, sink: &mut Sink) {
        let Ty::Local(item, _) = ty else { return };
        let found = &self.program().items[*item];
        let what = self.occurrences[number].outer.as_str();
        let unit = matches!(&found.fact.kind, ItemKind::Struct(fact) if fact.unit);
        if !unit {
            if self.unknown.contains(item) {
                // The attribute is there and has problems of its own.
                return;
            }
            sink.error(
                ErrorCode::InvalidAttribute,
                at,
                format!(
                    "{} is not a provider, so the {what} cannot be created",
                    ty.display(self.program())
                ),
                vec![format!(
                    "add `#[injectable]` to it ({})",
                    self.program().place(*item)
                )],
            );
            return;
        }
        self.providers.push(Provider {
            token: ty.token(self.program()),
            display: ty.display(self.program()),
            ty: ty.clone(),
            origin: Origin::Host(number),
            module: self.program().items[self.occurrences[number].item].module,
            scope: self.host_scope(number),
            name: None,
            name_unknown: false,
            primary: false,
            clone: false,
            declared: Vec::new(),
            at,
            injections: Vec::new(),
            uses: Vec::new(),
        });
    }

    /// The scope a controller gives its type.
    fn host_scope(&self, number: usize) -> ScopeKind {
        self.controllers
            .get(&number)
            .map_or(ScopeKind::Singleton, |(scope, _)| *scope)
    }

    /// Reports a scope that stands where the type has one of its own.
    fn refuse_second_scope(&self, number: usize, provider: &Provider, sink: &mut Sink) {
        let Parsed::Controller(parsed) = &self.occurrences[number].marked.parsed else {
            return;
        };
        if let Some(scope) = &parsed.scope {
            let reader = self.reader(number, Scope::default());
            sink.error(
                ErrorCode::InvalidAttribute,
                reader.at(scope.place),
                format!(
                    "the scope of {} stands on its `#[injectable]`",
                    provider.display
                ),
                vec![format!("give it there ({})", self.show(provider.at))],
            );
        }
    }

    /// Where an annotated item is named.
    fn named(&self, number: usize) -> At {
        At {
            occurrence: number,
            place: self.occurrences[number].marked.name,
        }
    }

    /// `src/users/service.rs:12`
    fn show(&self, at: At) -> String {
        at.show(self.program(), self.occurrences)
    }

    /// The struct an annotated item is about: the item itself, or the type of an impl.
    fn named_item(&self, item: ItemId, module: usize) -> Option<ItemId> {
        let ty = match &self.program().items[item].fact.kind {
            ItemKind::Inherent(fact) => &fact.self_ty,
            ItemKind::Impl(fact) => &fact.self_ty,
            _ => return Some(item),
        };
        match self.resolver.ty(ty, &Scope::module(module)) {
            Ty::Local(found, _) => Some(found),
            _ => None,
        }
    }

    /// The guards and interceptors around a controller and its routes.
    fn uses(&self, number: usize, parsed: &ControllerFact) -> Vec<(Ty, At)> {
        let module = self.program().items[self.occurrences[number].item].module;
        let reader = self.reader(number, Scope::module(module));
        parsed
            .uses
            .iter()
            .map(|used| {
                (
                    reader.resolver.ty(&used.ty, &reader.scope),
                    reader.at(used.place),
                )
            })
            .filter(|(ty, _)| ty.unfollowable().is_none())
            .collect()
    }

    /// Reports a type with two attributes of one kind.
    fn refuse_twice(&self, sink: &mut Sink) {
        let mut seen: BTreeMap<&Ty, &Provider> = BTreeMap::new();
        for provider in &self.providers {
            if !matches!(provider.origin, Origin::Injectable(_)) {
                continue;
            }
            let earlier = seen.get(&provider.ty).copied();
            seen.entry(&provider.ty).or_insert(provider);
            if let Some(earlier) = earlier {
                sink.error(
                    ErrorCode::InvalidAttribute,
                    provider.at,
                    format!("{} is `#[injectable]` twice", provider.display),
                    vec![format!(
                        "keep one: the struct is created by its fields, the `impl` by its constructor (the other is at {})",
                        self.show(earlier.at)
                    )],
                );
            }
        }
        for (index, (number, ty, at)) in self.hosts.iter().enumerate() {
            let outer = self.occurrences[*number].outer;
            let earlier = self.hosts[..index].iter().find(|(other, earlier, _)| {
                earlier == ty && self.occurrences[*other].outer == outer
            });
            if let Some((_, _, earlier)) = earlier {
                sink.error(
                    ErrorCode::InvalidAttribute,
                    *at,
                    format!(
                        "{} is a `#[{}]` twice",
                        ty.display(self.program()),
                        outer.as_str()
                    ),
                    vec![format!(
                        "move the methods into one `impl` (the other is at {})",
                        self.show(*earlier)
                    )],
                );
            }
        }
    }
}

/// The providers of each type.
fn by_type(providers: &[Provider]) -> BTreeMap<Ty, Vec<usize>> {
    let mut found: BTreeMap<Ty, Vec<usize>> = BTreeMap::new();
    for (index, provider) in providers.iter().enumerate() {
        found.entry(provider.ty.clone()).or_default().push(index);
    }
    found
}

/// Whether a type is one of those that are peeled off a return type by name.
fn is_wrapper(ty: &Ty) -> bool {
    matches!(ty, Ty::Foreign(path, args) if !args.is_empty()
        && matches!(path.as_str(), "std::result::Result" | "std::option::Option" | "std::sync::Arc"))
}
