//! What an extension can ask and do, phase by phase.

use std::{
    any::Any,
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use znight_contract::{ErrorCode, ScopeKind, codes::Severity, fingerprint};
use znight_syntax::check::{self, Finding, Rule};

use super::{
    Class, Item, Node, class,
    shape::{self, Shapes},
};
use crate::{
    analyse::{Application, wanted},
    bind::Bindings,
    diagnostic::Diagnostic,
    facts::{ArgumentFact, ExtensionFact, ItemKind, Parsed, TypeExpr, ValueExpr},
    model::{self, At, Injection, Occurrence, Report, Sink},
    resolve::{Found, ItemId, Refusal, Resolver, Scope, Ty, Value},
    shared::Libraries,
    source::Sources,
};

/// What one extension left behind in one program.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Its items, by number, with the tokens of their types: in the order of these.
    pub(crate) items: Vec<(usize, String)>,
    /// Types it registers or needs to be registered.
    pub(crate) hosts: Vec<Host>,
    /// What types need besides what they are made with.
    pub(crate) needs: Vec<Need>,
    /// Types something starts by itself.
    pub(crate) roots: Vec<Ty>,
    /// What it asks the container for, for a type.
    pub(crate) requests: Vec<(Ty, Injection)>,
    /// What it keeps for later phases.
    pub(crate) stored: Vec<Box<dyn Any>>,
}

/// A type that an item stands on.
#[derive(Debug)]
pub(crate) struct Host {
    /// The item.
    pub(crate) number: usize,
    pub(crate) ty: Ty,
    pub(crate) at: At,
    /// How long an instance lives, and where that is said.
    pub(crate) scope: Option<(ScopeKind, At)>,
}

/// A type that another one needs at run time.
#[derive(Debug)]
pub(crate) struct Need {
    pub(crate) of: Ty,
    pub(crate) ty: Ty,
    pub(crate) at: At,
    /// Whether it is resolved when asked for.
    pub(crate) lazy: bool,
}

/// What [`Analysis::request`] asked for: [`Validation::binding`] says what it got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    token: String,
    index: usize,
}

/// What a request got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    /// A provider, by its token.
    Provider(String),
    /// All that fit, by token.
    Many(Vec<String>),
    /// Something a plugin supplies, by its name.
    External(String),
    /// Nothing, which it may.
    Unbound,
    /// It is wrong, which has been reported.
    Failed,
}

/// A provider of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Its identity: `shop::users::UserService`.
    pub token: String,
    /// Its name, for messages.
    pub display: String,
    /// How long an instance lives.
    pub scope: ScopeKind,
    /// Its qualifier.
    pub name: Option<String>,
    /// Where it is named.
    pub at: At,
}

/// A const that is made by a call: `pub const PUBLIC: Decision = Decision::flag("public");`.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its path: `shop::auth::PUBLIC`.
    pub token: String,
    /// Where it is written: `src/auth.rs:3`.
    pub place: String,
    /// The whole value as written, calls of methods behind the first one included.
    pub written: ValueExpr,
    /// The arguments of the call, where they can be told.
    pub arguments: Vec<Option<Value>>,
    pub(crate) item: ItemId,
}

/// The consts that a call of one function makes.
fn definitions(resolver: &Resolver<'_>, callee: &str) -> Vec<Definition> {
    let program = resolver.program;
    let mut found: Vec<Definition> = program
        .items
        .iter()
        .enumerate()
        .filter(|(_, item)| item.live.within(resolver.world))
        .filter_map(|(id, item)| {
            let ItemKind::Const(fact) = &item.fact.kind else {
                return None;
            };
            let (path, arguments) = innermost_call(&fact.value)?;
            let names = path.names();
            let (last, before) = names.split_last()?;
            let holder = match resolver.path(item.module, before, path.absolute) {
                Found::Foreign(path) => path,
                Found::Item(found) => program.item_path(found),
                Found::Module(module) => program.module_path(module),
                _ => return None,
            };
            if format!("{holder}::{last}") != callee {
                return None;
            }
            let scope = Scope::module(item.module);
            Some(Definition {
                token: program.item_path(id),
                place: program.place(id),
                written: fact.value.clone(),
                arguments: arguments
                    .iter()
                    .map(|argument| resolver.evaluate(argument, &scope).ok())
                    .collect(),
                item: id,
            })
        })
        .collect();
    found.sort_by(|a, b| a.token.cmp(&b.token));
    found
}

