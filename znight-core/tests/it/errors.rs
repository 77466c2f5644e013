//! Errors as people read them.

use znight_core::{Error, ErrorCode};

#[test]
fn display_is_one_level_and_the_report_is_the_whole_story() {
    let cause = std::io::Error::other("connection refused");
    let error = Error::new(ErrorCode::InstantiationFailed, "failed to create PgUsers")
        .with_source(cause)
        .with_place(Some(znight_core::Source {
            file: "src/pg.rs",
            line: 9,
        }))
        .with_hint("start the database")
        .with_suppressed([
            Error::new(ErrorCode::LifecycleFailed, "`dispose` of Cache failed")
                .with_source("stuck"),
        ]);
    assert_eq!(error.to_string(), "ZNIGHT015: failed to create PgUsers");
    assert_eq!(
        error.report().to_string(),
        "ZNIGHT015: failed to create PgUsers
  at: src/pg.rs:9
  cause: connection refused
  hint: start the database
  while cleaning up: ZNIGHT021: `dispose` of Cache failed
    cause: stuck"
    );
    assert_eq!(format!("{error:?}"), error.report().to_string());
}

#[test]
fn several_problems_are_one_error_that_holds_them() {
    let problem = |text: &str| Error::new(ErrorCode::MissingProvider, text);
    assert!(Error::all("the graph", vec![]).is_none());
    let one = Error::all("the graph", vec![problem("a")]).unwrap();
    assert_eq!(one.to_string(), "ZNIGHT001: a");
    let two = Error::all("the graph", vec![problem("a\nb"), problem("c")]).unwrap();
    assert_eq!(
        two.report().to_string(),
        "ZNIGHT001: the graph has 2 problems
  - ZNIGHT001: a
    b
  - ZNIGHT001: c"
    );
    assert_eq!(two.errors().len(), 2);
}

#[test]
fn a_framework_error_passes_through_and_others_are_wrapped() {
    let own = Error::new(ErrorCode::InvalidRoute, "two routes");
    let around = |error| Error::new(ErrorCode::LifecycleFailed, "hook").with_source(error);
    assert_eq!(
        Error::wrap(own.into(), around).code(),
        ErrorCode::InvalidRoute
    );
    let wrapped = Error::wrap("plain".into(), around);
    assert_eq!(wrapped.code(), ErrorCode::LifecycleFailed);
    assert_eq!(
        std::error::Error::source(&wrapped).unwrap().to_string(),
        "plain"
    );
}

#[test]
fn an_error_is_one_word_and_shareable() {
    fn shareable<T: Clone + Send + Sync + 'static>() {}
    shareable::<Error>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
}
