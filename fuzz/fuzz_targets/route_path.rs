//! Any text is a route path that reads back as written, or an error with a range inside it.
#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use znight_contract::path::RoutePath;

fuzz_target!(|text: &str| {
    match RoutePath::parse(text) {
        Ok(path) => assert_eq!(RoutePath::parse(&path.to_string()), Ok(path)),
        Err(error) => assert!(text.get(error.span().clone()).is_some()),
    }
});