/// The call that a chain of methods begins with.
fn innermost_call(value: &ValueExpr) -> Option<(&crate::facts::PathExpr, &[ValueExpr])> {
    match value {
        ValueExpr::Call(path, arguments) => Some((path, arguments)),
        ValueExpr::Method(receiver, ..) | ValueExpr::Ref(receiver) => innermost_call(receiver),
        _ => None,
    }
}

/// How problems are reported, in every phase that can.
macro_rules! reports {
    () => {
        /// Reports a misuse of an attribute: ZNIGHT005, the code third parties have.
        pub fn misuse(
            &mut self,
            at: At,
            message: impl Into<String>,
            hints: Vec<String>,
        ) -> &mut Report {
            self.error(ErrorCode::InvalidAttribute, at, message, hints)
        }

        /// Reports an error.
        pub fn error(
            &mut self,
            code: ErrorCode,
            at: At,
            message: impl Into<String>,
            hints: Vec<String>,
        ) -> &mut Report {
            self.sink.error(code, at, message, hints)
        }

        /// Reports a warning.
        pub fn warning(
            &mut self,
            code: ErrorCode,
            at: At,
            message: impl Into<String>,
            hints: Vec<String>,
        ) -> &mut Report {
            self.sink.warning(code, at, message, hints)
        }
    };
}

/// Looks at items with all names known.
#[derive(Debug)]
pub struct Analysis<'c, 'a> {
    pub(crate) resolver: &'a Resolver<'a>,
    pub(crate) state: &'c mut State,
    pub(crate) sink: &'c mut Sink,
    pub(crate) broken: &'c mut bool,
}

impl Analysis<'_, '_> {
    /// Sees to it that the type of an item is a provider: a struct without fields is registered as a
    /// singleton when nothing else does; a struct with fields needs `#[injectable]`, which is reported.
    pub fn register(&mut self, item: &Item<'_>) {
        self.register_as(item, None);
    }

    /// The same with a scope that the attribute gives.
    pub fn register_as(&mut self, item: &Item<'_>, scope: Option<(ScopeKind, At)>) {
        let ty = item.ty();
        match ty.unfollowable() {
            None if matches!(ty, Ty::Local(..)) => self.state.hosts.push(Host {
                number: item.number,
                ty,
                at: item.type_at(),
                scope,
            }),
            Some(Ty::Missing(_)) => *self.broken = true,
            _ => {
                *self.broken = true;
                self.error(
                    ErrorCode::UnresolvableInjection,
                    item.type_at(),
                    format!("`{}` cannot be analysed", item.fact.self_ty),
                    vec!["name a struct that stands in the source of this crate".to_owned()],
                );
            }
        }
    }

    /// Says that the type of an item needs another one at run time, which must be a provider: a guard.
    /// It is there before the type; with `lazy` it is resolved when asked for, and does not count for scopes.
    pub fn need(&mut self, item: &Item<'_>, ty: &TypeExpr, at: At, lazy: bool) {
        let ty = item.resolve(ty);
        // What rustc reports is not reported twice.
        if ty.unfollowable().is_none() {
            self.state.needs.push(Need {
                of: item.ty(),
                ty,
                at,
                lazy,
            });
        }
    }

    /// Says that the type of an item needs the provider that computes a parameter of a type, where an
    /// impl of `ResolvedBy` names one.
    pub fn need_resolver(&mut self, item: &Item<'_>, ty: &TypeExpr, at: At) {
        let wanted = item.resolve(ty);
        for resolver in self.resolver.resolvers_of(&wanted) {
            self.state.needs.push(Need {
                of: item.ty(),
                ty: resolver,
                at,
                lazy: true,
            });
        }
    }

