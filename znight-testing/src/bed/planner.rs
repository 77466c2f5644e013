//! Who gets what in a bed.

use std::{
    any::TypeId,
    collections::{BTreeMap, BTreeSet},
    fmt, mem,
    sync::Arc,
};

use znight_core::{
    __private::{
        Catalogue, Entry, GraphData, Handle, Injection, Watch, Watched,
        assembly::{Assembly, Defined, Needed, Part},
    },
    Container, Error, Graph, Hooks, ScopeKind,
};

use super::{
    builder::Aop,
    explain::{self, Requirer, Why},
    need::{self, Form, Need, Wanted},
    supply::{Level, Origin, Real, Supply, Target, display},
};

/// A planned bed.
pub(super) struct Bed {
    pub(super) assembly: Assembly,
    /// The part the bed is for.
    pub(super) part: u32,
    pub(super) mocks: Vec<Mocked>,
}

/// A mock the bed has given.
pub(super) struct Mocked {
    pub(super) type_id: TypeId,
    type_name: &'static str,
    name: Option<String>,
    pub(super) watch: Watch,
}

impl Mocked {
    pub(super) fn display(&self) -> String {
        display(self.type_name, self.name.as_deref())
    }
}

impl fmt::Debug for Mocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display())
    }
}

pub(super) struct Planner {
    data: &'static GraphData,
    catalogue: Catalogue,
    assembly: Assembly,
    supplies: Vec<Supply>,
    reals: Vec<Real>,
    /// For each of `reals`, its providers, and whether one of them was needed.
    real_entries: Vec<(Vec<u32>, bool)>,
    aop: Aop,
    /// The provider the bed is for.
    target: Option<u32>,
    /// The part of each provider of the graph that is made.
    entries: BTreeMap<u32, u32>,
    /// The mocks nobody prepared, by type and name, and their parts.
    mocked: Vec<(TypeId, Option<&'static str>, u32)>,
    hooks: Option<u32>,
    mocks: Vec<Mocked>,
    /// The types that are asked for.
    asked: BTreeSet<&'static str>,
    /// Whether somebody asks the container itself, and may find there what nobody is injected with.
    asks_container: bool,
    problems: Vec<Error>,
}

impl Planner {
    /// # Errors
    /// ZNIGHT018 for a graph of another release line.
    pub(super) fn new(
        graph: Graph,
        supplies: Vec<Supply>,
        reals: Vec<Real>,
        aop: Aop,
    ) -> Result<Self, Error> {
        let parts = Catalogue::new(graph)
            .and_then(|catalogue| Assembly::new().map(|assembly| (catalogue, assembly)));
        let (catalogue, assembly) = match parts {
            Ok(parts) => parts,
            Err(error) => return Err(abandon(supplies, error)),
        };
        let real_entries = reals
            .iter()
            .map(|real| {
                let entries = catalogue.all(real.type_id, real.name.as_deref());
                (entries, false)
            })
            .collect();
        Ok(Self {
            data: graph.data(),
            catalogue,
            assembly,
            supplies,
            reals,
            real_entries,
            aop,
            target: None,
            entries: BTreeMap::new(),
            mocked: Vec::new(),
            hooks: None,
            mocks: Vec::new(),
            asked: BTreeSet::new(),
            asks_container: false,
            problems: Vec::new(),
        })
    }

    /// Decides who gets what.
    ///
    /// # Errors
    /// What the bed has nothing for, and what it was given for nobody.
    pub(super) fn plan(
        mut self,
        target: Target,
        type_id: TypeId,
        type_name: &'static str,
    ) -> Result<Bed, Error> {
        let catalogue = &self.catalogue;
        let found = match target {
            Target::Type => catalogue.find(type_id, type_name, None),
            Target::Named(name) => catalogue.find(type_id, type_name, Some(&name)),
            Target::Token(token) => catalogue.find_by_token(&token, type_id, type_name),
            Target::Defined(defined) => {
                let part = self.defined(*defined, None);
                return self.finish(part, type_name);
            }
        };
        match found {
            Ok(index) => {
                self.target = Some(index);
                let part = self.entry(index);
                self.finish(part, type_name)
            }
            Err(error) => Err(abandon(self, error)),
        }
    }

