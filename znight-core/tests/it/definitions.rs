//! Providers written out in code.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use znight_core::{
    Container, Definition, Dispose, ErrorCode, Graph, Interceptors, Lazy, OnReady, OnStart, OnStop,
    Result, Returned, ScopeKind, SyncInvocation, SyncMethodInterceptor,
};

use crate::support::{Script, Sketch};

trait Users: Send + Sync {
    fn count(&self) -> u32;
}

struct Log(Mutex<Vec<&'static str>>);

impl Log {
    fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Vec::new())))
    }

    fn say(&self, line: &'static str) {
        self.0.lock().unwrap().push(line);
    }

    fn lines(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().clone()
    }
}

struct Store {
    log: Arc<Log>,
    users: u32,
}

impl Users for Store {
    fn count(&self) -> u32 {
        self.users
    }
}

struct Service {
    users: Arc<dyn Users>,
    cache: Option<Arc<u64>>,
    all: Vec<Arc<dyn Users>>,
    later: Lazy<Store>,
}

fn empty() -> Container {
    Container::new(Graph::empty()).unwrap()
}

fn store(users: u32) -> Definition<Store> {
    Definition::<Store>::new(move |log: Arc<Log>| Store { log, users })
        .handed_out_as::<dyn Users>(|store| store)
}

#[tokio::test]
async fn a_definition_is_injected_with_every_form() {
    let container = empty();
    container.provide_value(Log::new()).unwrap();
    container.provide_definition(store(3)).unwrap();
    container
        .provide_definition(Definition::<Service>::new(
            |users: Arc<dyn Users>,
             cache: Option<Arc<u64>>,
             all: Vec<Arc<dyn Users>>,
             later: Lazy<Store>| Service {
                users,
                cache,
                all,
                later,
            },
        ))
        .unwrap();
    container.init().await.unwrap();
    let service = container.get::<Service>().unwrap();
    assert_eq!(service.users.count(), 3);
    assert!(service.cache.is_none());
    assert_eq!(service.all.len(), 1);
    assert_eq!(service.later.get().unwrap().users, 3);
    assert!(Arc::ptr_eq(
        &service.later.get().unwrap(),
        &container.get::<Store>().unwrap()
    ));
}

#[tokio::test]
async fn an_async_definition_waits_and_its_error_is_the_cause() {
    let container = empty();
    container
        .provide_definition(Definition::<u64>::new_async(|| async {
            tokio::task::yield_now().await;
            7_u64
        }))
        .unwrap();
    container
        .provide_definition(Definition::<String>::new_async(
            |number: Arc<u64>| async move {
                Err::<String, _>(std::io::Error::other(format!("no text for {number}")))
            },
        ))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InstantiationFailed);
    let report = error.report().to_string();
    assert!(report.contains("no text for 7"), "{report}");
    assert!(report.contains("definitions.rs:"), "{report}");
}

#[tokio::test]
async fn an_async_definition_is_for_singletons() {
    let container = empty();
    container
        .provide_definition(
            Definition::<u64>::new_async(|| async { 7_u64 }).scope(ScopeKind::Request),
        )
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::AsyncNonSingleton);
}

#[tokio::test]
async fn scopes_and_names_of_definitions_count() {
    let container = empty();
    let made = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&made);
    container
        .provide_definition(
            Definition::<u32>::new(move || counter.fetch_add(1, Ordering::SeqCst))
                .scope(ScopeKind::Transient),
        )
        .unwrap();
    container
        .provide_definition(Definition::<String>::new(|| "a".to_owned()).name("a"))
        .unwrap();
    container
        .provide_definition(
            Definition::<String>::new(|| "b".to_owned())
                .name("b")
                .primary(),
        )
        .unwrap();
    container
        .provide_definition(
            Definition::<Vec<String>>::new(|first: Arc<String>, second: Arc<String>| {
                vec![first.to_string(), second.to_string()]
            })
            .inject_named(0, "a"),
        )
        .unwrap();
    container.init().await.unwrap();
    assert_ne!(
        *container.get::<u32>().unwrap(),
        *container.get::<u32>().unwrap()
    );
    assert_eq!(*container.get_named::<String>("a").unwrap(), "a");
    assert_eq!(*container.get::<String>().unwrap(), "b");
    assert_eq!(*container.get::<Vec<String>>().unwrap(), ["a", "b"]);
}