    /// Asks the container for something on behalf of an item's type, as a field of that type would:
    /// `Arc<T>`, `Option<Arc<T>>`, `Vec<Arc<dyn Trait>>`, `Lazy<T>`.
    pub fn request(
        &mut self,
        item: &Item<'_>,
        ty: &TypeExpr,
        qualifier: Option<&str>,
        at: At,
    ) -> Request {
        let resolved = item.resolve(ty);
        let want = match wanted(&resolved, qualifier.is_some()) {
            Ok(want) => want,
            Err(refusal) => {
                if let Some((message, hint)) =
                    refusal.explain(&resolved, &ty.to_string(), self.resolver)
                {
                    self.error(ErrorCode::UnresolvableInjection, at, message, vec![hint]);
                }
                model::Want::Nothing
            }
        };
        let of = item.ty();
        let index = self
            .state
            .requests
            .iter()
            .filter(|(known, _)| *known == of)
            .count();
        self.state.requests.push((
            of,
            Injection {
                want,
                qualifier: qualifier.map(str::to_owned),
                label: format!("a request of {}", item.attribute()),
                at,
                qualifier_at: None,
            },
        ));
        Request {
            token: item.token(),
            index,
        }
    }

    /// Says that something starts the type of an item by itself, so that it is never unused.
    pub fn root(&mut self, item: &Item<'_>) {
        self.state.roots.push(item.ty());
    }

    /// Keeps something for the later phases of the same program.
    pub fn store(&mut self, value: impl Any) {
        self.state.stored.push(Box::new(value));
    }

    /// The value of an argument by a rule; none when it cannot be told or breaks the rule, which has
    /// been reported.
    pub fn argument<T>(
        &mut self,
        item: &Item<'_>,
        argument: &ArgumentFact,
        rule: &Rule<T>,
    ) -> Option<T> {
        let found = value_by_rule(self.resolver, &item.scope(), argument, rule);
        match found {
            Ok(value) => return Some(value),
            Err(Some(finding)) => {
                self.finding(item.at(argument.place), finding);
            }
            Err(None) => {}
        }
        *self.broken = true;
        None
    }

    /// The consts of the application and its libraries that a call of one function makes, by its path:
    /// `acme::Decision::new`.
    pub fn definitions_of(&self, callee: &str) -> Vec<Definition> {
        definitions(self.resolver, callee)
    }

    /// What a type of the program looks like in its source; none of other types, and where a file cannot
    /// be read.
    pub fn class_of(&self, ty: &Ty) -> Option<Class> {
        class::class_of(self.resolver, ty)
    }

    /// The structure of a type as serde writes it.
    pub fn shape(&self, ty: &Ty) -> Shapes {
        shape::shape(self.resolver, ty)
    }

    /// Reports a finding of a rule.
    pub fn finding(&mut self, at: At, finding: Finding) {
        self.error(finding.code, at, finding.message, finding.hints);
    }

    reports!();
}

/// The value of an argument by a rule, or what is wrong with it; nothing where rustc says so.
pub(crate) fn value_by_rule<T>(
    resolver: &Resolver<'_>,
    scope: &Scope,
    argument: &ArgumentFact,
    rule: &Rule<T>,
) -> Result<T, Option<Finding>> {
    // The argument only names the value: it is told where that is.
    let with_origin = |finding: Finding| match resolver.value_given_at(&argument.value, scope) {
        Some(place) => finding.hint(format!("its value is given at {place}")),
        None => finding,
    };
    match resolver.evaluate(&argument.value, scope) {
        Ok(Value::Text(text)) => (rule.check)(&text).map_err(|finding| Some(with_origin(finding))),
        Ok(other) => Err(Some(with_origin(check::not_a_string(
            rule.what,
            &other.describe(),
        )))),
        Err(refusal) => Err(unknown(&refusal, rule.what, rule.example)),
    }
}

