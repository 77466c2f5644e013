//! The compiler extension of the jobs: uses what `znight-compiler` offers to everybody.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use znight_compiler::{
    extension::{
        Analysis, ArgumentKind, ArgumentSpec, AttributeSpec, Binding, CompilerExtension,
        Generation, Item, Node, Request, Section, Target, Validation,
    },
    facts::{ArgumentExpr, PathExpr, SegmentExpr, TypeExpr},
    model::At,
    resolve::Value,
};

/// `#[acme_jobs::job("name", every = seconds)]` on an `impl`.
#[derive(Debug)]
pub struct Jobs;

/// A job, from one phase to the next.
#[derive(Debug)]
struct Job {
    token: String,
    name: String,
    every: i128,
    clock: Request,
    at: At,
}

/// `Option<Arc<acme_jobs::Clock>>`, asked for on behalf of every job.
fn clock() -> TypeExpr {
    let around = |names: &[&str], inner: TypeExpr| {
        let mut path = PathExpr::of(names);
        path.absolute = true;
        if let Some(last) = path.segments.last_mut() {
            *last = SegmentExpr {
                name: last.name.clone(),
                args: vec![ArgumentExpr::Type(inner)],
            };
        }
        TypeExpr::Path(path)
    };
    let mut clock = PathExpr::of(&["crate", "Clock"]);
    clock.absolute = false;
    let shared = around(&["std", "sync", "Arc"], TypeExpr::Path(clock));
    around(&["std", "option", "Option"], shared)
}

impl CompilerExtension for Jobs {
    fn name(&self) -> &'static str {
        "acme-jobs"
    }

    fn attributes(&self) -> Vec<AttributeSpec> {
        vec![
            AttributeSpec::new("acme_jobs::job", &[Target::Impl]).arguments([
                ArgumentSpec::positional(ArgumentKind::Static),
                ArgumentSpec::named("every", ArgumentKind::Static),
            ]),
        ]
    }

    fn analyse(&self, item: &Item<'_>, cx: &mut Analysis<'_, '_>) {
        cx.register(item);
        cx.root(item);
        let clock = cx.request(item, &clock(), None, item.named_at());
        let mut job = Job {
            token: item.token(),
            name: item.display(),
            every: 60,
            clock,
            at: item.named_at(),
        };
        for argument in item.arguments() {
            match (argument.name.as_deref(), argument.value) {
                (None, Some(Value::Text(name))) if !name.is_empty() => {
                    job.name = name;
                    job.at = argument.at;
                }
                (None, Some(_)) => {
                    cx.misuse(
                        argument.at,
                        "a job's name is a text that is not empty",
                        Vec::new(),
                    );
                }
                (Some("every"), Some(Value::Int(every, _))) if every > 0 => job.every = every,
                (Some("every"), Some(_)) => {
                    cx.misuse(
                        argument.at,
                        "a job runs every so many seconds, at least one",
                        vec!["write a whole number: `every = 60`".to_owned()],
                    );
                }
                // What cannot be told has been reported.
                _ => {}
            }
        }
        assert_ne!(job.name, "panic", "the name of all names");
        cx.store(job);
    }

    fn validate(&self, cx: &mut Validation<'_, '_>) {
        let mut taken: BTreeMap<String, At> = BTreeMap::new();
        let jobs: Vec<(String, At)> = cx
            .stored::<Job>()
            .map(|job| (job.name.clone(), job.at))
            .collect();
        for (name, at) in jobs {
            if let Some(earlier) = taken.get(&name).copied() {
                let place = cx.show(earlier);
                cx.misuse(
                    at,
                    format!("two jobs are named \"{name}\""),
                    vec![format!("the other is at {place}")],
                )
                .also("the other", earlier);
            } else {
                taken.insert(name, at);
            }
        }
    }

    fn generate(&self, cx: &Generation<'_, '_>) -> Option<Section> {
        let jobs: Vec<&Job> = cx.stored::<Job>().collect();
        if jobs.is_empty() {
            return None;
        }
        let mut listed = String::new();
        let entries: Vec<Node> = cx
            .items()
            .zip(jobs)
            .map(|(item, job)| {
                listed.extend([&job.name, " ", &job.token, "\n"]);
                let clock = match cx.binding(&job.clock) {
                    Binding::Provider(token) => cx.provider_number(&token),
                    _ => None,
                };
                Node::record(
                    "acme_jobs::Entry",
                    [
                        ("provider", cx.provider(&item)),
                        ("name", Node::text(&job.name)),
                        ("every", Node::number(job.every)),
                        ("clock", Node::option(clock)),
                        ("job", cx.glue(&item, "acme_jobs::Job", "JOB")),
                    ],
                )
            })
            .collect();
        cx.emit_file("names.txt", listed);
        let value = Node::record("acme_jobs::Jobs", [("entries", Node::list(entries))]);
        Some(Section::new("acme_jobs::Jobs", value))
    }
}