#[tokio::test]
async fn a_definition_has_a_token_and_a_display_name() {
    let container = empty();
    container
        .provide_definition(Definition::<u64>::new(|| 7_u64).token("acme::Answer"))
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(container.token_of::<u64>().as_deref(), Some("acme::Answer"));
    assert_eq!(*container.get_by_token::<u64>("acme::Answer").unwrap(), 7);
    assert_eq!(*container.get_by_token::<u64>("Answer").unwrap(), 7);
}

#[tokio::test]
async fn what_is_wrong_with_a_definition_is_reported_with_everything_else() {
    let container = empty();
    container
        .provide_definition(Definition::<u64>::new(|_: Arc<u8>| 7_u64).inject_named(3, "x"))
        .unwrap();
    let error = container.init().await.unwrap_err();
    let report = error.report().to_string();
    assert!(
        report.contains(
            "ZNIGHT005: the constructor of u64 has 1 parameters, and \"x\" is asked for as number 3"
        ),
        "{report}"
    );
    assert!(
        report.contains("ZNIGHT001: no provider for u8, required by u64"),
        "{report}"
    );
}

#[tokio::test]
async fn two_definitions_of_one_type_conflict_unless_their_names_differ() {
    let container = empty();
    container
        .provide_definition(Definition::<u64>::new(|| 1_u64).name("one"))
        .unwrap();
    container
        .provide_definition(Definition::<u64>::new(|| 2_u64).name("two"))
        .unwrap();
    let error = container
        .provide_definition(Definition::<u64>::new(|| 3_u64).name("one"))
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::DuplicateProvider);
}

struct Worker(Arc<Log>);

impl OnStart for Worker {
    async fn on_start(&self) -> Result {
        self.0.say("start");
        Ok(())
    }
}

impl OnReady for Worker {
    async fn on_ready(&self) -> Result {
        self.0.say("ready");
        Ok(())
    }
}

impl OnStop for Worker {
    async fn on_stop(&self) -> Result {
        self.0.say("stop");
        Ok(())
    }
}

impl Dispose for Worker {
    async fn dispose(&self) -> Result {
        self.0.say("dispose");
        Ok(())
    }
}

#[tokio::test]
async fn hooks_of_a_definition_run() {
    let log = Log::new();
    let app = znight_core::Application::builder(Graph::empty())
        .signals(false)
        .provide_value(Arc::clone(&log))
        .provide_definition(
            Definition::<Worker>::new(|log: Arc<Log>| Worker(log))
                .on_start()
                .on_ready()
                .on_stop()
                .dispose(),
        )
        .provide_definition(store(1).dispose_with(|store| async move { store.log.say("closed") }))
        .build()
        .await
        .unwrap();
    app.start().await.unwrap();
    app.stop().await.unwrap();
    assert_eq!(log.lines(), ["start", "ready", "closed", "stop", "dispose"]);
}

#[tokio::test]
async fn a_failing_dispose_function_is_reported() {
    let container = empty();
    container
        .provide_definition(
            Definition::<u64>::new(|| 7_u64)
                .dispose_with(|_| async { Err::<(), _>(std::io::Error::other("busy")) }),
        )
        .unwrap();
    container.init().await.unwrap();
    let error = container.dispose().await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::LifecycleFailed);
    assert!(error.report().to_string().contains("busy"));
}

