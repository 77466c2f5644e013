//! Finds the items under our attributes and reads what they say.

use proc_macro2::TokenStream;
use znight_syntax::{Problems, item, symbol::Outer, tokens::flatten};

use crate::{
    cfg::{Cfg, World},
    model::{Occurrence, Parsed, Report},
    resolve::{Externs, Found, ItemId, Live, Program, Resolver},
};

/// Every annotated item of a program, in the order of its files.
pub fn occurrences(program: &Program, externs: &Externs, cfg: &Cfg) -> Vec<Occurrence> {
    let resolvers = World::BOTH.map(|world| Resolver::new(program, externs, world));
    let mut found = Vec::new();
    for (id, item) in program.items.iter().enumerate() {
        let Some(tokens) = &item.fact.tokens else {
            continue;
        };
        for attribute in &item.fact.attributes {
            let live = Live {
                production: item.live.production
                    && cfg.allows(&attribute.conditions, World::Production),
                test: item.live.test && cfg.allows(&attribute.conditions, World::Test),
            };
            let resolver = &resolvers[usize::from(!live.production)];
            let Some(outer) = meaning(resolver, item.module, &attribute.path) else {
                continue;
            };
            let number = found.len();
            found.push(read(
                program,
                id,
                outer,
                attribute.args.clone(),
                tokens.clone(),
                live,
                number,
            ));
        }
    }
    found
}

/// Which attribute of ours a path means, if any.
fn meaning(resolver: &Resolver<'_>, module: usize, path: &[String]) -> Option<Outer> {
    let last = path.last()?;
    match resolver.path(module, path, false) {
        Found::Foreign(found) => Outer::parse(found.strip_prefix("znight::")?),
        // A name that cannot be followed is taken by its word: rustc knows better if it is not ours.
        Found::Missing | Found::Unknown if path.len() == 1 => Outer::parse(last),
        _ => None,
    }
}

fn read(
    program: &Program,
    item: ItemId,
    outer: Outer,
    args: TokenStream,
    tokens: TokenStream,
    live: Live,
    number: usize,
) -> Occurrence {
    let mut problems = Problems::new();
    let parsed = match outer {
        Outer::Injectable => item::Provider::read(args.clone(), tokens.clone(), &mut problems)
            .map(Parsed::Injectable),
        Outer::Factory => {
            item::Factory::read(&args, tokens.clone(), &mut problems).map(Parsed::Factory)
        }
        Outer::Controller => {
            item::Controller::read(&args, tokens.clone(), &mut problems).map(Parsed::Controller)
        }
    };
    Occurrence {
        item,
        file: program.items[item].file,
        outer,
        args: flatten(args),
        body: flatten(tokens),
        live,
        parsed: parsed.unwrap_or(Parsed::Nothing),
        problems: problems
            .into_vec()
            .iter()
            .map(|problem| Report::local(number, problem))
            .collect(),
    }
}
