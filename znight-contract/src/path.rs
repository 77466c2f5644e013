//! Route paths: `/users/{id}`, `/files/{*rest}`.
//!
//! A path is a list of segments separated by `/`. A segment is text, one parameter `{name}`, or, as
//! the last one, a catch-all `{*name}`. The forms `:name` and a trailing `*` of other frameworks
//! mean the same and are accepted; `*` alone is named `*`. Anything else is an error with the byte
//! range that is wrong: text beside a parameter, regular expressions, an empty segment, a name that
//! is not an identifier, a name used twice.
//!
//! Text is compared with the percent-encoded path of a request as it is, so a space is written
//! `%20`. `?`, `#` and characters that never stand in a request target are errors.

use std::{fmt, ops::Range};

/// The longest path accepted, in bytes.
pub const MAX_LENGTH: usize = 2048;

/// A parsed route path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoutePath {
    segments: Vec<Segment>,
}

/// One segment of a [`RoutePath`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// Text that must be equal, percent-encoded as on the wire.
    Text(String),
    /// `{name}`: one segment of any text but none.
    Param(String),
    /// `{*name}`: the rest of the path, at least one character.
    Rest(String),
}

/// What is wrong with a path, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    kind: PathErrorKind,
    span: Range<usize>,
}

/// What is wrong with a path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathErrorKind {
    /// Longer than [`MAX_LENGTH`].
    TooLong,
    /// Two slashes in a row.
    EmptySegment,
    /// `{` without `}`, or a brace in text.
    UnbalancedBrace,
    /// Text before or after a parameter in one segment.
    TextBesideParam,
    /// A parameter name that is not an identifier; holds the name.
    InvalidName(String),
    /// A name two parameters share; holds the name.
    DuplicateName(String),
    /// A catch-all that is not the last segment.
    RestNotLast,
    /// A character that cannot stand in a request path.
    InvalidCharacter(char),
}

impl PathError {
    /// What is wrong.
    pub const fn kind(&self) -> &PathErrorKind {
        &self.kind
    }

    /// The bytes of the text that are wrong.
    pub const fn span(&self) -> &Range<usize> {
        &self.span
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            PathErrorKind::TooLong => write!(f, "a path has at most {MAX_LENGTH} bytes"),
            PathErrorKind::EmptySegment => f.write_str("a segment is empty: two slashes in a row"),
            PathErrorKind::UnbalancedBrace => f.write_str("a brace has no partner: a parameter is written `{name}`"),
            PathErrorKind::TextBesideParam => {
                f.write_str("a segment is text or one parameter, not both: validate the format in the handler instead")
            }
            PathErrorKind::InvalidName(name) => write!(f, "`{name}` is not a parameter name: use letters, digits and `_`"),
            PathErrorKind::DuplicateName(name) => write!(f, "two parameters are named `{name}`"),
            PathErrorKind::RestNotLast => f.write_str("a catch-all takes the rest of the path and must be the last segment"),
            PathErrorKind::InvalidCharacter(c) => {
                write!(f, "{c:?} cannot stand in a path: write it percent-encoded")
            }
        }
    }
}

impl std::error::Error for PathError {}

impl RoutePath {
    /// The path `/`.
    pub const fn root() -> Self {
        Self {
            segments: Vec::new(),
        }
    }

