//! One provider in a test, with stand-ins for what it is injected with.

mod builder;
mod explain;
mod need;
mod planner;
mod supply;

use std::{fmt, sync::Arc};

use znight_core::{
    __private::{Mockable, Provided, Watch, assembly::Defined, short_name},
    Container, Graph, OpenScope, Scope,
};

use self::{planner::Mocked, supply::Target};

pub use builder::{Aop, TestBedBuilder};

/// One provider, made by its real constructor, with stand-ins for what it is injected with.
///
/// | what the provider is injected with | what the bed gives it |
/// | --- | --- |
/// | a trait with a mock (`#[mockable]`) | a mock; one that was not prepared with [`mock`] fails the test when it is called |
/// | anything else that is required | what was provided, else [`build`] fails and says what to do |
/// | `Option<..>` | `None`, unless it was provided or mocked |
/// | `Vec<..>` | what was provided or mocked, in that order |
/// | `Lazy<T>` | what `Arc<T>` would be, the same mock among others |
///
/// A part that was [made real] is created by its own constructor and injected by the same rules. No
/// lifecycle hook is ever called in a bed: neither those of the provider nor disposal.
///
/// Mocks are those of `mockall`. They are prepared in a closure, before they are shared: mockall
/// wants `&mut` for that. What they expect is checked when the last owner drops them. That is the
/// bed in most tests; [`verify`] makes sure of it.
///
/// ```
/// # use std::sync::Arc;
/// # use znight_core::{__private::{Dep, Entry, GraphData, Injection, Lifecycle, METADATA_VERSION, Make, Mockable, Asked, made, provider}, Graph, ScopeKind};
/// # trait UserRepository: Send + Sync {
/// #     fn name_of(&self, id: u64) -> Option<String>;
/// # }
/// # #[derive(Default)]
/// # struct MockUserRepository(Option<fn(u64) -> Option<String>>);
/// # struct Expectation<'a>(&'a mut MockUserRepository);
/// # impl MockUserRepository {
/// #     fn expect_name_of(&mut self) -> Expectation<'_> { Expectation(self) }
/// # }
/// # impl Expectation<'_> {
/// #     fn returning(self, answer: fn(u64) -> Option<String>) { self.0.0 = Some(answer); }
/// # }
/// # impl UserRepository for MockUserRepository {
/// #     fn name_of(&self, id: u64) -> Option<String> { (self.0.expect("an expectation"))(id) }
/// # }
/// # impl Mockable for dyn UserRepository {
/// #     type Mock = MockUserRepository;
/// #     fn share(mock: MockUserRepository) -> Arc<Self> { Arc::new(mock) }
/// # }
/// # struct UserService { users: Arc<dyn UserRepository> }
/// # impl UserService {
/// #     fn greeting(&self, id: u64) -> String {
/// #         self.users.name_of(id).map_or_else(|| "Who?".to_owned(), |name| format!("Hello, {name}"))
/// #     }
/// # }
/// # mod shop {
/// #     use super::*;
/// #     pub fn graph() -> Graph {
/// #         static PROVIDERS: [Entry; 2] = [
/// #             Entry {
/// #                 token: "shop::PgUsers", display: "PgUsers", scope: ScopeKind::Singleton, name: None, primary: false,
/// #                 provider: provider::<()>(Make::Plain(|_| made::<(), _>(())), &[], Lifecycle::NONE),
/// #                 deps: &[], uses: &[], asks: &[], source: None,
/// #             },
/// #             Entry {
/// #                 token: "shop::UserService", display: "UserService", scope: ScopeKind::Singleton, name: None, primary: false,
/// #                 provider: provider::<UserService>(
/// #                     Make::Plain(|d| made::<UserService, _>(UserService { users: d.next() })), &[], Lifecycle::NONE,
/// #                 ).injected_with(&[Asked::<Arc<dyn UserRepository>>::INJECTION]),
/// #                 deps: &[Dep::One(0)], uses: &[], asks: &[], source: None,
/// #             },
/// #         ];
/// #         static GRAPH: GraphData = GraphData {
/// #             version: METADATA_VERSION, compiler: "0.1.0", package: "shop", providers: &PROVIDERS,
/// #             order: &[0, 1], bindings: &[], externals: &[], sections: &[],
/// #         };
/// #         Graph::new(&GRAPH)
/// #     }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> znight_core::Result {
/// use znight_testing::TestBed;
///
/// let bed = TestBed::of::<UserService>(shop::graph())
///     .mock::<dyn UserRepository>(|users| {
///         users.expect_name_of().returning(|id| (id == 7).then(|| "Ada".to_owned()));
///     })
///     .build()
///     .await?;
/// assert_eq!(bed.get().greeting(7), "Hello, Ada");
/// assert_eq!(bed.get().greeting(8), "Who?");
/// bed.verify();
/// # Ok(())
/// # }
/// ```
///
/// [`mock`]: TestBedBuilder::mock
/// [`build`]: TestBedBuilder::build
/// [made real]: TestBedBuilder::real
/// [`verify`]: Self::verify
// Dropped from the first field to the last: the container goes when nobody holds what it made.
pub struct TestBed<T: ?Sized = ()> {
    instance: Arc<T>,
    scope: Scope,
    _open: OpenScope,
    container: Container,
    target: Watch,
    name: String,
    mocks: Vec<Mocked>,
}