/// What is said of an argument whose value cannot be told.
pub(crate) fn unknown(refusal: &Refusal, what: &str, example: &str) -> Option<Finding> {
    let reason = refusal.reason.as_ref()?;
    let inside = refusal
        .inside
        .as_ref()
        .map(|(name, place)| format!(" (in `{name}`, {place})"))
        .unwrap_or_default();
    Some(check::unknown(
        format!("{what} cannot be evaluated: {reason}{inside}"),
        example,
    ))
}

/// What the phases after the analysis have in common.
macro_rules! common {
    () => {
        /// What [`Analysis::store`] kept, of one type, in order.
        pub fn stored<T: Any>(&self) -> impl Iterator<Item = &T> {
            self.state()
                .stored
                .iter()
                .filter_map(|kept| kept.downcast_ref())
        }

        /// The items of the extension, in the order of their types' paths.
        pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
            let app = self.app;
            self.state()
                .items
                .iter()
                .filter_map(move |(number, _)| item(app.resolver, app.occurrences, *number))
        }

        /// The provider of an item's type; none when it is not in the graph.
        pub fn provider_of(&self, item: &Item<'_>) -> Option<Provider> {
            let index = self.app.host_of(&item.ty())?;
            Some(describe(&self.app.providers[index]))
        }

        /// The provider with a token.
        pub fn provider_named(&self, token: &str) -> Option<Provider> {
            self.providers().find(|provider| provider.token == token)
        }

        /// Every provider, ordered by token.
        pub fn providers(&self) -> impl Iterator<Item = Provider> {
            self.app.providers.iter().map(describe)
        }

        /// What a request got.
        pub fn binding(&self, request: &Request) -> Binding {
            let found = self.app.providers.iter().position(|provider| {
                provider.token == request.token && provider.requests.len() > request.index
            });
            let Some(provider) = found else {
                return Binding::Failed;
            };
            let token = |index: &usize| self.app.providers[*index].token.clone();
            match &self.bindings.requests[provider][request.index] {
                model::Binding::Provider(index) => Binding::Provider(token(index)),
                model::Binding::Many(all) => Binding::Many(all.iter().map(token).collect()),
                model::Binding::External(external) => {
                    let external = &self.app.externals[*external];
                    Binding::External(external.ty.display(self.app.program()))
                }
                model::Binding::Unbound => Binding::Unbound,
                model::Binding::Interceptors | model::Binding::Failed => Binding::Failed,
            }
        }

        /// The consts that a call of one function makes: see [`Analysis::definitions_of`].
        pub fn definitions_of(&self, callee: &str) -> Vec<Definition> {
            definitions(self.app.resolver, callee)
        }

        /// What a type of the program looks like in its source: see [`Analysis::class_of`].
        pub fn class_of(&self, ty: &Ty) -> Option<Class> {
            class::class_of(self.app.resolver, ty)
        }

        /// The structure of a type as serde writes it.
        pub fn shape(&self, ty: &Ty) -> Shapes {
            shape::shape(self.app.resolver, ty)
        }

        fn state(&self) -> &State {
            &self.app.extensions[self.number]
        }
    };
}

fn describe(provider: &model::Provider) -> Provider {
    Provider {
        token: provider.token.clone(),
        display: provider.display.clone(),
        scope: provider.scope,
        name: provider.name.clone(),
        at: provider.at,
    }
}

/// The item of a number, if an extension owns it.
pub(crate) fn item<'a>(
    resolver: &'a Resolver<'a>,
    occurrences: &'a [Occurrence],
    number: usize,
) -> Option<Item<'a>> {
    let occurrence = occurrences.get(number)?;
    let Parsed::Extension(fact) = &occurrence.marked.parsed else {
        return None;
    };
    let fact: &ExtensionFact = fact;
    Some(Item {
        number,
        occurrence,
        fact,
        resolver,
        occurrences,
    })
}