    fn finish(mut self, part: u32, type_name: &'static str) -> Result<Bed, Error> {
        self.unused();
        let subject = format!("the bed of {}", display(type_name, None));
        if let Some(error) = Error::all(&subject, mem::take(&mut self.problems)) {
            return Err(abandon(self, error));
        }
        // For whoever asks the container.
        for index in 0..self.supplies.len() {
            if self.supplies[index].part.is_none()
                && !matches!(self.supplies[index].origin, Origin::Defined(_))
            {
                self.part_of(index, None);
            }
        }
        Ok(Bed {
            assembly: self.assembly,
            part,
            mocks: self.mocks,
        })
    }

    fn data(&self, index: u32) -> &'static Entry {
        &self.data.providers[index as usize]
    }

    /// The part of a provider of the graph, made for real.
    fn entry(&mut self, index: u32) -> u32 {
        if let Some(part) = self.entries.get(&index) {
            return *part;
        }
        let entry = self.data(index);
        let part = self.assembly.entry(entry);
        // Before its dependencies: a `Lazy` one may lead back here.
        self.entries.insert(index, part);
        let needs = need::of_entry(self.data, entry);
        self.inject(part, &needs, &Requirer::of_entry(self.data.package, entry));
        part
    }

    /// The part of a definition; with it, that of the supply it comes from.
    fn defined(&mut self, defined: Defined, supply: Option<usize>) -> u32 {
        let catalogue = &self.catalogue;
        let needs = need::of_defined(&defined, |injection| candidates(catalogue, injection));
        let requirer = Requirer::of_defined(self.data.package, &defined);
        self.problems.extend(defined.problems().iter().cloned());
        let part = self.assembly.defined(defined);
        // Before its dependencies: a `Lazy` one may lead back here.
        if let Some(supply) = supply {
            self.supplies[supply].part = Some(part);
        }
        self.inject(part, &needs, &requirer);
        part
    }

    fn inject(&mut self, part: u32, needs: &[Need], requirer: &Requirer) {
        let needed = needs.iter().map(|need| self.fill(need, requirer)).collect();
        self.assembly.inject(part, needed);
    }

    /// What one position gets.
    fn fill(&mut self, need: &Need, requirer: &Requirer) -> Needed {
        if let Wanted::Type { type_name, .. } = need.wanted {
            self.asked.insert(type_name);
        }
        if need.kind == Form::Many {
            return Needed::Many(self.members(need));
        }
        if need.kind == Form::Interceptors {
            return Needed::Interceptors(self.interceptors(need, requirer));
        }
        let found = match &need.wanted {
            Wanted::Type { .. } => self.one(need),
            Wanted::Unsaid => self.one_unsaid(need, requirer),
        };
        match (found, need.kind) {
            (Ok(Some(part)), Form::One | Form::Value) => Needed::One(part),
            (Ok(Some(part)), Form::Optional) => Needed::Optional(part),
            (Ok(Some(part)), Form::Lazy) => Needed::Lazy(part),
            (Ok(Some(part)), Form::OptionalLazy) => Needed::OptionalLazy(part),
            (Ok(None), Form::Optional | Form::OptionalLazy) => match need.wanted {
                // Glue that says no types may still ask for one that was given.
                Wanted::Unsaid if need.candidates.is_empty() => Needed::ByType,
                _ => Needed::Absent,
            },
            (Ok(None), _) => {
                let why = explain::why(need, requirer);
                self.problem(need, requirer, why);
                Needed::Absent
            }
            (Err(why), _) => {
                self.problem(need, requirer, why);
                Needed::Absent
            }
            (Ok(Some(_)), Form::Many | Form::Interceptors) => unreachable!("filled above"),
        }
    }

    /// The interceptors of the methods, where calls are to be intercepted: those that are given, and the
    /// others as they are.
    fn interceptors(&mut self, need: &Need, requirer: &Requirer) -> Vec<u32> {
        if self.aop == Aop::Off {
            return Vec::new();
        }
        let mut parts = Vec::new();
        for interceptor in &need.interceptors {
            match (self.one(interceptor), &interceptor.candidates[..]) {
                (Ok(Some(part)), _) => parts.push(part),
                (Ok(None), [entry]) => parts.push(self.entry(*entry)),
                (Ok(None), _) => self.problem(interceptor, requirer, Why::NoTrait),
                (Err(why), _) => self.problem(interceptor, requirer, why),
            }
        }
        parts
    }

