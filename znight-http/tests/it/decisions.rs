//! Route decisions: what guards read, and the check of them at start.

use std::sync::LazyLock;

use znight_core::{Application, Error, ErrorCode, Graph};
use znight_http::{
    AnyDecision, ControllerOn, Decision, Enforcement, Guard, HttpContext, HttpError, HttpOptions,
    HttpPlugin,
};

use crate::support::{App, Log, glue::*};

const ROLES: Decision<&[&str]> = Decision::new("roles").group("access").required();
const PUBLIC: Decision = Decision::flag("public").group("access").required();
const LIMIT: Decision<u32> = Decision::new("limit");

/// A decision with a value, as the macro writes it.
macro_rules! decided {
    ($decision:expr) => {
        h::Decided {
            decision: h::flag(&$decision),
            value: h::DecidedValue::Static { value: &() },
        }
    };
    ($decision:expr, $value:expr) => {
        h::Decided {
            decision: h::def_of(&$decision),
            value: h::DecidedValue::Static {
                value: &h::value_of(&$decision, $value),
            },
        }
    };
}

/// Guards that let everything through, with what they say they enforce.
macro_rules! guards {
    ($($name:ident [$($enforced:expr),*];)*) => {
        $(
            pub(crate) struct $name;

            impl Guard for $name {
                const ENFORCES: &'static [&'static dyn AnyDecision] = &[$(&$enforced),*];

                async fn allow(&self, _: &HttpContext) -> Result<(), HttpError> {
                    Ok(())
                }
            }

            injectable!($name, Singleton, {});
        )*
    };
}

guards! {
    AccessGuard [ROLES, PUBLIC];
    LimitGuard [LIMIT];
    IdleGuard [];
    // Other opinions of what the application has.
    OptionalAccess [Decision::<u8>::new("roles").group("access")];
    OtherAccess [Decision::<u8>::new("owner").group("access")];
    TenantGuard [Decision::<u8>::new("tenant").required()];
}

/// Shows what is decided.
struct Books;

impl Books {
    async fn show(&self, ctx: Arc<HttpContext>) -> String {
        format!(
            "{:?} {} {:?}",
            ROLES.get(&ctx),
            PUBLIC.is_set(&ctx),
            LIMIT.get(&ctx)
        )
    }
}

fn show<'a>(this: &'a p::Handle, rq: &'a h::Rq) -> h::Called<'a> {
    use h::select::*;
    let c = h::this::<Books>(this);
    let a0 = (&&h::Tag::<Arc<HttpContext>>::NEW).context(rq)?;
    h::call1(c, <Books>::show, a0, (&&&&&&h::out1(&<Books>::show)).kind())
}

injectable!(Books, Singleton, {});

impl ControllerOn for Books {
    const C: h::ControllerDef = h::ControllerDef {
        decisions: &[decided!(ROLES, &["analyst"]), decided!(LIMIT, 5)],
        routes: &[
            route(h::Verb::Get, "/inherited", "inherited", show),
            h::RouteDef {
                decisions: &[decided!(ROLES, &["admin", "owner"])],
                ..route(h::Verb::Get, "/own", "own", show)
            },
            h::RouteDef {
                decisions: &[decided!(PUBLIC), decided!(LIMIT, 1 + 1)],
                ..route(h::Verb::Get, "/public", "public", show)
            },
        ],
        ..h::ControllerDef::new::<Books>("Books", "", None)
    };
}

/// A controller whose routes have no decisions of their own, with the decisions and guards it is given.
macro_rules! shelf {
    ($name:ident, decisions: [$($decided:expr),*], guards: [$($guard:ty),*]) => {
        struct $name;
        injectable!($name, Singleton, {});
        impl $name {
            async fn get(&self) {}
        }
        impl ControllerOn for $name {
            const C: h::ControllerDef = h::ControllerDef {
                decisions: &[$($decided),*],
                guards: &[$(h::guard::<$guard>()),*],
                routes: &[
                    route(h::Verb::Get, "/", "get", plain!($name, get)),
                    route(h::Verb::Post, "/", "add", plain!($name, get)),
                ],
                ..h::ControllerDef::new::<$name>(stringify!($name), concat!("/", stringify!($name)), None)
            };
        }
    };
}

