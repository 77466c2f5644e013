//! Bodies of requests: reading them within bounds, and what their media type says.

use http::{HeaderMap, header::CONTENT_TYPE};

pub(crate) mod json;
mod lazy;
mod read;
pub(crate) mod text;

pub(crate) use lazy::LazyBody;
pub use read::RequestBody;
pub(crate) use read::{Limits, Rest, closing, discard, read};

/// What a body is, by its `content-type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MediaType {
    /// `application/json` or `application/*+json`.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `text/*`.
    Text,
    /// The header is absent.
    None,
    /// Anything else, and what is no media type.
    Other,
}

impl MediaType {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let Some(value) = headers.get(CONTENT_TYPE) else {
            return Self::None;
        };
        let value = value.as_bytes();
        if value == b"application/json" {
            return Self::Json;
        }
        let essence = value.split(|byte| *byte == b';').next().unwrap_or(value);
        let essence = essence.trim_ascii().to_ascii_lowercase();
        match essence.as_slice() {
            b"application/json" => Self::Json,
            b"application/x-www-form-urlencoded" => Self::Form,
            other if other.ends_with(b"+json") && other.contains(&b'/') => Self::Json,
            other if other.starts_with(b"text/") => Self::Text,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header::CONTENT_TYPE};

    use super::MediaType;

    #[test]
    fn media_types_are_told_apart_without_their_parameters() {
        for (text, expected) in [
            ("application/json", MediaType::Json),
            ("Application/JSON; charset=utf-8", MediaType::Json),
            ("application/vnd.api+json", MediaType::Json),
            ("application/x-www-form-urlencoded;a=b", MediaType::Form),
            ("text/plain", MediaType::Text),
            ("text/csv;charset=latin1", MediaType::Text),
            ("application/xml", MediaType::Other),
            ("+json", MediaType::Other),
            ("", MediaType::Other),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(text));
            assert_eq!(MediaType::of(&headers), expected, "{text}");
        }
        assert_eq!(MediaType::of(&HeaderMap::new()), MediaType::None);
    }
}
