//! Tokens of a text, as far as they tell where bodies and members start and end.

use std::ops::Range;

/// Attributes that are never ours, so that what they stand on can be skipped.
const PLAIN: &[&str] = &[
    "allow",
    "async_trait",
    "automatically_derived",
    "cfg",
    "cold",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "inline",
    "must_use",
    "non_exhaustive",
    "repr",
    "serde",
    "track_caller",
    "warn",
];

/// A stretch of the text that is going to be skipped.
pub(super) struct Stretch {
    /// Where it starts.
    start: usize,
    /// How many were skipped before it.
    before: usize,
}

/// The member of an impl that is being read.
struct Member {
    /// Where it starts, attributes included.
    start: usize,
    head: Head,
    /// An attribute that may be ours stands on it.
    marked: bool,
    /// How many `<` are open.
    angles: usize,
    /// The punctuation just before.
    previous: u8,
}

/// What the words at the start of a member have told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    /// Nothing yet.
    Open,
    /// `const`, which may begin a function.
    Const,
    /// It is a const.
    Kept,
    /// It is a function under an attribute that may be ours: all but its body is kept.
    Method,
    /// It is something else.
    Other,
}

impl Member {
    fn starting(start: usize) -> Self {
        Self {
            start,
            head: Head::Open,
            marked: false,
            angles: 0,
            previous: 0,
        }
    }

    /// Takes the next word; whether it tells that the member is kept.
    fn word(&mut self, word: &str) -> bool {
        self.previous = 0;
        self.head = match (self.head, word) {
            (Head::Open | Head::Const | Head::Other, "fn") if self.marked => {
                self.head = Head::Method;
                return true;
            }
            (Head::Open, "pub" | "default") => Head::Open,
            (Head::Open, "const") => Head::Const,
            (Head::Const, "fn" | "unsafe" | "async" | "extern") | (Head::Open, _) => Head::Other,
            (Head::Const, _) => {
                self.head = Head::Kept;
                return true;
            }
            (head @ (Head::Kept | Head::Method | Head::Other), _) => head,
        };
        false
    }

    fn punct(&mut self, punct: u8) {
        match punct {
            b'<' => self.angles += 1,
            // Not that of an arrow.
            b'>' if self.previous != b'-' => self.angles = self.angles.saturating_sub(1),
            _ => {}
        }
        self.previous = punct;
    }

    /// Whether what is read of it is not skipped.
    fn is_kept(&self) -> bool {
        matches!(self.head, Head::Kept | Head::Method)
    }
}

pub(super) enum Token<'a> {
    Word(&'a str),
    Punct(u8),
    /// A literal, a lifetime or a character beyond ASCII.
    Other,
}

pub(super) struct Scanner<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    /// The comments so far, and the bodies: in order, none inside another.
    pub(super) skipped: Vec<Range<usize>>,
}

