//! The id of a request.

use std::{
    cell::Cell,
    fmt,
    hash::{BuildHasher, Hash, Hasher, RandomState},
    sync::Arc,
};

use http::HeaderValue;

/// The longest id accepted from a client.
const LONGEST: usize = 128;

/// The id of a request: that of the client when it sent a valid one in `x-request-id`, else one
/// made for it. It is echoed in the reply and written to the log.
///
/// A valid one has up to 128 characters out of `A-Z a-z 0-9 _ - . : @ / + =`.
#[derive(Clone)]
pub struct RequestId(Id);

#[derive(Clone)]
enum Id {
    Sent(HeaderValue),
    /// As text only: the header of the reply is made from it once, and shared with nobody.
    Made([u8; MADE]),
}

/// The length of the ids made here.
const MADE: usize = 36;

impl RequestId {
    /// The client's, when it is valid.
    pub(crate) fn accept(value: &HeaderValue) -> Option<Self> {
        let bytes = value.as_bytes();
        let valid = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:@/+=".contains(byte);
        (!bytes.is_empty() && bytes.len() <= LONGEST && bytes.iter().all(valid))
            .then(|| Self(Id::Sent(value.clone())))
    }

    /// A new one, shaped like a UUID of version 4.
    ///
    /// Its bits come from a generator of the thread that the system seeded once: unique, but not a
    /// secret.
    #[inline]
    pub(crate) fn generate() -> Self {
        let [high, low] = random();
        // The version and the variant, where UUIDs have them.
        let high = high & !0xf000 | 0x4000;
        let low = low & !(0b11 << 62) | 0b10 << 62;
        let digits = [hex(high >> 32), hex(high), hex(low >> 32), hex(low)];
        let mut text = [b'-'; MADE];
        text[..8].copy_from_slice(&digits[0]);
        text[9..13].copy_from_slice(&digits[1][..4]);
        text[14..18].copy_from_slice(&digits[1][4..]);
        text[19..23].copy_from_slice(&digits[2][..4]);
        text[24..28].copy_from_slice(&digits[2][4..]);
        text[28..].copy_from_slice(&digits[3]);
        Self(Id::Made(text))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        let bytes = match &self.0 {
            Id::Sent(value) => value.as_bytes(),
            Id::Made(text) => text,
        };
        str::from_utf8(bytes).expect("invariant: only visible ASCII is accepted and made")
    }

    pub(crate) fn to_header(&self) -> HeaderValue {
        match &self.0 {
            Id::Sent(value) => value.clone(),
            Id::Made(text) => {
                HeaderValue::from_bytes(text).expect("invariant: hexadecimal digits and dashes")
            }
        }
    }
}

impl PartialEq for RequestId {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RequestId {}

impl Hash for RequestId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestId({})", self.as_str())
    }
}

/// Makes ids in the way of the application.
#[derive(Clone)]
pub(crate) struct Generator(Arc<dyn Fn() -> String + Send + Sync>);

impl Generator {
    pub(crate) fn new(generate: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(generate))
    }

    /// An id that is valid, whatever the application makes of it.
    #[cold]
    pub(crate) fn generate(&self) -> RequestId {
        HeaderValue::try_from((self.0)())
            .ok()
            .and_then(|value| RequestId::accept(&value))
            .unwrap_or_else(RequestId::generate)
    }
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Generator(..)")
    }
}

/// 128 bits of xoroshiro128++, one state for each thread.
fn random() -> [u64; 2] {
    thread_local! {
        static STATE: Cell<[u64; 2]> = Cell::new(seed());
    }
    let mut state = STATE.get();
    let bits = [step(&mut state), step(&mut state)];
    STATE.set(state);
    bits
}

/// What the standard library seeds its hash maps with: the system's randomness, mixed.
fn seed() -> [u64; 2] {
    let word = |salt: u64| {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(salt);
        hasher.finish()
    };
    // A state of zeros would stay there.
    [word(1) | 1, word(2)]
}

/// The lower half as eight hexadecimal digits, all of them at once: one nibble in each byte of a
/// word, then `0` or `a` added.
fn hex(half: u64) -> [u8; 8] {
    let mut word = half & 0xffff_ffff;
    word = (word | word << 16) & 0x0000_ffff_0000_ffff;
    word = (word | word << 8) & 0x00ff_00ff_00ff_00ff;
    word = (word | word << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let letters = (word + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    (word + 0x3030_3030_3030_3030 + letters * u64::from(b'a' - b'0' - 10)).to_be_bytes()
}

fn step([a, b]: &mut [u64; 2]) -> u64 {
    let result = a.wrapping_add(*b).rotate_left(17).wrapping_add(*a);
    let x = *a ^ *b;
    *a = a.rotate_left(49) ^ x ^ (x << 21);
    *b = x.rotate_left(28);
    result
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use http::HeaderValue;

    use super::{RequestId, hex};

    #[test]
    fn made_ids_are_shaped_like_uuids_and_differ() {
        let ids: BTreeSet<String> = (0..1000)
            .map(|_| RequestId::generate().to_string())
            .collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            assert_eq!(id.len(), 36);
            assert_eq!(&id[14..15], "4", "{id}");
            assert!("89ab".contains(&id[19..20]), "{id}");
            assert_eq!(id.matches('-').count(), 4);
        }
    }

    #[test]
    fn digits_are_those_of_the_standard_library() {
        for half in [0, 1, 0x1234_5678, 0x9abc_def0, 0xffff_ffff] {
            assert_eq!(hex(half), format!("{half:08x}").as_bytes());
        }
    }

    #[test]
    fn ids_of_clients_are_reused_when_valid() {
        let accepted =
            |text: &[u8]| RequestId::accept(&HeaderValue::from_bytes(text).unwrap()).is_some();
        assert!(accepted(b"aZ09_-.:@/+="));
        assert!(accepted(&[b'a'; 128]));
        assert!(!accepted(&[b'a'; 129]));
        assert!(!accepted(b""));
        assert!(!accepted(b"a b"));
        assert!(!accepted(b"a\"b"));
        assert!(!accepted(b"\xff"));
    }
}