    fn problem(&mut self, need: &Need, requirer: &Requirer, why: Why) {
        let candidates: Vec<&Entry> = need.candidates.iter().map(|id| self.data(*id)).collect();
        let error = explain::error(need, &candidates, requirer, why);
        // A fake that is injected twice has its problems once.
        if !self
            .problems
            .iter()
            .any(|known| known.message() == error.message())
        {
            self.problems.push(error);
        }
    }

    /// What a position of a known type gets, if there is anything.
    fn one(&mut self, need: &Need) -> Result<Option<u32>, Why> {
        let Wanted::Type {
            type_id,
            type_name,
            name,
            mock,
        } = need.wanted
        else {
            return Ok(None);
        };
        if let Some(index) = self.given(need, |planner, supply| planner.serves(supply, need))? {
            if need.kind == Form::Value && !self.may_be_value(index, need) {
                return Err(Why::NotCloned);
            }
            return Ok(Some(self.part_of(index, Some(need))));
        }
        if let Some(entry) = self.real(need) {
            return Ok(Some(self.entry(entry)));
        }
        if type_id == TypeId::of::<Container>() {
            self.asks_container = true;
            return Ok(Some(Assembly::CONTAINER));
        }
        if type_id == TypeId::of::<Hooks>() {
            return Ok(Some(self.hooks()));
        }
        match (mock, need.kind) {
            (Some(mock), Form::One | Form::Lazy) => {
                Ok(Some(self.mock(type_id, type_name, name, mock)))
            }
            _ => Ok(None),
        }
    }

    /// What a position gets whose glue does not say what it asks for: something behind which each
    /// given type of the provider is found.
    fn one_unsaid(&mut self, need: &Need, requirer: &Requirer) -> Result<Option<u32>, Why> {
        let [candidate] = need.candidates[..] else {
            return Ok(None);
        };
        let entry = self.data(candidate);
        let own = (entry.provider.type_id)();
        if let Some(index) = self.given(need, |_, supply| {
            supply.type_id == own && names_agree(supply, entry)
        })? {
            return Ok(Some(self.part_of(index, Some(need))));
        }
        let as_traits: Vec<usize> = self
            .matching(|_, supply| hands_out(entry, supply.type_id) && names_agree(supply, entry))
            .collect();
        if as_traits.is_empty() {
            return Ok(self.real(need).map(|entry| self.entry(entry)));
        }
        let mut instead: BTreeMap<TypeId, u32> = BTreeMap::new();
        for level in [Level::Provided, Level::Override] {
            for index in &as_traits {
                if self.supplies[*index].level == level {
                    let part = self.part_of(*index, Some(need));
                    instead.insert(self.supplies[*index].type_id, part);
                }
            }
        }
        let error = explain::error(need, &[entry], requirer, Why::NoMocks);
        let part = self
            .assembly
            .stand_in(entry, instead, move || error.clone());
        Ok(Some(part))
    }

    /// The members of a `Vec`.
    fn members(&mut self, need: &Need) -> Vec<u32> {
        let mut given: Vec<usize> = match need.wanted {
            Wanted::Type { name, .. } => self
                .matching(|planner, supply| {
                    planner.is_for(supply, need) && (name.is_none() || supply.name() == name)
                })
                .collect(),
            Wanted::Unsaid => {
                let entries: Vec<&Entry> =
                    need.candidates.iter().map(|id| self.data(*id)).collect();
                self.matching(|_, supply| {
                    entries.iter().any(|entry| {
                        (entry.provider.type_id)() == supply.type_id
                            || hands_out(entry, supply.type_id)
                    })
                })
                .collect()
            }
        };
        let overridden = |index: &usize| self.supplies[*index].level == Level::Override;
        if given.iter().any(overridden) {
            given.retain(overridden);
        }
        let mut parts: Vec<u32> = given
            .into_iter()
            .map(|index| self.part_of(index, Some(need)))
            .collect();
        for candidate in &need.candidates {
            if self.is_real(*candidate) {
                parts.push(self.entry(*candidate));
            }
        }
        parts
    }