impl<'a> Scanner<'a> {
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' if matches!(self.peek(1), Some(b'/' | b'*')) => self.comment(),
                _ => break,
            }
        }
        let byte = self.bytes[self.at];
        Some(match byte {
            b'"' => {
                self.string();
                Token::Other
            }
            b'\'' => {
                self.quote();
                Token::Other
            }
            b'0'..=b'9' => {
                self.word();
                Token::Other
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => self.word_or_prefixed(),
            punct => {
                self.at += 1;
                Token::Punct(punct)
            }
        })
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// From behind `{` to its `}`, which is left to be read; the end of the text if there is none.
    pub(super) fn skip_group(&mut self) -> usize {
        let mut depth = 1;
        loop {
            match self.next() {
                Some(Token::Punct(b'{')) => depth += 1,
                Some(Token::Punct(b'}')) => {
                    depth -= 1;
                    if depth == 0 {
                        // The closing brace is consumed: for the caller the body is over.
                        return self.at - 1;
                    }
                }
                Some(_) => {}
                None => return self.bytes.len(),
            }
        }
    }

    /// From behind the `{` of an impl to its `}`. Kept are the consts, and the heads of methods with
    /// attributes that may be ours.
    pub(super) fn skip_members(&mut self) {
        let mut stretch = self.stretch();
        let mut member = Member::starting(self.at);
        // Brackets of every kind: a `;` also stands in `[u8; 2]`.
        let mut depth = 1;
        while let Some(token) = self.next() {
            match token {
                Token::Punct(b'{')
                    if depth == 1 && member.head == Head::Method && member.angles == 0 =>
                {
                    let body = self.stretch();
                    let end = self.skip_group();
                    self.skip(&body, end);
                    stretch = self.stretch();
                    member = Member::starting(self.at);
                }
                Token::Punct(open @ (b'{' | b'(' | b'[')) => {
                    if depth == 1 && open == b'[' && member.previous == b'#' {
                        member.marked |= !self.is_plain_attribute();
                    }
                    member.previous = open;
                    depth += 1;
                }
                Token::Punct(close @ (b'}' | b')' | b']')) => {
                    depth -= 1;
                    if depth == 0 {
                        self.skip(&stretch, self.at - 1);
                        return;
                    }
                    if depth == 1 && close == b'}' && !member.is_kept() {
                        member = Member::starting(self.at);
                    }
                }
                Token::Punct(b';') if depth == 1 => {
                    if member.is_kept() {
                        stretch = self.stretch();
                    }
                    member = Member::starting(self.at);
                }
                Token::Word(word) if depth == 1 && member.word(word) => {
                    self.skip(&stretch, member.start);
                }
                // A raw identifier behind `const` is a name.
                Token::Other if depth == 1 && member.word("") => self.skip(&stretch, member.start),
                Token::Punct(punct) if depth == 1 => member.punct(punct),
                _ => {}
            }
        }
        if !member.is_kept() {
            self.skip(&stretch, self.bytes.len());
        }
    }

    /// A stretch to be skipped that starts here.
    pub(super) fn stretch(&self) -> Stretch {
        Stretch {
            start: self.at,
            before: self.skipped.len(),
        }
    }

    /// Skips a stretch up to a place; the comments in it go with the rest, those behind it stay.
    pub(super) fn skip(&mut self, stretch: &Stretch, end: usize) {
        let inside = self.skipped[stretch.before..].partition_point(|range| range.start < end);
        self.skipped.splice(
            stretch.before..stretch.before + inside,
            std::iter::once(stretch.start..end),
        );
    }

    /// Whether the attribute whose `[` was just read is one of the language's own.
    pub(super) fn is_plain_attribute(&self) -> bool {
        let space = |byte: &&u8| byte.is_ascii_whitespace();
        let name: &[u8] =
            &self.bytes[self.at + self.bytes[self.at..].iter().take_while(space).count()..];
        let end = name
            .iter()
            .take_while(|byte| **byte == b'_' || byte.is_ascii_alphanumeric())
            .count();
        let (name, rest) = name.split_at(end);
        let behind = &rest[rest.iter().take_while(space).count()..];
        PLAIN.iter().any(|plain| plain.as_bytes() == name) && !behind.starts_with(b"::")
    }

    fn comment(&mut self) {
        let start = self.at;
        if self.peek(1) == Some(b'/') {
            self.line_comment();
        } else {
            self.block_comment();
        }
        // An unfinished comment may end behind the text.
        self.at = self.at.min(self.bytes.len());
        self.skipped.push(start..self.at);
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.bytes.len() {
            match (self.bytes[self.at], self.peek(1)) {
                (b'/', Some(b'*')) => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', Some(b'/')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => return,
                _ => {}
            }
        }
    }

    fn raw_string(&mut self, hashes: usize) {
        self.at += hashes + 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            let closes = byte == b'"' && (0..hashes).all(|n| self.peek(n) == Some(b'#'));
            if closes {
                self.at += hashes;
                return;
            }
        }
    }

    /// A character literal or a lifetime.
    fn quote(&mut self) {
        self.at += 1;
        match self.peek(0) {
            Some(b'\\') => {
                self.at += 2;
                while self
                    .peek(0)
                    .is_some_and(|byte| byte != b'\'' && byte != b'\n')
                {
                    self.at += 1;
                }
                self.at += 1;
            }
            Some(first) => {
                let width = if first < 0x80 {
                    1
                } else {
                    1 + self.bytes[self.at + 1..]
                        .iter()
                        .take_while(|byte| **byte & 0xc0 == 0x80)
                        .count()
                };
                if self.peek(width) == Some(b'\'') {
                    self.at += width + 1;
                } else {
                    self.word();
                }
            }
            None => {}
        }
    }

    fn word(&mut self) -> &'a str {
        let start = self.at;
        while self
            .peek(0)
            .is_some_and(|byte| byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80)
        {
            self.at += 1;
        }
        std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or("")
    }

    fn word_or_prefixed(&mut self) -> Token<'a> {
        let word = self.word();
        let hashes = self.bytes[self.at..]
            .iter()
            .take_while(|byte| **byte == b'#')
            .count();
        match (word, self.peek(hashes)) {
            ("r" | "br" | "cr", Some(b'"')) => {
                self.raw_string(hashes);
                Token::Other
            }
            ("b" | "c", Some(b'"')) if hashes == 0 => {
                self.string();
                Token::Other
            }
            ("b", Some(b'\'')) if hashes == 0 => {
                self.quote();
                Token::Other
            }
            ("r", _) if hashes == 1 => {
                // A raw identifier is never a keyword.
                self.at += 1;
                self.word();
                Token::Other
            }
            _ => Token::Word(word),
        }
    }
}
