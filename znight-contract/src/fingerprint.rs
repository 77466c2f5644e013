//! The hash with which both passes of the compiler recognise an item.
//!
//! The build pass and the macros see the same tokens through different lexers. Each feeds the
//! texts of an item's tokens to a [`Fingerprint`]; equal items give equal hashes wherever they
//! stand and however they are laid out. FNV-1a, 64 bits: stable across platforms and releases.

/// A running FNV-1a hash over token texts.
#[derive(Debug, Clone, Copy)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    /// The hash of nothing.
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds one token. Tokens are separated, so `a b` and `ab` differ.
    #[must_use]
    pub fn token(mut self, text: &str) -> Self {
        for byte in text.bytes().chain([0xff]) {
            self.0 ^= u64::from(byte);
            self.0 = self.0.wrapping_mul(0x0100_0000_01b3);
        }
        self
    }

    /// The hash so far.
    pub const fn finish(self) -> u64 {
        self.0
    }
}

/// The hash of one text, used for ids that must not change when other items come and go.
pub fn id(text: &str) -> u64 {
    Fingerprint::new().token(text).finish()
}

#[cfg(test)]
mod tests {
    use super::{Fingerprint, id};

    #[test]
    fn token_boundaries_matter() {
        let joined = Fingerprint::new().token("ab").finish();
        let split = Fingerprint::new().token("a").token("b").finish();
        assert_ne!(joined, split);
    }

    #[test]
    fn the_hash_never_changes_between_releases() {
        assert_eq!(id("shop::users::UserService"), 0x4c7b_9de4_381b_fd40_u64);
    }
}
