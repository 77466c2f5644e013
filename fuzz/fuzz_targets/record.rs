//! Any text is a record that reads back as written, or none.
#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use znight_syntax::record::{Item, Target};

fuzz_target!(|text: &str| {
    if let Some(items) = Item::read_all(text) {
        assert_eq!(Item::read_all(&Item::write_all(&items)), Some(items));
    }
    if let Some(target) = Target::read(text) {
        assert_eq!(Target::read(&target.write()), Some(target));
    }
});
