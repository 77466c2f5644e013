//! Blanks the bodies of functions before anything is parsed.
//!
//! Lexing and parsing bodies is most of the cost of reading Rust, and nothing the analysis needs
//! stands in one. A small scanner that knows strings, comments and lifetimes replaces each character of
//! them by a space, so that every line and column stays as it was. The same goes for comments, those of
//! documentation too, and for the variants of an `enum` and the members of an `impl` that no attribute of
//! ours can be on: their heads say all there is to know. The consts of an `impl` stay: attributes name them; so do the heads of
//! methods with attributes that may be ours.

mod scanner;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use self::scanner::{Scanner, Token};

/// The text with comments, the content of function bodies, and that of impls and enums without
/// attributes that may be ours, replaced by spaces; line ends stay.
pub fn blank_bodies(text: &str) -> String {
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        at: 0,
        skipped: Vec::new(),
    };
    // The state of each open brace, bracket or parenthesis outside of bodies.
    let mut levels = vec![Level::default()];
    while let Some(token) = scanner.next() {
        let level = levels
            .last_mut()
            .expect("invariant: the outermost level is never closed");
        match token {
            Token::Word(word) => {
                level.word(word);
                level.previous = 0;
            }
            Token::Punct(b'{') if level.opens_body() => {
                let members = level.ahead == Ahead::Members;
                level.end_item();
                if members {
                    scanner.skip_members();
                } else {
                    let stretch = scanner.stretch();
                    let end = scanner.skip_group();
                    scanner.skip(&stretch, end);
                }
            }
            Token::Punct(open @ (b'{' | b'(' | b'[')) => {
                if open == b'[' && level.previous == b'#' {
                    level.marked |= !scanner.is_plain_attribute();
                }
                let argument = level.is_argument();
                level.previous = open;
                levels.push(Level {
                    argument,
                    ..Level::default()
                });
            }
            Token::Punct(close @ (b'}' | b')' | b']')) => {
                let closed = if levels.len() > 1 { levels.pop() } else { None };
                let level = levels.last_mut().expect("invariant: never empty");
                if close == b'}' && !closed.is_some_and(|closed| closed.argument) {
                    level.end_item();
                }
                level.previous = b')';
            }
            Token::Punct(punct) => {
                level.punct(punct);
            }
            Token::Other => level.previous = 0,
        }
    }
    without(text, &scanner.skipped)
}

/// The text with each character of these ranges replaced by a space; line ends stay.
fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        out.push_str(&text[from..range.start]);
        out.extend(
            text[range.clone()]
                .chars()
                .map(|c| if matches!(c, '\n' | '\r') { c } else { ' ' }),
        );
        from = range.end;
    }
    out.push_str(&text[from..]);
    out
}

/// The names of types and traits in the bodies of functions and in the members that are blanked.
pub fn mentioned(text: &str) -> BTreeSet<String> {
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        at: 0,
        skipped: Vec::new(),
    };
    let mut outside: BTreeMap<&str, usize> = BTreeMap::new();
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    let blank = blank_bodies(text);
    let mut read = Scanner {
        bytes: blank.as_bytes(),
        at: 0,
        skipped: Vec::new(),
    };
    while let Some(token) = read.next() {
        if let Token::Word(word) = token {
            *outside.entry(word).or_default() += 1;
        }
    }
    while let Some(token) = scanner.next() {
        if let Token::Word(word) = token {
            *all.entry(word).or_default() += 1;
        }
    }
    all.into_iter()
        .filter(|(word, count)| outside.get(word).is_none_or(|outside| outside < count))
        .map(|(word, _)| word)
        .filter(|word| word.starts_with(|first: char| first.is_uppercase()))
        .map(str::to_owned)
        .collect()
}

/// What is known of the item being read at one level of nesting.
#[derive(Default)]
struct Level {
    /// What the next brace opens.
    ahead: Ahead,
    /// Some word of the item has been read.
    started: bool,
    /// An attribute that may be ours stands on the item.
    marked: bool,
    /// The level is a const argument: its end is not that of an item.
    argument: bool,
    /// How many `<` are open.
    angles: usize,
    /// The punctuation just before.
    previous: u8,
}

/// What the next brace of an item opens.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Ahead {
    /// Something to be read.
    #[default]
    Content,
    /// The body of a function.
    Body,
    /// The members of an impl.
    Members,
    /// The variants of an enum.
    Variants,
}

