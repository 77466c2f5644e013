//! What interceptors cost per call.
#![forbid(unsafe_code)]

use std::{hint::black_box, sync::Arc};

use znight::{
    Interceptors, Invocation, MethodInterceptor, Returned, SyncInvocation, SyncMethodInterceptor,
    intercept,
};
use znight_benches::{
    measure::{each, in_turns, ready},
    print::{Unit, figure},
};

const ROUNDS: usize = 31;
const CALLS: u32 = 200_000;

/// Goes on, and nothing else.
struct First;
struct Second;
struct Third;

macro_rules! passing {
    ($($name:ident)*) => {
        $(
            impl MethodInterceptor for $name {
                type Options = ();

                async fn intercept(&self, call: &mut Invocation<'_>, (): &()) -> Returned {
                    call.proceed().await
                }
            }

            impl SyncMethodInterceptor for $name {
                type Options = ();

                fn intercept(&self, call: &mut SyncInvocation<'_>, (): &()) -> Returned {
                    call.proceed()
                }
            }
        )*
    };
}

passing!(First Second Third);

struct Adder {
    base: u64,
    interceptors: Interceptors,
}

impl Adder {
    #[expect(clippy::unused_async, reason = "the peer of the async methods")]
    async fn plain(&self, number: u64) -> u64 {
        self.base + number
    }

    #[intercept(First)]
    async fn one(&self, number: u64) -> u64 {
        self.base + number
    }

    #[intercept(First)]
    #[intercept(Second)]
    #[intercept(Third)]
    async fn three(&self, number: u64) -> u64 {
        self.base + number
    }

    fn plain_sync(&self, number: u64) -> u64 {
        self.base + number
    }

    #[intercept(First)]
    fn one_sync(&self, number: u64) -> u64 {
        self.base + number
    }

    #[intercept(First)]
    #[intercept(Second)]
    #[intercept(Third)]
    fn three_sync(&self, number: u64) -> u64 {
        self.base + number
    }
}

/// The peer: the method as `async_trait` boxes it, and three layers of that by hand.
trait Boxed {
    fn add(&self, number: u64) -> std::pin::Pin<Box<dyn Future<Output = u64> + Send + '_>>;
}

impl Boxed for Adder {
    fn add(&self, number: u64) -> std::pin::Pin<Box<dyn Future<Output = u64> + Send + '_>> {
        Box::pin(self.plain(number))
    }
}

struct Layer<B>(B);

impl<B: Boxed + Sync> Boxed for Layer<B> {
    fn add(&self, number: u64) -> std::pin::Pin<Box<dyn Future<Output = u64> + Send + '_>> {
        Box::pin(async move { self.0.add(number).await })
    }
}

/// No target in the design; what is asked is what it costs. An instance without interceptors should cost
/// next to nothing, each interceptor of an async method about one allocation, as a boxed layer does that
/// is written by hand.
fn main() {
    let adder = |interceptors| Adder {
        base: 1,
        interceptors,
    };
    let bare = adder(Interceptors::default());
    let with = adder(
        Interceptors::default()
            .with(Arc::new(First))
            .with(Arc::new(Second))
            .with(Arc::new(Third)),
    );
    let one_layer = Layer(adder(Interceptors::default()));
    let layers = Layer(Layer(Layer(adder(Interceptors::default()))));
    let one_layer: &dyn Boxed = &one_layer;
    let layers: &dyn Boxed = &layers;

    let [plain, empty, one, three, boxed_one, boxed_three] = in_turns(
        ROUNDS,
        [
            &mut || {
                each(CALLS, || {
                    let _: u64 = black_box(ready(black_box(&bare).plain(black_box(7))));
                })
            },
            &mut || {
                each(CALLS, || {
                    let _: u64 = black_box(ready(black_box(&bare).three(black_box(7))));
                })
            },
            &mut || {
                each(CALLS, || {
                    let _: u64 = black_box(ready(black_box(&with).one(black_box(7))));
                })
            },
            &mut || {
                each(CALLS, || {
                    let _: u64 = black_box(ready(black_box(&with).three(black_box(7))));
                })
            },
            &mut || {
                each(CALLS, || {
                    let _: u64 = black_box(ready(black_box(one_layer).add(black_box(7))));
                })
            },
            &mut || {
                each(CALLS, || {
                    let _: u64 = black_box(ready(black_box(layers).add(black_box(7))));
                })
            },
        ],
    );
    let peer = Some(("plain", &plain));
    figure(
        "interceptors/async, none in the instance",
        &empty,
        Unit::Ns,
        peer,
    );
    figure(
        "interceptors/async, one",
        &one,
        Unit::Ns,
        Some(("boxed layer", &boxed_one)),
    );
    figure(
        "interceptors/async, three",
        &three,
        Unit::Ns,
        Some(("boxed layers", &boxed_three)),
    );

    let [plain, empty, one, three] = in_turns(
        ROUNDS,
        [
            &mut || {
                each(CALLS, || {
                    let _: u64 = black_box(black_box(&bare).plain_sync(black_box(7)));
                })
            },
            &mut || {
                each(CALLS, || {
                    let _: u64 = black_box(black_box(&bare).three_sync(black_box(7)));
                })
            },
            &mut || {
                each(CALLS, || {
                    let _: u64 = black_box(black_box(&with).one_sync(black_box(7)));
                })
            },
            &mut || {
                each(CALLS, || {
                    let _: u64 = black_box(black_box(&with).three_sync(black_box(7)));
                })
            },
        ],
    );
    let peer = Some(("plain", &plain));
    figure(
        "interceptors/sync, none in the instance",
        &empty,
        Unit::Ns,
        peer,
    );
    figure("interceptors/sync, one", &one, Unit::Ns, peer);
    figure("interceptors/sync, three", &three, Unit::Ns, peer);
}