shelf!(Open, decisions: [], guards: []);
shelf!(Limited, decisions: [decided!(LIMIT, 3)], guards: []);
shelf!(Public, decisions: [decided!(PUBLIC)], guards: []);
shelf!(Own, decisions: [decided!(PUBLIC)], guards: [AccessGuard]);
shelf!(Both, decisions: [decided!(PUBLIC), decided!(ROLES, &[])], guards: []);
shelf!(Tenants, decisions: [], guards: [TenantGuard]);

/// What the boot of an application comes to, all guards provided.
async fn boot(graph: Graph, plugin: HttpPlugin) -> Result<App, Error> {
    let builder = Application::builder(graph)
        .provide::<Books>()
        .provide::<Open>()
        .provide::<Limited>()
        .provide::<Public>()
        .provide::<Own>()
        .provide::<Both>()
        .provide::<Tenants>()
        .provide::<AccessGuard>()
        .provide::<LimitGuard>()
        .provide::<IdleGuard>()
        .provide::<OptionalAccess>()
        .provide::<OtherAccess>()
        .provide::<TenantGuard>();
    App::boot(builder, plugin).await
}

async fn refused(plugin: HttpPlugin) -> Error {
    boot(Graph::empty(), plugin).await.err().expect("it fails")
}

fn access() -> HttpOptions {
    HttpOptions::new().guard::<AccessGuard>()
}

fn with<C: ControllerOn>(options: HttpOptions) -> HttpPlugin {
    HttpPlugin::new(options).controller::<C>()
}

/// A graph without providers whose section of HTTP says this.
fn graph(section: &'static h::HttpSection) -> Graph {
    let sections: &'static [&'static dyn znight_core::Section] = vec![section as _].leak();
    Graph::new(Box::leak(Box::new(p::GraphData {
        version: p::METADATA_VERSION,
        compiler: "0.1.0",
        package: "it",
        providers: &[],
        order: &[],
        bindings: &[],
        externals: &[],
        sections,
    })))
}

static GUARDS: h::HttpSection = h::HttpSection {
    types: &[],
    controllers: &[],
    guards: &[
        h::Asked::<LimitGuard>::GUARD,
        h::Asked::<TenantGuard>::GUARD,
        {
            // Rustc says that it is none.
            use h::NoGuard as _;
            h::Asked::<Books>::GUARD
        },
    ],
    decisions: &[],
};

static DEFINED: LazyLock<h::HttpSection> = LazyLock::new(|| h::HttpSection {
    types: &[],
    controllers: &[],
    guards: &[],
    decisions: &[h::DecisionDef {
        key: "owner",
        group: "owner",
        required: true,
    }],
});

#[tokio::test]
async fn a_route_has_its_own_decision_of_a_group_or_that_of_its_controller() {
    let plugin = with::<Books>(access().guard::<LimitGuard>());
    let app = boot(Graph::empty(), plugin).await.expect("it boots");
    for (path, expected) in [
        ("/inherited", "Some([\"analyst\"]) false Some(5)"),
        ("/own", "Some([\"admin\", \"owner\"]) false Some(5)"),
        ("/public", "None true Some(2)"),
    ] {
        assert_eq!(app.get(path).await.text(), expected, "{path}");
    }
}