impl Level {
    fn word(&mut self, word: &str) {
        if self.started {
            return;
        }
        match word {
            "fn" => self.ahead = Ahead::Body,
            "impl" => self.ahead = Ahead::Members,
            "enum" => self.ahead = Ahead::Variants,
            // What an item is may stand behind these.
            "pub" | "unsafe" | "safe" | "default" | "const" | "async" | "extern" => return,
            _ => {}
        }
        self.started = true;
    }

    fn punct(&mut self, punct: u8) {
        match punct {
            b';' => self.end_item(),
            b'<' => self.angles += 1,
            // Not that of an arrow.
            b'>' if !matches!(self.previous, b'-' | b'=') => {
                self.angles = self.angles.saturating_sub(1);
            }
            _ => {}
        }
        self.previous = punct;
    }

    /// Whether a brace opens something that can be skipped.
    fn opens_body(&self) -> bool {
        match self.ahead {
            Ahead::Content => false,
            Ahead::Body => !self.is_argument(),
            Ahead::Members | Ahead::Variants => !self.is_argument() && !self.marked,
        }
    }

    /// Whether a brace here opens a const argument, `Foo<{ N }>`, or a value, `= { .. }`. A `where` clause
    /// may end in a comma.
    fn is_argument(&self) -> bool {
        match self.previous {
            b'<' | b'=' => true,
            b',' => self.angles > 0,
            _ => false,
        }
    }

    fn end_item(&mut self) {
        *self = Self {
            argument: self.argument,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::blank_bodies;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let blank = blank_bodies(source);
        assert_eq!(blank.chars().count(), source.chars().count());
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squeezed(&blank), squeezed(expected), "{source}");
    }

    #[test]
    fn bodies_vanish_and_everything_else_stays() {
        check("fn a() { let x = \"}\"; }", "fn a() { }");
        check(
            "#[x] impl A { fn a(&self) -> u8 { '}'; b'{'; r#\"}\"#; /* } /* } */ */ 1 } const B: u8 = { 2 }; }",
            "#[x] impl A { fn a(&self) -> u8 { } const B: u8 = { 2 }; }",
        );
        check(
            "fn a<'a>(x: &'a str) -> Foo<{ 1 }> where X: Y<{ 2 }> { '\\''; 'é' }",
            "fn a<'a>(x: &'a str) -> Foo<{ 1 }> where X: Y<{ 2 }> { }",
        );
        check(
            "trait T { fn a(); fn b() { 1 } } struct S { x: fn() -> u8 } fn c() { }",
            "trait T { fn a(); fn b() { } } struct S { x: fn() -> u8 } fn c() { }",
        );
        check(
            "struct r#fn { a: u8 } fn r#match() { r#\"\"# }",
            "struct r#fn { a: u8 } fn r#match() { }",
        );
        check("static F: fn() = { f };", "static F: fn() = { f };");
        check(
            "struct A<T, F = fn() -> T> { a: T } pub const unsafe extern \"C\" fn b() { 1 } const C: fn() = { d };",
            "struct A<T, F = fn() -> T> { a: T } pub const unsafe extern \"C\" fn b() { } const C: fn() = { d };",
        );
        check(
            "fn a<F>(f: F) where F: Fn() -> u8, { 1 } struct S { a: u8 }",
            "fn a<F>(f: F) where F: Fn() -> u8, { } struct S { a: u8 }",
        );
        check(
            "fn a<T>() where T: A<u8, { 1 }>, { 1 } struct S<const N: u8 = { 2 }> { a: B<u8, { 3 }> } fn c() { 4 }",
            "fn a<T>() where T: A<u8, { 1 }>, { } struct S<const N: u8 = { 2 }> { a: B<u8, { 3 }> } fn c() { }",
        );
        check(
            "// fn a() {\nmod m { fn b() { /* } */ } }",
            "mod m { fn b() { } }",
        );
        check(
            "fn a() { \"é\\\"}\"; c\"}\"; '\u{1F600}' } struct B;",
            "fn a() { } struct B;",
        );
    }