#[tokio::test]
async fn a_definition_overrides_a_trait_with_dependencies_of_its_own() {
    let container = empty();
    let log = Log::new();
    container.provide_value(Arc::clone(&log)).unwrap();
    container.provide_definition(store(1)).unwrap();
    container
        .override_definition::<dyn Users, Store>(
            store(9).dispose_with(|store| async move { store.log.say("fake closed") }),
        )
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(container.get::<dyn Users>().unwrap().count(), 9);
    // The concrete type is still what it was.
    assert_eq!(container.get::<Store>().unwrap().users, 1);
    container.dispose().await.unwrap();
    assert_eq!(log.lines(), ["fake closed"]);
}

#[tokio::test]
async fn an_override_that_is_not_handed_out_as_the_trait_says_what_to_add() {
    let container = empty();
    container.provide_value(Log::new()).unwrap();
    container.provide_definition(store(1)).unwrap();
    container
        .override_definition::<dyn Users, u64>(Definition::<u64>::new(|| 7_u64))
        .unwrap();
    let report = container.init().await.unwrap_err().report().to_string();
    assert!(
        report.contains("u64 is to be handed out as dyn Users"),
        "{report}"
    );
    assert!(
        report.contains(".handed_out_as::<dyn Users>(|it| it)"),
        "{report}"
    );
}

#[tokio::test]
async fn an_override_by_token_replaces_one_of_several() {
    let container = empty();
    container.provide_value(Log::new()).unwrap();
    for name in ["one", "two"] {
        let token = if name == "one" {
            "acme::One"
        } else {
            "acme::Two"
        };
        container
            .provide_definition(
                Definition::<Store>::new(|log: Arc<Log>| Store { log, users: 1 })
                    .name(name)
                    .token(token),
            )
            .unwrap();
    }
    let fake = Store {
        log: Log::new(),
        users: 5,
    };
    container
        .override_token::<Store>("acme::Two", Arc::new(fake))
        .unwrap();
    container.init().await.unwrap();
    assert_eq!(container.get_named::<Store>("one").unwrap().users, 1);
    assert_eq!(
        container.get_by_token::<Store>("acme::Two").unwrap().users,
        5
    );
    assert_eq!(container.get_by_token::<Store>("Two").unwrap().users, 5);
}

#[tokio::test]
async fn an_override_by_a_token_nobody_has_names_the_closest() {
    let container = empty();
    container
        .provide_definition(Definition::<u64>::new(|| 7_u64).token("acme::Answer"))
        .unwrap();
    container
        .override_token::<u64>("acme::Answr", Arc::new(8))
        .unwrap();
    let report = container.init().await.unwrap_err().report().to_string();
    assert!(
        report.contains("no provider has the token acme::Answr"),
        "{report}"
    );
    assert!(report.contains("there is acme::Answer"), "{report}");
}

#[tokio::test]
async fn a_registration_of_what_is_overridden_is_ignored() {
    let container = Sketch::of(vec![]).container(&Script::new());
    container.override_value(Arc::new(1_u64)).unwrap();
    container.register_value(Arc::new(2_u64)).unwrap();
    container.register_value(Arc::new(3_u64)).unwrap();
    container.provide_value(Arc::new(4_u64)).unwrap();
    container.init().await.unwrap();
    assert_eq!(*container.get::<u64>().unwrap(), 1);
}

#[tokio::test]
async fn an_external_of_the_request_is_announced_by_a_plugin() {
    struct Visitor(&'static str);
    let container = empty();
    container
        .register_external::<Visitor>(ScopeKind::Request)
        .unwrap();
    container
        .provide_definition(
            Definition::<String>::new(|visitor: Arc<Visitor>| visitor.0.to_owned())
                .scope(ScopeKind::Request),
        )
        .unwrap();
    container.init().await.unwrap();
    let error = container.get::<Visitor>().err().unwrap();
    assert_eq!(error.code(), ErrorCode::OutsideRequestScope);
    let name = container
        .open_scope()
        .with(Arc::new(Visitor("ada")))
        .run_to_end(async { znight_core::Scope::current()?.get::<String>() })
        .await
        .unwrap()
        .unwrap();
    assert_eq!(*name, "ada");
}

#[tokio::test]
async fn a_singleton_may_not_be_injected_with_an_announced_external_of_the_request() {
    struct Visitor;
    let container = empty();
    container
        .register_external::<Visitor>(ScopeKind::Request)
        .unwrap();
    container
        .provide_definition(Definition::<String>::new(|_: Arc<Visitor>| String::new()))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ScopeMismatch);
}

