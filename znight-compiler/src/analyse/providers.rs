//! The providers and controllers of one world.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use znight_contract::{ErrorCode, ScopeKind, codes::Severity};

use super::{injections::Reader, traits::Traits};
use crate::{
    Role,
    bind::External,
    extension::{
        Analysis, ArgumentKind, CompilerExtension, Extensions, Host, Item, State, attempt,
        extension_item, unknown,
    },
    facts::{FactoryFact, ItemKind, Parsed, PlaceFact, ProviderArgsFact, ProviderFact, TypeExpr},
    model::{At, Occurrence, Origin, Provider, Report, Sink, Use, Want},
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
    /// What each extension left behind, in their order.
    pub(crate) extensions: Vec<State>,
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

    /// The provider of a type that has attributes of its own, by its number: not one a factory makes.
    pub(crate) fn host_of(&self, ty: &Ty) -> Option<usize> {
        host_of(&self.providers, ty)
    }

    /// The providers that something starts by itself: controllers.
    pub(crate) fn roots(&self) -> BTreeSet<usize> {
        self.extensions
            .iter()
            .flat_map(|state| &state.roots)
            .filter_map(|ty| self.host_of(ty))
            .collect()
    }

    /// Where something is asked for that leads nowhere.
    pub(crate) fn dead_ends(&self) -> BTreeSet<String> {
        let injections = self.providers.iter().flat_map(|provider| {
            let intercepted = provider.intercepted.iter();
            provider.injections.iter().chain(intercepted)
        });
        injections
            .filter(|injection| injection.want == Want::Nothing)
            .map(|injection| self.show(injection.at))
            .collect()
    }

    /// Leaves out the providers that are not among these; what is left keeps its order.
    pub(crate) fn keep(&mut self, needed: &[bool]) {
        let mut index = 0;
        self.providers.retain(|_| {
            index += 1;
            needed[index - 1]
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
    extensions: &Extensions,
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
        states: Vec::new(),
        unknown: BTreeSet::new(),
        broken: false,
    };
    for (number, occurrence) in occurrences.iter().enumerate() {
        if occurrence.live.within(resolver.world) && resolver.sees(occurrence.file) {
            // A library's own build says what is wrong with its items.
            let mut quiet = Sink::default();
            let is_own = resolver.program.is_own(occurrence.file);
            let sink = if is_own { &mut *sink } else { &mut quiet };
            builder.occurrence(number, occurrence, sink);
        }
    }
    builder.extensions(extensions, sink);
    builder.finish(role, sink)
}

struct Builder<'a> {
    resolver: &'a Resolver<'a>,
    sources: &'a dyn Sources,
    occurrences: &'a [Occurrence],
    providers: Vec<Provider>,
    /// Types with a factory or an attribute of an extension, to be registered when nothing else does.
    hosts: Vec<Host>,
    /// What each extension left behind.
    states: Vec<State>,
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
            is_struct: matches!(
                self.program().items[self.occurrences[number].item]
                    .fact
                    .kind,
                ItemKind::Struct(_)
            ),
        }
    }

    fn occurrence(&mut self, number: usize, occurrence: &'a Occurrence, sink: &mut Sink) {
        let module = self.program().items[occurrence.item].module;
        match &occurrence.marked.parsed {
            Parsed::Injectable(parsed) => self.injectable(number, parsed, module, sink),
            Parsed::Factory(parsed) => self.factory(number, parsed, module, sink),
            // Extensions look at theirs when all providers are known.
            Parsed::Extension(_) => {}
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
                    want: Want::One(host.clone()),
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
            self.hosts.push(Host {
                number,
                ty: host,
                at,
                scope: None,
            });
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
            requests: Vec::new(),
            intercepted: Vec::new(),
        });
    }

    /// Registers hosts, adds what extensions need, orders by token.
    fn finish(mut self, role: Option<Role>, sink: &mut Sink) -> Application<'a> {
        for state in &mut self.states {
            self.hosts.append(&mut state.hosts);
        }
        self.refuse_twice(sink);
        for host in std::mem::take(&mut self.hosts) {
            match host_of(&self.providers, &host.ty).map(|index| &self.providers[index]) {
                Some(provider) if matches!(provider.origin, Origin::Injectable(_)) => {
                    self.refuse_second_scope(&host, provider, sink);
                }
                Some(_) => {}
                None => self.host(&host, sink),
            }
        }
        for state in &mut self.states {
            for need in state.needs.drain(..) {
                if let Some(index) = host_of(&self.providers, &need.of) {
                    self.providers[index].uses.push(Use {
                        ty: need.ty,
                        at: need.at,
                        lazy: need.lazy,
                    });
                }
            }
            for (of, request) in state.requests.drain(..) {
                if let Some(index) = host_of(&self.providers, &of) {
                    self.providers[index].requests.push(request);
                }
            }
        }
        self.providers
            .sort_by(|a, b| (&a.token, a.origin).cmp(&(&b.token, b.origin)));
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
            extensions: self.states,
        }
    }

    /// Lets each extension look at its items, in the order of their types' paths.
    fn extensions(&mut self, extensions: &Extensions, sink: &mut Sink) {
        let mut items: Vec<Vec<(usize, String)>> = vec![Vec::new(); extensions.iter().count()];
        for (number, occurrence) in self.occurrences.iter().enumerate() {
            if occurrence.live.within(self.resolver.world)
                && self.resolver.sees(occurrence.file)
                && let Some(item) = extension_item(self.resolver, self.occurrences, number)
                && let Some((owner, _)) = extensions.owner(&occurrence.attribute)
            {
                items[owner].push((number, item.token()));
            }
        }
        for (extension, mut items) in extensions.iter().zip(items) {
            items.sort_by(|a, b| (&a.1, a.0).cmp(&(&b.1, b.0)));
            let mut state = State::default();
            for (number, _) in &items {
                let Some(item) = extension_item(self.resolver, self.occurrences, *number) else {
                    continue;
                };
                // A library's own build says what is wrong with its items.
                let mut quiet = Sink::default();
                let is_own = self.program().is_own(self.occurrences[*number].file);
                let sink = if is_own { &mut *sink } else { &mut quiet };
                self.broken |= refuse_open_arguments(&item, extensions, sink);
                let mut cx = Analysis {
                    resolver: self.resolver,
                    state: &mut state,
                    sink,
                    broken: &mut self.broken,
                };
                if let Err(message) = attempt(|| extension.analyse(&item, &mut cx)) {
                    sink.0.push(failed(extension, &message, item.named_at()));
                }
            }
            state.items = items;
            self.states.push(state);
        }
    }

    /// Registers the type of a host that nothing else provides.
    fn host(&mut self, host: &Host, sink: &mut Sink) {
        let Ty::Local(item, _) = &host.ty else { return };
        let (number, ty) = (host.number, &host.ty);
        let found = &self.program().items[*item];
        let what = self.occurrences[number].attribute_name();
        let unit = matches!(&found.fact.kind, ItemKind::Struct(fact) if fact.unit);
        if !unit {
            if self.unknown.contains(item) {
                // The attribute is there and has problems of its own.
                return;
            }
            // That it is missing elsewhere too follows from this.
            self.unknown.insert(*item);
            sink.error(
                ErrorCode::InvalidAttribute,
                host.at,
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
            scope: host.scope.map_or(ScopeKind::Singleton, |(scope, _)| scope),
            name: None,
            name_unknown: false,
            primary: false,
            clone: false,
            declared: Vec::new(),
            at: host.at,
            injections: Vec::new(),
            uses: Vec::new(),
            requests: Vec::new(),
            intercepted: Vec::new(),
        });
    }

    /// Reports a scope that stands where the type has one of its own.
    fn refuse_second_scope(&self, host: &Host, provider: &Provider, sink: &mut Sink) {
        if let Some((_, at)) = host.scope {
            sink.error(
                ErrorCode::InvalidAttribute,
                at,
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

    /// Reports a type with two attributes of one kind, and goes on with the first.
    fn refuse_twice(&mut self, sink: &mut Sink) {
        let mut seen: BTreeMap<Ty, At> = BTreeMap::new();
        let mut kept = Vec::new();
        for provider in std::mem::take(&mut self.providers) {
            if !matches!(provider.origin, Origin::Injectable(_)) {
                kept.push(provider);
                continue;
            }
            let Some(earlier) = seen.get(&provider.ty).copied() else {
                seen.insert(provider.ty.clone(), provider.at);
                kept.push(provider);
                continue;
            };
            let item = |at: At| self.occurrences[at.occurrence].item;
            let hint = if item(earlier) == item(provider.at) {
                "remove one of the two attributes".to_owned()
            } else {
                format!(
                    "keep one: the struct is created by its fields, the `impl` by its constructor (the other is at {})",
                    self.show(earlier)
                )
            };
            self.broken = true;
            sink.error(
                ErrorCode::InvalidAttribute,
                provider.at,
                format!("{} is `#[injectable]` twice", provider.display),
                vec![hint],
            );
        }
        self.providers = kept;
        for (index, host) in self.hosts.iter().enumerate() {
            let of = |host: &Host| &self.occurrences[host.number].attribute;
            let earlier = self.hosts[..index]
                .iter()
                .find(|earlier| earlier.ty == host.ty && of(earlier) == of(host));
            if let Some(earlier) = earlier {
                sink.error(
                    ErrorCode::InvalidAttribute,
                    host.at,
                    format!(
                        "{} is a `#[{}]` twice",
                        host.ty.display(self.program()),
                        self.occurrences[host.number].attribute_name()
                    ),
                    vec![format!(
                        "move the methods into one `impl` (the other is at {})",
                        self.show(earlier.at)
                    )],
                );
            }
        }
    }
}

/// The provider of a type that has attributes of its own, by its number: not one a factory makes.
fn host_of(providers: &[Provider], ty: &Ty) -> Option<usize> {
    providers
        .iter()
        .position(|provider| provider.ty == *ty && !matches!(provider.origin, Origin::Method(..)))
}

/// Reports declared arguments that the build must be able to tell and cannot; whether there are any.
fn refuse_open_arguments(item: &Item<'_>, extensions: &Extensions, sink: &mut Sink) -> bool {
    let Some((_, spec)) = extensions.owner(item.attribute()) else {
        return false;
    };
    let mut refused = false;
    let mut positional = spec
        .arguments
        .iter()
        .flatten()
        .filter(|spec| spec.name.is_none());
    for (name, argument) in &item.fact.arguments {
        let declared = match name {
            Some(_) => spec
                .arguments
                .iter()
                .flatten()
                .find(|spec| spec.name == *name),
            None => positional.next(),
        };
        if declared.is_none_or(|declared| declared.kind == ArgumentKind::Value) {
            continue;
        }
        if let Err(refusal) = item.resolver.evaluate(&argument.value, &item.scope()) {
            refused = true;
            let what = name
                .as_ref()
                .map_or_else(|| "the argument".to_owned(), |name| format!("`{name}`"));
            if let Some(finding) = unknown(&refusal, &what, "const NAME: &str = \"..\";") {
                sink.error(
                    finding.code,
                    item.at(argument.place),
                    finding.message,
                    finding.hints,
                );
            }
        }
    }
    refused
}

/// What to do about an extension that failed.
pub(crate) const FAILURE_HINT: &str =
    "this is a mistake in the extension: please report it to its authors";

/// That an extension failed.
pub(crate) fn failure(extension: &dyn CompilerExtension, message: &str) -> String {
    format!(
        "the compiler extension `{}` failed: {message}",
        attempt(|| extension.name()).unwrap_or("without a name")
    )
}

/// ZNIGHT018: an extension that failed.
pub(crate) fn failed(extension: &dyn CompilerExtension, message: &str, at: At) -> Report {
    Report {
        code: ErrorCode::VersionMismatch,
        severity: Severity::Error,
        message: failure(extension, message),
        hints: vec![FAILURE_HINT.to_owned()],
        at,
        related: Vec::new(),
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