impl TestBed {
    /// A bed for the provider of a type, which may be a `dyn Trait`.
    pub fn of<T: ?Sized + Send + Sync + 'static>(graph: Graph) -> TestBedBuilder<T> {
        TestBedBuilder::new(graph, Target::Type)
    }

    /// A bed for the provider of a type that has this name.
    pub fn of_named<T: ?Sized + Send + Sync + 'static>(
        graph: Graph,
        name: impl Into<String>,
    ) -> TestBedBuilder<T> {
        TestBedBuilder::new(graph, Target::Named(name.into()))
    }

    /// A bed for the provider with this token (`shop::users::UserService`), or with this display
    /// name (`UserService`, `Database::pool`) when only one has it.
    pub fn of_token<T: ?Sized + Send + Sync + 'static>(
        graph: Graph,
        token: impl Into<String>,
    ) -> TestBedBuilder<T> {
        TestBedBuilder::new(graph, Target::Token(token.into()))
    }

    /// A bed for a provider that is not in the graph: an `#[injectable]` type of a test.
    pub fn of_provided<T: Provided>(graph: Graph) -> TestBedBuilder<T> {
        TestBedBuilder::new(graph, Target::Defined(Box::new(Defined::provided::<T>())))
    }
}

impl<T: ?Sized + Send + Sync + 'static> TestBed<T> {
    /// The instance. Of a request-scoped provider it is the one of the bed's [`scope`](Self::scope), of
    /// a transient one the one that was made when the bed was built.
    pub fn get(&self) -> &Arc<T> {
        &self.instance
    }

    /// The container: the instance, and what the bed gave to it. It knows nothing else of the graph.
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// The request scope of the bed, open for as long as the bed is.
    ///
    /// Code that resolves what belongs to a request runs in it: `bed.scope().wrap(future).await`,
    /// `bed.scope().enter(|| ..)`.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Whether the bed gave a mock for `M`, prepared or not, under whatever name.
    pub fn was_mocked<M: ?Sized + Mockable>(&self) -> bool {
        let wanted = std::any::TypeId::of::<M>();
        self.mocks.iter().any(|mock| mock.type_id == wanted)
    }

    /// Ends the bed and has every mock check what it expected, here and now.
    ///
    /// Dropping the bed does the same for mocks that nobody else holds; what others hold is checked when
    /// they drop it, perhaps in a task whose panic no test sees.
    ///
    /// # Panics
    /// When an expectation is not met, as mockall words it, and when a mock is still held: by a clone
    /// of the instance, or by a task that has not ended.
    #[track_caller]
    pub fn verify(self) {
        let Self {
            instance,
            scope,
            _open: open,
            container,
            target,
            name,
            mocks,
        } = self;
        drop(instance);
        drop((scope, open));
        drop(container);
        let held: Vec<String> = mocks
            .iter()
            .filter(|mock| mock.watch.owners() > 0)
            .map(Mocked::display)
            .collect();
        if held.is_empty() {
            return;
        }
        let by = match target.owners() {
            0 => "something that got them from it".to_owned(),
            _ => format!("a clone of {name}"),
        };
        panic!(
            "mocks of the bed of {name} cannot be verified, {by} still holds them: {}; drop it before `verify()`",
            held.join(", ")
        );
    }
}

impl<T: ?Sized> fmt::Debug for TestBed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestBed")
            .field("of", &short_name(std::any::type_name::<T>()))
            .field("mocks", &self.mocks)
            .finish_non_exhaustive()
    }
}