#[tokio::test]
async fn an_announced_external_that_nobody_supplies_is_missing() {
    struct Clock;
    let container = empty();
    container
        .register_external::<Clock>(ScopeKind::Singleton)
        .unwrap();
    container
        .provide_definition(Definition::<String>::new(|_: Arc<Clock>| String::new()))
        .unwrap();
    let error = container.init().await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::MissingProvider);
}

#[tokio::test]
async fn instances_are_listed_in_resolution_order_and_disposed_once() {
    let log = Log::new();
    let container = empty();
    container.provide_value(Arc::clone(&log)).unwrap();
    container
        .provide_definition(
            Definition::<String>::new(|store: Arc<Store>| store.users.to_string())
                .token("acme::Text"),
        )
        .unwrap();
    container
        .provide_definition(
            store(2)
                .token("acme::Store")
                .dispose_with(|store| async move { store.log.say("store") }),
        )
        .unwrap();
    assert!(container.instances().is_empty());
    container.init().await.unwrap();
    let instances = container.instances();
    let tokens: Vec<&str> = instances
        .iter()
        .map(znight_core::ManagedInstance::token)
        .collect();
    assert_eq!(tokens, ["acme::Store", "acme::Text"]);
    assert_eq!(instances[0].get::<dyn Users>().unwrap().count(), 2);
    assert_eq!(instances[0].display_name(), "Store");
    assert!(instances[0].place().is_some());
    assert!(instances[1].get::<u8>().is_none());
    instances[0].dispose().await.unwrap();
    instances[0].dispose().await.unwrap();
    assert_eq!(container.instances().len(), 1);
    container.dispose().await.unwrap();
    instances[0].dispose().await.unwrap();
    assert_eq!(log.lines(), ["store"]);
    assert!(container.instances().is_empty());
}

#[tokio::test]
async fn a_scope_is_asked_for_what_it_has() {
    trait Session: Send + Sync {
        fn user(&self) -> u32;
    }
    impl Session for u32 {
        fn user(&self) -> u32 {
            *self
        }
    }
    let container = empty();
    container.init().await.unwrap();
    let mut open = container.open_scope();
    open.seed_as::<dyn Session>(Arc::new(7_u32));
    let scope = open.handle().unwrap();
    assert!(scope.has::<dyn Session>());
    assert!(!scope.has::<u32>());
    assert_eq!(scope.get::<dyn Session>().unwrap().user(), 7);
    assert!(scope.get_optional::<u32>().unwrap().is_none());
    scope.seed_as::<dyn Session>(Arc::new(8_u32));
    assert_eq!(scope.get::<dyn Session>().unwrap().user(), 8);
    assert!(!scope.is_closed());
    open.close().await.unwrap();
    assert!(scope.is_closed());
}

struct Doubling;

impl SyncMethodInterceptor for Doubling {
    type Options = ();

    fn intercept(&self, call: &mut SyncInvocation<'_>, (): &()) -> Returned {
        call.proceed()
    }
}

struct Intercepted(Interceptors);