#[tokio::test]
async fn the_list_of_routes_shows_decisions_and_guards() {
    let plugin = with::<Books>(access().guard::<LimitGuard>());
    let app = boot(Graph::empty(), plugin).await.expect("it boots");
    let routes = app.plugin.routes();
    let shown: Vec<String> = routes
        .iter()
        .map(|route| {
            let decisions = route.info.decisions.iter().map(ToString::to_string);
            format!(
                "{}: {} [{}]",
                route.info.path,
                decisions.collect::<Vec<_>>().join(", "),
                route.guards.join(", ")
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "/inherited: roles = [\"analyst\"], limit = 5 [AccessGuard, LimitGuard]",
            "/own: limit = 5, roles = [\"admin\", \"owner\"] [AccessGuard, LimitGuard]",
            "/public: public, limit = 2 [AccessGuard, LimitGuard]",
        ]
    );
    let public = &routes[2].info.decisions[0];
    assert_eq!(
        (public.key, public.group, public.required, &public.value),
        ("public", "access", true, &None)
    );
}

#[test]
fn a_decision_with_a_value_is_data_as_well() {
    assert_eq!(ROLES.meta(&["a"]).to_string(), "roles = [\"a\"]");
    assert_eq!(PUBLIC.meta(()).to_string(), "public");
}

#[tokio::test]
async fn a_required_decision_that_no_guard_enforces_fails_the_boot() {
    let error = refused(with::<Public>(HttpOptions::new().guard::<IdleGuard>())).await;
    assert_eq!(
        error.report().to_string(),
        "ZNIGHT023: no guard enforces the required group \"access\" on 2 routes: GET /Public (Public::get), POST /Public (Public::add)\n  \
         hint: put a guard in front of the routes whose `ENFORCES` has the decisions of \"access\" (public), as `HttpOptions::guard` does for all\n  \
         hint: a test that goes without guards on purpose sets `HttpOptions::enforcement(Enforcement::Warn)`"
    );
}

#[tokio::test]
async fn a_guard_of_the_controller_enforces_for_its_routes_alone() {
    let plugin = with::<Own>(HttpOptions::new());
    assert!(boot(Graph::empty(), plugin).await.is_ok());
    let plugin = with::<Own>(HttpOptions::new()).controller::<Public>();
    let error = refused(plugin).await;
    assert_eq!(
        error.report().to_string(),
        "ZNIGHT023: no guard enforces the required group \"access\" on 2 routes: GET /Public (Public::get), POST /Public (Public::add)\n  \
         hint: guards of the application that enforce \"access\": AccessGuard; put one in front of the routes, as `HttpOptions::guard::<AccessGuard>()` does for all\n  \
         hint: a test that goes without guards on purpose sets `HttpOptions::enforcement(Enforcement::Warn)`"
    );
}

#[tokio::test]
async fn a_route_without_a_required_decision_fails_the_boot() {
    let error = refused(with::<Open>(access()).controller::<Public>()).await;
    assert_eq!(error.code(), ErrorCode::MissingDecision);
    assert_eq!(
        error.message(),
        "2 routes have no decision of the required group \"access\": GET /Open (Open::get), POST /Open (Open::add)"
    );
    assert_eq!(
        error.hints()[0],
        "take one of the decisions of \"access\" (public, roles) with `#[decide(..)]` on the route or its controller"
    );
}

#[tokio::test]
async fn a_guard_in_front_of_a_route_requires_its_group_of_every_route() {
    let plugin = with::<Tenants>(HttpOptions::new()).controller::<Open>();
    let error = refused(plugin).await;
    let message = error.message();
    assert!(
        message.starts_with(
            "4 routes have no decision of the required group \"tenant\": GET /Tenants"
        ),
        "{message}"
    );
}

#[tokio::test]
async fn everything_that_is_missing_is_one_error() {
    let plugin = with::<Open>(HttpOptions::new())
        .controller::<Public>()
        .controller::<Tenants>();
    let error = refused(plugin).await;
    assert_eq!(error.code(), ErrorCode::MissingDecision);
    assert_eq!(
        error.message(),
        "the check of route decisions has 2 problems"
    );
    let messages: Vec<&str> = error.errors().iter().map(Error::message).collect();
    assert_eq!(
        messages[0],
        "4 routes have no decision of the required group \"access\": GET /Open (Open::get), POST /Open (Open::add), \
         GET /Tenants (Tenants::get), POST /Tenants (Tenants::add); no guard enforces the required group \"access\" on \
         2 routes: GET /Public (Public::get), POST /Public (Public::add)"
    );
    assert!(messages[1].starts_with("6 routes have no decision of the required group \"tenant\""));
}

#[tokio::test]
async fn an_optional_decision_is_checked_once_a_guard_in_front_of_something_enforces_it() {
    let plugin = with::<Limited>(HttpOptions::new());
    assert!(boot(Graph::empty(), plugin).await.is_ok());
    shelf!(Slow, decisions: [decided!(LIMIT, 1)], guards: [LimitGuard]);
    let builder = Application::builder(Graph::empty())
        .provide::<Limited>()
        .provide::<Slow>()
        .provide::<LimitGuard>();
    let plugin = with::<Limited>(HttpOptions::new()).controller::<Slow>();
    let error = App::boot(builder, plugin).await.err().expect("it fails");
    assert_eq!(
        error.message(),
        "no guard enforces the group \"limit\" on 2 routes: GET /Limited (Limited::get), POST /Limited (Limited::add)"
    );
}

#[tokio::test]
async fn an_optional_decision_is_checked_where_a_guard_of_the_application_stands_in_front_of_nothing()
 {
    let plugin = with::<Limited>(HttpOptions::new());
    let error = boot(graph(&GUARDS), plugin).await.err().expect("it fails");
    assert_eq!(error.code(), ErrorCode::MissingDecision);
    assert!(error.message().contains("the group \"limit\" on 2 routes"));
    assert!(
        error.hints()[0].contains("enforce \"limit\": LimitGuard;"),
        "{:?}",
        error.hints()
    );
}

#[tokio::test]
async fn a_guard_in_front_of_nothing_requires_nothing() {
    let plugin = with::<Open>(HttpOptions::new());
    assert!(boot(graph(&GUARDS), plugin).await.is_ok());
}

#[tokio::test]
async fn a_required_decision_that_is_only_defined_is_required() {
    let plugin = with::<Open>(HttpOptions::new());
    let error = boot(graph(&DEFINED), plugin).await.err().expect("it fails");
    assert!(error.message().contains("the required group \"owner\""));
}

#[tokio::test]
async fn with_warn_the_boot_goes_on_and_each_group_is_logged_once() {
    let log = Log::capture();
    let options = HttpOptions::new().enforcement(Enforcement::Warn);
    let plugin = with::<Open>(options)
        .controller::<Public>()
        .controller::<Tenants>();
    let app = boot(Graph::empty(), plugin).await.expect("it boots");
    assert_eq!(app.get("/Open").await.status(), 204);
    let lines = log.lines();
    let warnings: Vec<&String> = lines
        .iter()
        .filter(|line| line.starts_with("WARN"))
        .collect();
    assert_eq!(warnings.len(), 2, "{lines:?}");
    assert!(
        warnings[0]
            .contains("ZNIGHT023: 4 routes have no decision of the required group \"access\"")
    );
    assert!(warnings[0].contains("no guard enforces the required group \"access\" on 2 routes"));
    assert!(
        warnings[1]
            .contains("ZNIGHT023: 6 routes have no decision of the required group \"tenant\"")
    );
}

#[tokio::test]
async fn decisions_of_one_key_or_group_agree_on_their_options() {
    let enforcement = HttpOptions::new().enforcement(Enforcement::Warn);
    let error = refused(with::<Books>(enforcement.guard::<OptionalAccess>())).await;
    assert_eq!(error.code(), ErrorCode::InvalidAttribute);
    assert_eq!(
        error.message(),
        "the guard OptionalAccess (`ENFORCES`) has the decision \"roles\" (group \"access\", not required), and Books has \"roles\" (group \"access\", required)"
    );
    let error = refused(with::<Public>(HttpOptions::new().guard::<OtherAccess>())).await;
    assert_eq!(
        error.report().to_string(),
        "ZNIGHT005: the guard OtherAccess (`ENFORCES`) has the decision \"owner\" (group \"access\", not required), and Public has \"public\" (group \"access\", required)\n  \
         hint: a group is required or not: write `.required()` on all of its decisions or on none"
    );
}

#[tokio::test]
async fn a_controller_has_one_decision_of_a_group() {
    let error = refused(with::<Both>(access())).await;
    assert_eq!(
        error.report().to_string(),
        "ZNIGHT005: Both has two decisions of the group \"access\": \"public\" and \"roles\"\n  \
         hint: they are alternatives: keep one, or give one of them a group of its own"
    );
}

#[test]
fn names_that_break_the_grammar_are_refused() {
    let panics = |make: fn()| std::panic::catch_unwind(make).is_err();
    assert!(panics(|| _ = Decision::flag("")));
    assert!(panics(|| _ = Decision::flag("a").group("b c")));
    assert!(!panics(|| _ = Decision::flag("a:b").group("a:b")));
}
