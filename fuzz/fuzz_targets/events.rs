//! An event stream is the same however it is cut into pieces, and no event has a name or an id with a line
//! end in it.
#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use znight_testing::read_events;

fuzz_target!(|input: (usize, &[u8])| {
    let (size, stream) = input;
    let whole = read_events([stream]);
    let cut = read_events(stream.chunks(size % 64 + 1));
    assert_eq!(format!("{whole:?}"), format!("{cut:?}"));
    for event in whole.into_iter().flatten() {
        assert!(!event.name().contains(['\r', '\n']) && !event.id().contains(['\r', '\n', '\0']));
    }
});
