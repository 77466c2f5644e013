//! What several threads share, in every order of their steps that a seeded search finds. Built by
//! `cargo xtask test shuttle`, with the locks of `shuttle` in place of those of std.
#![cfg(shuttle)]
#![allow(
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test itself"
)]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use shuttle::{future::block_on, thread};
use znight_core::{Container, Definition, Error, ErrorCode, Graph, Hooks, Lazy, ScopeKind};

/// Orders tried for each test.
const ORDERS: usize = 2_000;

fn check(test: impl Fn() + Send + Sync + 'static) {
    shuttle::check_pct(test, ORDERS, 3);
}

/// How many instances were made, dropped and disposed.
#[derive(Default)]
struct Counts {
    made: AtomicUsize,
    dropped: AtomicUsize,
    disposed: AtomicUsize,
}

impl Counts {
    fn get(&self) -> (usize, usize, usize) {
        (
            self.made.load(Ordering::SeqCst),
            self.dropped.load(Ordering::SeqCst),
            self.disposed.load(Ordering::SeqCst),
        )
    }
}

struct Counted(Arc<Counts>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

/// A container with a `Counted` of a scope, made on demand.
fn container(counts: &Arc<Counts>, scope: ScopeKind) -> Container {
    let container = Container::new(Graph::empty()).unwrap();
    let (making, disposing) = (Arc::clone(counts), Arc::clone(counts));
    let counted = Definition::<Counted>::new(move || {
        making.made.fetch_add(1, Ordering::SeqCst);
        thread::yield_now();
        Counted(Arc::clone(&making))
    })
    .scope(scope)
    .dispose_with(move |_| {
        disposing.disposed.fetch_add(1, Ordering::SeqCst);
        std::future::ready(())
    });
    container.provide_definition(counted).unwrap();
    let user = Definition::<Vec<Arc<Counted>>>::new(|first: Arc<Counted>, later: Lazy<Counted>| {
        Ok::<_, Error>(vec![first, later.get()?])
    });
    container.provide_definition(user.scope(scope)).unwrap();
    block_on(container.init_only([])).unwrap();
    container
}

#[test]
fn a_singleton_is_made_once_whoever_asks_first() {
    check(|| {
        let counts = Arc::new(Counts::default());
        let container = container(&counts, ScopeKind::Singleton);
        let threads: Vec<_> = (0..3)
            .map(|number| {
                let container = container.clone();
                thread::spawn(move || {
                    if number == 0 {
                        container.get::<Vec<Arc<Counted>>>().unwrap()[1].clone()
                    } else {
                        container.get::<Counted>().unwrap()
                    }
                })
            })
            .collect();
        let found: Vec<_> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        assert!(found.iter().all(|other| Arc::ptr_eq(other, &found[0])));
        assert_eq!(counts.get(), (1, 0, 0));
        block_on(container.dispose()).unwrap();
        assert_eq!(counts.get(), (1, 0, 1));
    });
}

#[test]
fn what_is_handed_out_during_disposal_is_disposed() {
    check(|| {
        let counts = Arc::new(Counts::default());
        let container = container(&counts, ScopeKind::Singleton);
        let asked = container.clone();
        let asking = thread::spawn(move || asked.get::<Counted>().map(drop));
        let disposed = container.clone();
        let disposing = thread::spawn(move || block_on(disposed.dispose()));
        let found = asking.join().unwrap();
        disposing.join().unwrap().unwrap();
        let (made, dropped, disposed) = counts.get();
        match found {
            // Handed out, so it was kept: disposal saw it.
            Ok(()) => assert_eq!((made, disposed), (1, 1)),
            Err(error) => {
                assert_eq!(error.code(), ErrorCode::InstantiationFailed);
                assert_eq!((made - dropped, disposed), (0, 0));
            }
        }
    });
}

#[test]
fn two_disposals_dispose_once() {
    check(|| {
        let counts = Arc::new(Counts::default());
        let container = container(&counts, ScopeKind::Singleton);
        drop(container.get::<Counted>().unwrap());
        let instances = container.instances();
        let threads = [
            thread::spawn(move || block_on(instances[0].dispose())),
            thread::spawn(move || block_on(container.dispose())),
        ];
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
        assert_eq!(counts.get().2, 1);
    });
}

#[test]
fn parallel_parts_of_a_request_share_one_instance_and_its_end_disposes_it() {
    check(|| {
        let counts = Arc::new(Counts::default());
        let container = container(&counts, ScopeKind::Request);
        let mut open = container.open_scope();
        let scope = open.handle().unwrap();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let scope = scope.clone();
                thread::spawn(move || scope.get::<Counted>())
            })
            .collect();
        let ending = thread::spawn(move || block_on(open.close()));
        let found: Vec<_> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        ending.join().unwrap().unwrap();
        let held: Vec<_> = found
            .iter()
            .filter_map(|found| found.as_ref().ok())
            .collect();
        for other in &held {
            assert!(Arc::ptr_eq(other, held[0]));
        }
        for error in found.iter().filter_map(|found| found.as_ref().err()) {
            assert_eq!(error.code(), ErrorCode::OutsideRequestScope);
        }
        let (made, dropped, disposed) = counts.get();
        // Handed out: disposed at the end. Not handed out: freed at once.
        assert_eq!(disposed, usize::from(!held.is_empty()));
        assert_eq!(made - dropped, usize::from(!held.is_empty()));
    });
}

#[test]
fn an_event_reaches_who_is_subscribed_all_the_time() {
    check(|| {
        let hooks = Arc::new(Hooks::new());
        let heard = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&heard);
        hooks
            .on(move |_: &u8| {
                counter.fetch_add(1, Ordering::SeqCst);
            })
            .forget();
        let changing = Arc::clone(&hooks);
        let subscriber = thread::spawn(move || {
            drop(changing.on(|_: &u8| {}));
            drop(changing.on(|_: &u16| {}));
        });
        let emitting = Arc::clone(&hooks);
        let producer = thread::spawn(move || {
            emitting.emit(&1_u8);
            emitting.emit(&2_u8);
        });
        subscriber.join().unwrap();
        producer.join().unwrap();
        assert_eq!(heard.load(Ordering::SeqCst), 2);
        assert!(hooks.has_listeners::<u8>() && !hooks.has_listeners::<u16>());
    });
}
