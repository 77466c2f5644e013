//! What adds up: many applications one after another, many scopes and look-ups at once.

use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use znight_core::{
    Application, Container, Definition, Dispose, Graph, Lazy, OnStart, OnStop, Plugin,
    PluginContext, Result, Scope, ScopeKind,
};

/// Set in the process that runs the cycles.
const CHILD: &str = "ZNIGHT_TEST_CYCLES";

static ALIVE: AtomicI64 = AtomicI64::new(0);

struct Counted(Vec<u8>);

impl Counted {
    fn new() -> Self {
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Self(vec![7; 4096])
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Pool(Counted);

impl Dispose for Pool {
    async fn dispose(&self) -> Result {
        Ok(())
    }
}

struct Worker {
    pool: Arc<Pool>,
    peer: Lazy<Worker>,
    container: Arc<Container>,
}

impl OnStart for Worker {
    async fn on_start(&self) -> Result {
        // Each may hold the other and the container: neither keeps the application alive.
        assert!(Arc::ptr_eq(&self.peer.get()?.pool, &self.pool));
        assert!(self.container.has::<Pool>());
        Ok(())
    }
}

impl OnStop for Worker {
    async fn on_stop(&self) -> Result {
        Ok(())
    }
}

struct Supplies(Counted);

impl Plugin for Supplies {
    fn name(&self) -> &'static str {
        "supplies"
    }

    async fn register(&self, context: &PluginContext) -> Result {
        context.register_value(Arc::new(self.0.0.len()))?;
        context.hooks().on(|_: &u32| {}).forget();
        let handle = context.application().handle();
        context.offer(Arc::new(handle));
        Ok(())
    }
}

async fn cycle() {
    let application = Application::builder(Graph::empty())
        .signals(false)
        .plugin(Supplies(Counted::new()))
        .provide_definition(
            Definition::<Pool>::new_async(|| async { Pool(Counted::new()) }).dispose(),
        )
        .provide_definition(
            Definition::<Worker>::new(
                |pool: Arc<Pool>, peer: Lazy<Worker>, container: Arc<Container>| Worker {
                    pool,
                    peer,
                    container,
                },
            )
            .on_start()
            .on_stop(),
        )
        .provide_definition(Definition::<String>::new(|size: Arc<usize>| {
            size.to_string()
        }))
        .build()
        .await
        .unwrap();
    application.start().await.unwrap();
    let container = application.container().clone();
    assert_eq!(*container.get::<String>().unwrap(), "4096");
    application
        .container()
        .run_in_scope(async { Scope::current().map(|scope| scope.is_closed()) })
        .await
        .unwrap()
        .unwrap();
    let pool = container.get::<Pool>().unwrap();
    application.stop().await.unwrap();
    assert!(container.get::<Pool>().is_err());
    assert_eq!(pool.0.0[0], 7, "what somebody holds stays alive");
}

/// Not a test of its own: what the test below runs in a process without others.
#[test]
fn cycles() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        // Whatever is allocated once for the process is allocated by then.
        for _ in 0..200 {
            cycle().await;
        }
        let before = resident();
        for _ in 0..1000 {
            cycle().await;
        }
        let grown = resident().saturating_sub(before);
        assert_eq!(
            ALIVE.load(Ordering::SeqCst),
            0,
            "instances that nobody freed"
        );
        assert!(grown < 1024, "the process has grown by {grown} KiB");
    });
}

/// The memory of the process, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or_default()
}

#[test]
fn a_thousand_applications_one_after_another_leave_nothing_behind() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "load::cycles", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ten_thousand_scopes_at_once_make_and_dispose_as_much_and_share_nothing() {
    static MADE: AtomicU64 = AtomicU64::new(0);
    static DISPOSED: AtomicU64 = AtomicU64::new(0);

    struct Visit(u64);
    impl Dispose for Visit {
        async fn dispose(&self) -> Result {
            DISPOSED.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }
    }
    struct Page {
        visit: Arc<Visit>,
        number: Arc<u64>,
    }

    let container = Container::new(Graph::empty()).unwrap();
    container
        .register_external::<u64>(ScopeKind::Request)
        .unwrap();
    container
        .provide_definition(
            Definition::<Visit>::new(|number: Arc<u64>| {
                MADE.fetch_add(1, Ordering::SeqCst);
                Visit(*number)
            })
            .scope(ScopeKind::Request)
            .dispose(),
        )
        .unwrap();
    container
        .provide_definition(
            Definition::<Page>::new(|visit: Arc<Visit>, number: Arc<u64>| Page { visit, number })
                .scope(ScopeKind::Transient),
        )
        .unwrap();
    container.init().await.unwrap();

    let open = Arc::new(tokio::sync::Barrier::new(100));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..10_000_u64 {
        let (container, open) = (container.clone(), Arc::clone(&open));
        tasks.spawn(async move {
            let inside = async {
                let first = container.get::<Page>()?;
                // A hundred are open at a time, at least.
                open.wait().await;
                let scope = Scope::current()?;
                let same = tokio::spawn(scope.wrap(async { Scope::current()?.get::<Visit>() }));
                let same = same.await.expect("does not panic")?;
                assert!(Arc::ptr_eq(&first.visit, &same));
                assert_eq!((first.visit.0, *first.number), (number, number));
                Ok::<_, znight_core::Error>(())
            };
            container
                .open_scope()
                .with(Arc::new(number))
                .run_to_end(inside)
                .await
                .expect("its disposal works")
                .expect("everything is there");
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert_eq!(MADE.load(Ordering::SeqCst), 10_000);
    assert_eq!(DISPOSED.load(Ordering::SeqCst), 10_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn singletons_asked_for_by_everybody_while_the_container_is_disposed_are_disposed_or_refused()
{
    for _ in 0..300 {
        let made = Arc::new(AtomicI64::new(0));
        let container = Container::new(Graph::empty()).unwrap();
        let (up, down) = (Arc::clone(&made), Arc::clone(&made));
        container
            .provide_definition(
                Definition::<Vec<u8>>::new(move || {
                    up.fetch_add(1, Ordering::SeqCst);
                    vec![1_u8]
                })
                .dispose_with(move |_| {
                    down.fetch_sub(1, Ordering::SeqCst);
                    std::future::ready(())
                }),
            )
            .unwrap();
        container.init_only([]).await.unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let container = container.clone();
            tasks.spawn_blocking(move || container.get::<Vec<u8>>().is_ok());
        }
        let disposed = container.clone();
        let disposal = tokio::spawn(async move { disposed.dispose().await });
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
        disposal.await.unwrap().unwrap();
        let left = made.load(Ordering::SeqCst);
        // The one that was being made when everything was given up is freed: nobody got it.
        assert!((0..=1).contains(&left), "{left}");
        assert!(left == 0 || container.get::<Vec<u8>>().is_err());
    }
}
