//! The log of a process that has set up none.

use std::{env, io::IsTerminal as _};

use tracing::{Level, level_filters::LevelFilter};
use tracing_subscriber::{
    filter::Targets, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

/// Writes what is logged to standard error, unless the process has a subscriber.
///
/// `RUST_LOG` chooses what (`debug`, `warn,znight=debug`; `info` without it), and there is colour only on
/// a terminal that has not said `NO_COLOR`.
pub(super) fn to_stderr() {
    if tracing::dispatcher::has_been_set() {
        return;
    }
    let colour = std::io::stderr().is_terminal()
        && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(colour);
    // A subscriber that was set this very moment is as good.
    let _ = tracing_subscriber::registry()
        .with(targets(env::var("RUST_LOG").ok().as_deref()))
        .with(layer)
        .try_init();
}

/// What `RUST_LOG` chooses; `info` where it says nothing or cannot be read.
fn targets(chosen: Option<&str>) -> Targets {
    chosen
        .filter(|text| !text.trim().is_empty())
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| Targets::new().with_default(LevelFilter::from_level(Level::INFO)))
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::targets;

    #[test]
    fn the_environment_chooses_and_info_is_the_default() {
        for (chosen, target, level, shown) in [
            (None, "app", Level::INFO, true),
            (None, "app", Level::DEBUG, false),
            (Some(""), "app", Level::INFO, true),
            (Some("debug"), "app", Level::DEBUG, true),
            (
                Some("warn,znight=debug"),
                "znight::http",
                Level::DEBUG,
                true,
            ),
            (Some("warn,znight=debug"), "app", Level::INFO, false),
            (Some("app=loud"), "app", Level::INFO, true),
        ] {
            assert_eq!(
                targets(chosen).would_enable(target, &level),
                shown,
                "{chosen:?} {target} {level}"
            );
        }
    }
}