    /// Reads a path. A missing leading slash is added and a trailing one dropped: `users/` is
    /// `/users`, and the empty text is `/`.
    ///
    /// # Errors
    /// The first thing that is wrong, with its byte range.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.len() > MAX_LENGTH {
            return Err(PathError {
                kind: PathErrorKind::TooLong,
                span: 0..text.len(),
            });
        }
        let start = usize::from(text.starts_with('/'));
        let end = if text.len() > start && text.ends_with('/') {
            text.len() - 1
        } else {
            text.len()
        };
        let mut segments = Vec::new();
        if start >= end {
            // `//` is not the root: its only segment is empty.
            return if text.len() > 1 {
                Err(PathError {
                    kind: PathErrorKind::EmptySegment,
                    span: 0..text.len(),
                })
            } else {
                Ok(Self { segments })
            };
        }
        let mut at = start;
        for part in text[start..end].split('/') {
            let span = at..at + part.len();
            at = span.end + 1;
            let segment = Segment::parse(part, &span)?;
            if matches!(segment, Segment::Rest(_)) && span.end != end {
                return Err(PathError {
                    kind: PathErrorKind::RestNotLast,
                    span,
                });
            }
            if let Some(name) = segment.name()
                && segments
                    .iter()
                    .any(|earlier: &Segment| earlier.name() == Some(name))
            {
                return Err(PathError {
                    kind: PathErrorKind::DuplicateName(name.to_owned()),
                    span,
                });
            }
            segments.push(segment);
        }
        Ok(Self { segments })
    }

    /// This path followed by another, as a controller's path is by a handler's.
    ///
    /// # Errors
    /// When both name a parameter alike, or this path ends in a catch-all. The range is that of
    /// the whole joined text.
    pub fn join(&self, tail: &Self) -> Result<Self, PathError> {
        let mut segments = self.segments.clone();
        segments.extend(tail.segments.iter().cloned());
        Self::parse(&Self { segments }.to_string())
    }

    /// The segments, none for `/`.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The parameter names, in order, the catch-all's included.
    pub fn params(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(Segment::name)
    }

    /// The path with every parameter name replaced by `{}` and `{*}`: equal shapes match the same
    /// requests, so two routes of one method must not share one.
    pub fn shape(&self) -> String {
        if self.segments.is_empty() {
            return "/".to_owned();
        }
        let mut out = String::new();
        for segment in &self.segments {
            out.push('/');
            match segment {
                Segment::Text(text) => out.push_str(text),
                Segment::Param(_) => out.push_str("{}"),
                Segment::Rest(_) => out.push_str("{*}"),
            }
        }
        out
    }
}

impl Segment {
    /// The parameter name of the segment, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Text(_) => None,
            Self::Param(name) | Self::Rest(name) => Some(name),
        }
    }

    fn parse(text: &str, span: &Range<usize>) -> Result<Self, PathError> {
        let error = |kind| {
            Err(PathError {
                kind,
                span: span.clone(),
            })
        };
        if text.is_empty() {
            return error(PathErrorKind::EmptySegment);
        }
        if text == "*" {
            return Ok(Self::Rest("*".to_owned()));
        }
        if let Some(name) = text.strip_prefix(':') {
            return Ok(Self::Param(Self::param_name(name, span)?));
        }
        if let Some(inner) = text.strip_prefix('{') {
            let Some((name, after)) = inner.split_once('}') else {
                return error(PathErrorKind::UnbalancedBrace);
            };
            if !after.is_empty() {
                return error(PathErrorKind::TextBesideParam);
            }
            return match name.strip_prefix('*') {
                Some(name) => Ok(Self::Rest(Self::param_name(name, span)?)),
                None => Ok(Self::Param(Self::param_name(name, span)?)),
            };
        }
        if let Some(at) = text.find(['{', '}']) {
            let kind = if text[at..].starts_with('{') && text[at..].contains('}') {
                PathErrorKind::TextBesideParam
            } else {
                PathErrorKind::UnbalancedBrace
            };
            return error(kind);
        }
        for (at, c) in text.char_indices() {
            let allowed = c.is_ascii_alphanumeric() || "-._~!$&'()+,;=:@%".contains(c);
            if !allowed {
                let from = span.start + at;
                return Err(PathError {
                    kind: PathErrorKind::InvalidCharacter(c),
                    span: from..from + c.len_utf8(),
                });
            }
        }
        Ok(Self::Text(text.to_owned()))
    }

    fn param_name(name: &str, span: &Range<usize>) -> Result<String, PathError> {
        let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            Ok(name.to_owned())
        } else {
            Err(PathError {
                kind: PathErrorKind::InvalidName(name.to_owned()),
                span: span.clone(),
            })
        }
    }
}