/// Checks the whole, once everything is bound.
#[derive(Debug)]
pub struct Validation<'c, 'a> {
    pub(crate) app: &'c Application<'a>,
    pub(crate) bindings: &'c Bindings,
    pub(crate) number: usize,
    pub(crate) sink: &'c mut Sink,
    /// Problems that stand outside of annotated items: they are told at the root of the crate.
    pub(crate) loose: &'c mut Vec<Diagnostic>,
    /// Problems that rustc decides whether they are there.
    pub(crate) conditional: &'c mut Vec<ConditionalReport>,
    pub(crate) watch: &'c mut BTreeSet<PathBuf>,
}

/// A problem that counts where a macro of the run time hands it on.
#[derive(Debug)]
pub(crate) struct ConditionalReport {
    pub(crate) report: Report,
    /// The macro, below `__private` of the facade.
    pub(crate) only: &'static str,
}

impl Validation<'_, '_> {
    common!();

    /// The text of a file that is no source, relative to the package; the build is run again when it
    /// changes.
    pub fn input_file(&mut self, path: impl AsRef<Path>) -> Option<String> {
        let path = path.as_ref();
        self.watch.insert(path.to_owned());
        let sources: &dyn Sources = self.app.sources;
        sources.read(path)
    }

    /// `src/users/service.rs:12`, for messages.
    pub fn show(&self, at: At) -> String {
        self.app.show(at)
    }

    reports!();

    /// How many errors have been reported so far.
    pub fn errors(&self) -> usize {
        let errors = self.sink.0.iter();
        errors
            .filter(|report| report.severity == Severity::Error)
            .count()
    }
}

/// Adds to the generated code.
#[derive(Debug)]
pub struct Generation<'c, 'a> {
    pub(crate) app: &'c Application<'a>,
    pub(crate) bindings: &'c Bindings,
    pub(crate) shared: &'c Libraries,
    pub(crate) number: usize,
    pub(crate) files: RefCell<BTreeMap<String, String>>,
}

/// What one extension generated.
#[derive(Debug)]
pub(crate) struct Generated {
    /// The name of the `static`.
    pub(crate) name: String,
    /// Its type, as text.
    pub(crate) ty: String,
    /// Its value, as text.
    pub(crate) value: String,
}

impl Generation<'_, '_> {
    common!();

    /// The number of an item's provider in the graph, where the run time looks it up.
    ///
    /// # Panics
    /// When the item's type was not [registered](Analysis::register).
    pub fn provider(&self, item: &Item<'_>) -> Node {
        let index = self.app.host_of(&item.ty());
        let index = index.expect("the item's type was not registered");
        Node::number(index as i128)
    }

    /// The number of the provider with a token; none when there is none.
    pub fn provider_number(&self, token: &str) -> Option<Node> {
        let mut providers = self.app.providers.iter();
        let index = providers.position(|provider| provider.token == token)?;
        Some(Node::number(index as i128))
    }

    /// A constant that the attribute's macro wrote beside an item: an associated const of a trait that
    /// is implemented for the marker of the item's crate, by the item's id.
    ///
    /// ```text
    /// impl acme::Job<0x1234> for crate::__Znight { const JOB: acme::JobDef = ..; }
    /// ```
    ///
    /// The macro finds the id in the item's record.
    ///
    /// # Panics
    /// When the item's type was not [registered](Analysis::register).
    pub fn glue(&self, item: &Item<'_>, path: &str, name: &str) -> Node {
        let program = self.app.program();
        let marker = &program.crate_of(item.module()).marker;
        let id = host_id(self.app, self.shared, item);
        Node::glue(
            marker,
            path,
            id.expect("the item's type was not registered"),
            name,
        )
    }

    /// Writes a file beside the generated graph, below `OUT_DIR`. The name has no directories.
    pub fn emit_file(&self, name: &str, content: impl Into<String>) {
        self.files
            .borrow_mut()
            .insert(name.to_owned(), content.into());
    }
}

/// The id of the glue of an item; none when its type is no provider.
pub(crate) fn host_id(app: &Application<'_>, shared: &Libraries, item: &Item<'_>) -> Option<u64> {
    let provider = &app.providers[app.host_of(&item.ty())?];
    let token = crate::emit::token(shared, provider);
    Some(fingerprint::id(&format!("{} {token}", item.attribute())))
}