#[tokio::test]
async fn a_definition_says_what_it_is_intercepted_by() {
    let container = empty();
    container
        .provide_definition(Definition::<Doubling>::new(|| Doubling))
        .unwrap();
    container
        .provide_definition(
            Definition::<Intercepted>::new(|_: Arc<Container>, interceptors: Interceptors| {
                Intercepted(interceptors)
            })
            .intercepted_by::<Doubling>(),
        )
        .unwrap();
    container
        .init_only([znight_core::Root::of::<Intercepted>()])
        .await
        .unwrap();
    assert!(!container.get::<Intercepted>().unwrap().0.is_empty());
    assert_eq!(
        container.instances().len(),
        2,
        "the interceptor belongs to the closure"
    );
}

#[tokio::test]
async fn an_interceptor_of_a_definition_is_provided_and_has_a_place() {
    let container = empty();
    container
        .provide_definition(
            Definition::<Intercepted>::new(|interceptors: Interceptors| Intercepted(interceptors))
                .intercepted_by::<Doubling>(),
        )
        .unwrap();
    container
        .provide_definition(Definition::<u64>::new(|| 7_u64).intercepted_by::<Doubling>())
        .unwrap();
    let report = container.init().await.unwrap_err().report().to_string();
    assert!(
        report.contains("no provider for Doubling, required by Intercepted"),
        "{report}"
    );
    assert!(
        report.contains(
            "u64 is to be intercepted by Doubling, and its constructor takes no interceptors"
        ),
        "{report}"
    );
}

#[tokio::test]
async fn look_ups_by_name_and_token_may_find_nothing() {
    let container = empty();
    for name in ["one", "two"] {
        container
            .provide_definition(
                Definition::<String>::new(move || name.to_owned())
                    .name(name)
                    .token(if name == "one" {
                        "acme::One"
                    } else {
                        "acme::Two"
                    }),
            )
            .unwrap();
    }
    container
        .provide_definition(Definition::<u8>::new(|| None::<u8>).name("none"))
        .unwrap();
    container
        .register_external::<u16>(ScopeKind::Singleton)
        .unwrap();
    container.init_only([]).await.unwrap();
    let named = |name| container.get_named_optional::<String>(name).unwrap();
    assert_eq!(named("one").as_deref().map(String::as_str), Some("one"));
    assert!(named("three").is_none());
    assert!(
        container
            .get_named_optional::<u8>("none")
            .unwrap()
            .is_none()
    );
    assert!(container.has_named::<String>("two") && !container.has_named::<String>("three"));
    let token = |token| container.get_by_token_optional::<String>(token);
    assert_eq!(
        token("Two").unwrap().as_deref().map(String::as_str),
        Some("two")
    );
    assert!(token("acme::Three").unwrap().is_none());
    let other = container
        .get_by_token_optional::<u8>("acme::One")
        .unwrap_err();
    assert_eq!(other.code(), ErrorCode::MissingProvider);
    assert!(
        container
            .get_by_token_optional::<u16>("u16")
            .unwrap()
            .is_none()
    );
    assert!(container.has_token("acme::One") && container.has_token("One"));
    assert!(!container.has_token("u16") && !container.has_token("acme::Three"));
}

#[tokio::test]
async fn hooks_that_nobody_would_call_are_refused() {
    for (scope, said) in [
        (
            ScopeKind::Transient,
            vec!["on_start", "on_ready", "on_stop", "dispose"],
        ),
        (ScopeKind::Request, vec!["on_start", "on_ready", "on_stop"]),
    ] {
        let container = empty();
        container.provide_value(Log::new()).unwrap();
        container
            .provide_definition(
                Definition::<Worker>::new(|log: Arc<Log>| Worker(log))
                    .on_start()
                    .on_ready()
                    .on_stop()
                    .dispose()
                    .scope(scope),
            )
            .unwrap();
        let error = container.init().await.unwrap_err();
        let errors: Vec<String> = error.errors().iter().map(ToString::to_string).collect();
        assert_eq!(errors.len(), said.len(), "{errors:?}");
        for (error, hook) in errors.iter().zip(said) {
            let expected =
                format!("ZNIGHT009: `{hook}` of Worker is never called: it is {scope}-scoped");
            assert_eq!(*error, expected);
        }
    }
}