impl fmt::Display for RoutePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.segments.is_empty() {
            return f.write_str("/");
        }
        for segment in &self.segments {
            match segment {
                Segment::Text(text) => write!(f, "/{text}")?,
                Segment::Param(name) => write!(f, "/{{{name}}}")?,
                Segment::Rest(name) if name == "*" => f.write_str("/*")?,
                Segment::Rest(name) => write!(f, "/{{*{name}}}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{PathErrorKind, RoutePath};

    #[test]
    fn accepted_paths_and_how_they_are_written_back() {
        for (text, canonical, params) in [
            ("", "/", vec![]),
            ("/", "/", vec![]),
            ("users", "/users", vec![]),
            ("/users/", "/users", vec![]),
            ("/users/{id}", "/users/{id}", vec!["id"]),
            (
                "/users/:id/posts/:post_id",
                "/users/{id}/posts/{post_id}",
                vec!["id", "post_id"],
            ),
            ("/files/{*rest}", "/files/{*rest}", vec!["rest"]),
            ("/files/*", "/files/*", vec!["*"]),
            ("/a%20b/c.json", "/a%20b/c.json", vec![]),
        ] {
            let path = RoutePath::parse(text).expect(text);
            assert_eq!(path.to_string(), canonical, "{text}");
            assert_eq!(path.params().collect::<Vec<_>>(), params, "{text}");
        }
    }

    #[test]
    fn refused_paths_and_the_bytes_that_are_wrong() {
        use PathErrorKind as K;
        for (text, kind, span) in [
            ("//", K::EmptySegment, 0..2),
            ("/a//b", K::EmptySegment, 3..3),
            ("/{id", K::UnbalancedBrace, 1..4),
            ("/id}", K::UnbalancedBrace, 1..4),
            ("/{id}.json", K::TextBesideParam, 1..10),
            ("/v{id}", K::TextBesideParam, 1..6),
            ("/:id(\\d+)", K::InvalidName("id(\\d+)".into()), 1..9),
            ("/{}", K::InvalidName(String::new()), 1..3),
            ("/{1st}", K::InvalidName("1st".into()), 1..6),
            ("/{id}/{id}", K::DuplicateName("id".into()), 6..10),
            ("/{*rest}/x", K::RestNotLast, 1..8),
            ("/*/x", K::RestNotLast, 1..2),
            ("/a b", K::InvalidCharacter(' '), 2..3),
            ("/caf\u{e9}", K::InvalidCharacter('\u{e9}'), 4..6),
            ("/a?b=1", K::InvalidCharacter('?'), 2..3),
        ] {
            let error = RoutePath::parse(text).expect_err(text);
            assert_eq!((error.kind(), error.span()), (&kind, &span), "{text}");
        }
        let long = "/a".repeat(2000);
        assert_eq!(
            RoutePath::parse(&long).expect_err("long").kind(),
            &K::TooLong
        );
    }

    #[test]
    fn a_controller_path_and_a_handler_path_join() {
        let join = |a: &str, b: &str| {
            RoutePath::parse(a)
                .unwrap()
                .join(&RoutePath::parse(b).unwrap())
                .map(|p| p.to_string())
        };
        assert_eq!(join("/users", "/{id}").unwrap(), "/users/{id}");
        assert_eq!(join("/", "/").unwrap(), "/");
        assert_eq!(join("/users", "/").unwrap(), "/users");
        assert!(join("/{id}", "/{id}").is_err());
        assert!(join("/{*rest}", "/x").is_err());
    }

    #[test]
    fn shapes_ignore_names() {
        let shape = |text: &str| RoutePath::parse(text).unwrap().shape();
        assert_eq!(shape("/a/{x}"), shape("/a/:y"));
        assert_eq!(shape("/a/{*x}"), shape("/a/*"));
        assert_ne!(shape("/a/{x}"), shape("/a/{*x}"));
    }

    proptest! {
        #[test]
        fn what_is_written_back_reads_the_same(text in "[/a-z{}:*_.%0-9]{0,24}") {
            if let Ok(path) = RoutePath::parse(&text) {
                prop_assert_eq!(RoutePath::parse(&path.to_string()), Ok(path));
            }
        }

        #[test]
        fn any_text_is_answered_with_a_range_inside_it(text in any::<String>()) {
            if let Err(error) = RoutePath::parse(&text) {
                prop_assert!(error.span().end <= text.len());
                prop_assert!(text.get(error.span().clone()).is_some());
            }
        }
    }
}