    fn matching<'a>(
        &'a self,
        serves: impl Fn(&Self, &Supply) -> bool + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        let all = self.supplies.iter().enumerate();
        all.filter(move |(_, supply)| serves(self, supply))
            .map(|(index, _)| index)
    }

    /// The one supply for a position.
    fn given(
        &self,
        need: &Need,
        serves: impl Fn(&Self, &Supply) -> bool,
    ) -> Result<Option<usize>, Why> {
        let all: Vec<usize> = self.matching(serves).collect();
        let exactly = |index: &usize| match need.wanted {
            Wanted::Type { type_id, .. } => self.supplies[*index].type_id == type_id,
            Wanted::Unsaid => true,
        };
        for level in [Level::Override, Level::Provided] {
            let here: Vec<usize> = all
                .iter()
                .copied()
                .filter(|index| self.supplies[*index].level == level)
                .collect();
            let exact: Vec<usize> = here.iter().copied().filter(|at| exactly(at)).collect();
            match (&exact[..], &here[..]) {
                ([one], _) | ([], [one]) => return Ok(Some(*one)),
                ([], []) => {}
                _ => return Err(Why::Several(here.len())),
            }
        }
        Ok(None)
    }

    /// Whether a supply is of the type of a position, or of a provider the graph would inject there.
    fn is_for(&self, supply: &Supply, need: &Need) -> bool {
        let Wanted::Type { type_id, .. } = need.wanted else {
            return false;
        };
        let handed_out =
            supply.types.contains(&type_id) || self.provider_of(supply, need).is_some();
        supply.type_id == type_id || handed_out
    }

    /// The provider of the graph that a supply is the concrete type of.
    fn provider_of(&self, supply: &Supply, need: &Need) -> Option<&'static Entry> {
        let mut entries = need.candidates.iter().map(|id| self.data(*id));
        entries.find(|entry| (entry.provider.type_id)() == supply.type_id)
    }

    /// Whether a supply is for a position that is not a `Vec`.
    fn serves(&self, supply: &Supply, need: &Need) -> bool {
        let Wanted::Type { type_id, name, .. } = need.wanted else {
            return false;
        };
        // The concrete type of a named provider says as much as its name.
        let told_by_type = supply.type_id != type_id && supply.name().is_none();
        self.is_for(supply, need) && (supply.name() == name || told_by_type)
    }

    /// Whether a supply can be handed out by value.
    fn may_be_value(&self, index: usize, need: &Need) -> bool {
        let supply = &self.supplies[index];
        let cloned_by_graph = || {
            let entry = self.provider_of(supply, need);
            entry.is_some_and(|entry| entry.provider.clone.is_some())
        };
        supply.by_value || supply.clone.is_some() || cloned_by_graph()
    }

    /// The part of a supply, made when it is first needed.
    fn part_of(&mut self, index: usize, need: Option<&Need>) -> u32 {
        if let Some(part) = self.supplies[index].part {
            return part;
        }
        let entry = need.and_then(|need| self.provider_of(&self.supplies[index], need));
        let stands_for = need.and_then(|need| need.candidates.first().map(|id| self.data(*id)));
        let supply = &mut self.supplies[index];
        let shape = Part {
            type_id: supply.type_id,
            type_name: supply.type_name,
            coerce: entry.map_or(&[], |entry| entry.provider.coerce),
            clone: supply
                .clone
                .or_else(|| entry.and_then(|entry| entry.provider.clone)),
        };
        let part = match &mut supply.origin {
            Origin::Value(value) => {
                let value = value
                    .take()
                    .expect("invariant: a value has no part before it is put in its place");
                self.assembly.value(&shape, value)
            }
            Origin::Factory(factory) => {
                let factory = Arc::clone(factory);
                let by_value = need.is_some_and(|need| need.kind == Form::Value)
                    || entry.is_some_and(|entry| entry.provider.clone.is_some());
                let scope = if by_value {
                    ScopeKind::Transient
                } else {
                    stands_for.map_or(ScopeKind::Singleton, |entry| entry.scope)
                };
                self.assembly
                    .factory(&shape, scope, move |container| factory(container))
            }
            Origin::Defined(defined) => {
                let defined = defined
                    .take()
                    .expect("invariant: a definition has no part before it is put in its place");
                self.defined(*defined, Some(index))
            }
        };
        let supply = &mut self.supplies[index];
        supply.part = Some(part);
        if let Some(watch) = supply.mock.take() {
            self.mocks.push(Mocked {
                type_id: supply.type_id,
                type_name: supply.type_name,
                name: supply.name.clone(),
                watch,
            });
        }
        part
    }

    /// The provider of a position that is to be made for real.
    fn real(&mut self, need: &Need) -> Option<u32> {
        let [candidate] = need.candidates[..] else {
            return None;
        };
        (self.is_real(candidate) || need.host).then_some(candidate)
    }

    fn is_real(&mut self, candidate: u32) -> bool {
        let mut real = self.target == Some(candidate);
        for (entries, used) in &mut self.real_entries {
            if entries.contains(&candidate) {
                *used = true;
                real = true;
            }
        }
        real
    }

    /// The mock of a trait that nobody prepared: one for each type and name.
    fn mock(
        &mut self,
        type_id: TypeId,
        type_name: &'static str,
        name: Option<&'static str>,
        make: fn() -> Watched,
    ) -> u32 {
        let same = self
            .mocked
            .iter()
            .find(|(known, known_name, _)| *known == type_id && *known_name == name);
        if let Some((_, _, part)) = same {
            return *part;
        }
        let Watched { handle, watch } = make();
        let shape = Part {
            type_id,
            type_name,
            coerce: &[],
            clone: None,
        };
        let part = self.assembly.value(&shape, handle);
        self.mocked.push((type_id, name, part));
        self.mocks.push(Mocked {
            type_id,
            type_name,
            name: name.map(str::to_owned),
            watch,
        });
        part
    }

    fn hooks(&mut self) -> u32 {
        let assembly = &mut self.assembly;
        *self.hooks.get_or_insert_with(|| {
            let hooks = Handle::new(Arc::new(Hooks::new()));
            assembly.value(&Part::of::<Hooks>(), hooks)
        })
    }

    /// What a test prepared in vain.
    fn unused(&mut self) {
        let mistaken = self.supplies.iter().filter(|supply| supply.is_mistaken());
        self.problems.extend(mistaken.map(explain::mistaken));
        let injected: BTreeSet<u32> = self.entries.keys().copied().collect();
        let made: Vec<&str> = injected.iter().map(|id| self.data(*id).display).collect();
        if !self.asks_container {
            for supply in &self.supplies {
                let prepared = supply.mock.is_some() || supply.level == Level::Override;
                if prepared && supply.part.is_none() {
                    let verb = if supply.mock.is_some() {
                        "mocked"
                    } else {
                        "overridden"
                    };
                    let error = explain::unused(&supply.display(), verb, &made);
                    let spelled = explain::other_spelling(supply.type_name, &self.asked);
                    self.problems.push(match spelled {
                        Some(hint) => error.with_hint(hint),
                        None => error,
                    });
                }
            }
        }
        for (real, (_, used)) in self.reals.iter().zip(&self.real_entries) {
            if !used {
                let wanted = display(real.type_name, real.name.as_deref());
                self.problems
                    .push(explain::unused(&wanted, "made real", &made));
            }
        }
    }
}

/// Gives an error back without dropping the mocks: their expectations, which nothing could meet, would
/// panic and hide the error. They are leaked, in a test that is about to end.
pub(super) fn abandon<M>(mocks: M, error: Error) -> Error {
    mem::forget(mocks);
    error
}

fn hands_out(entry: &Entry, type_id: TypeId) -> bool {
    let mut traits = entry.provider.coerce.iter();
    traits.any(|coerce| (coerce.to)() == type_id)
}

/// Whether a supply may stand for a provider of which nothing tells by what name it is asked for.
fn names_agree(supply: &Supply, entry: &Entry) -> bool {
    supply.name().is_none() || supply.name() == entry.name
}

/// The providers of the graph for a position of a provider outside of it.
fn candidates(catalogue: &Catalogue, injection: &Injection) -> Vec<u32> {
    let (type_id, type_name) = ((injection.dep.type_id)(), (injection.dep.type_name)());
    match Form::from(injection.dep.kind) {
        Form::Many => catalogue.all(type_id, injection.dep.name),
        _ => catalogue
            .find(type_id, type_name, injection.dep.name)
            .into_iter()
            .collect(),
    }
}