    #[test]
    fn impls_and_enums_without_attributes_of_ours_are_heads_only() {
        for (source, expected) in [
            (
                "impl<T> A for B<{ 1 }> { fn a(); } struct C { d: u8 }",
                "impl<T> A for B<{ 1 }> { } struct C { d: u8 }",
            ),
            (
                "impl<F> A for B<F> where F: Fn() -> u8, { fn a(); } struct C { d: u8 }",
                "impl<F> A for B<F> where F: Fn() -> u8, { } struct C { d: u8 }",
            ),
            (
                "enum A<T> where T: B<u8>, { C { d: u8 } } struct E { f: u8 }",
                "enum A<T> where T: B<u8>, { } struct E { f: u8 }",
            ),
            (
                "#[async_trait] #[cfg(x)] /// doc\n impl A for B { fn a(); }",
                "#[async_trait] #[cfg(x)] impl A for B { }",
            ),
            (
                "#[ injectable] impl A { fn a(); }",
                "#[ injectable] impl A { fn a(); }",
            ),
            (
                "#[cfg_attr(x, injectable)] impl A { fn a(); }",
                "#[cfg_attr(x, injectable)] impl A { fn a(); }",
            ),
            (
                "#[async_trait::async_trait] impl A { fn a(); }",
                "#[async_trait::async_trait] impl A { fn a(); }",
            ),
            (
                "#[y] struct S { a: u8 } pub(crate) enum E { A { b: u8 } }",
                "#[y] struct S { a: u8 } pub(crate) enum E { }",
            ),
            (
                "#[y] struct S; unsafe impl Send for S { x }",
                "#[y] struct S; unsafe impl Send for S { }",
            ),
            (
                "mod m { impl A { fn a(); } trait T { fn a(); } }",
                "mod m { impl A { } trait T { fn a(); } }",
            ),
            (
                "static A: [u8; 1] = { x }; fn f(a: impl B) -> impl C { } struct D { e: u8 }",
                "static A: [u8; 1] = { x }; fn f(a: impl B) -> impl C { } struct D { e: u8 }",
            ),
        ] {
            check(source, expected);
        }
    }

    #[test]
    fn the_consts_of_an_impl_stay_with_what_stands_on_them() {
        for (source, expected) in [
            (
                "impl A { fn a() { 1 } pub const B: &str = \"b\"; const fn c() {} }",
                "impl A { pub const B: &str = \"b\"; }",
            ),
            (
                "impl A { /// doc\n #[cfg(x)] pub(crate) const B: [u8; 2] = [1; 2]; /* x */ fn c(a: [u8; 2], p: *const T) {} }",
                "impl A { #[cfg(x)] pub(crate) const B: [u8; 2] = [1; 2]; }",
            ),
            (
                "impl A { const unsafe fn a<const N: u8>() {} type T = [u8; 1]; const r#type: u8 = { 1; 2 }; } struct S { a: u8 }",
                "impl A { const r#type: u8 = { 1; 2 }; } struct S { a: u8 }",
            ),
            (
                "impl T for A { const A: u8 = 1; const B: u8 = 2; fn c() {} } enum E { A = { const B: u8 = 1; B } }",
                "impl T for A { const A: u8 = 1; const B: u8 = 2; } enum E { }",
            ),
            ("impl A { const B: u8", "impl A { const B: u8"),
        ] {
            check(source, expected);
        }
    }

    #[test]
    fn methods_with_attributes_that_may_be_ours_stay_without_their_bodies() {
        for (source, expected) in [
            (
                "impl A { fn a() { 1 } #[x(Y)] pub async fn b(c: [u8; 2]) -> D { if e { f } } fn g() {} } struct S { a: u8 }",
                "impl A { #[x(Y)] pub async fn b(c: [u8; 2]) -> D { } } struct S { a: u8 }",
            ),
            (
                "impl T for A { #[inline] fn a() { 1 } #[inline] #[x] fn b() -> E<1, { 2 }> where F: G, { h } const I: u8 = 1; }",
                "impl T for A { #[inline] #[x] fn b() -> E<1, { 2 }> where F: G, { } const I: u8 = 1; }",
            ),
            (
                "impl A { #[x] type B = C; #[y] const fn d() {} #[z] fn e() { } }",
                "impl A { #[y] const fn d() {} #[z] fn e() { } }",
            ),
            ("impl A { #[x] fn b() { c", "impl A { #[x] fn b() { "),
        ] {
            check(source, expected);
        }
    }

    #[test]
    fn unfinished_text_ends_without_a_panic() {
        for source in [
            "fn a() {",
            "fn a() { \"",
            "fn a() { '",
            "fn a() { r#\"",
            "/*",
            "'",
            "}}}",
            "fn a() { '\\",
            "b'",
        ] {
            assert_eq!(blank_bodies(source).len(), source.len(), "{source}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_keeps_its_length_and_lines(text in proptest::prelude::any::<String>()) {
            let blank = blank_bodies(&text);
            proptest::prop_assert_eq!(blank.chars().count(), text.chars().count());
            proptest::prop_assert_eq!(blank.matches('\n').count(), text.matches('\n').count());
        }
    }
}
