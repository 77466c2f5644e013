//! Query parameters.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::{FromText, Place, Tag, context, from_param::FromParams, text::Values};
use crate::{HttpContext, HttpError, rq::Rq};

/// A query parameter of a type read in its own way.
pub trait QueryFrom<T> {
    /// The query parameter `name`, or `default` when it is not sent.
    ///
    /// # Errors
    /// 400 naming the parameter.
    fn query(&self, rq: &Rq, name: &str, default: Option<fn() -> T>) -> Result<T, HttpError>;
}

impl<T: FromParams> QueryFrom<T> for &Tag<T> {
    fn query(&self, rq: &Rq, name: &str, default: Option<fn() -> T>) -> Result<T, HttpError> {
        let values = values(context(rq), name)?;
        match default {
            Some(default) if values.is_empty() => Ok(default()),
            _ => T::from_params(values.into_iter())
                .map_err(|error| Place::Query.refuse(name, &error)),
        }
    }
}

/// A query parameter read by serde.
pub trait QuerySerde<T> {
    /// The query parameter `name`, or `default` when it is not sent.
    ///
    /// # Errors
    /// 400 naming the parameter.
    fn query(&self, rq: &Rq, name: &str, default: Option<fn() -> T>) -> Result<T, HttpError>
    where
        T: FromText;
}

impl<T> QuerySerde<T> for Tag<T> {
    fn query(&self, rq: &Rq, name: &str, default: Option<fn() -> T>) -> Result<T, HttpError>
    where
        T: FromText,
    {
        let values = values(context(rq), name)?;
        match default {
            Some(default) if values.is_empty() => Ok(default()),
            _ => T::from_values(values).map_err(|error| Place::Query.refuse(name, &error)),
        }
    }
}

/// The values of one name.
fn values<'a>(
    context: &'a HttpContext,
    name: &'a str,
) -> Result<Values<'a, impl Iterator<Item = Cow<'a, str>>>, HttpError> {
    Ok(Values::new(pairs(context)?.filter_map(
        move |(key, value)| (key == name).then_some(value),
    )))
}

/// The decoded pairs of the query.
pub(super) fn pairs(
    context: &HttpContext,
) -> Result<impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)>, HttpError> {
    let query = context.query().unwrap_or("");
    if !well_encoded(query) {
        return Err(HttpError::bad_request(
            "the query is not well percent-encoded",
        ));
    }
    Ok(Pairs(query))
}

/// Splits a query, and decodes the pairs that need it.
struct Pairs<'a>(&'a str);

impl<'a> Iterator for Pairs<'a> {
    type Item = (Cow<'a, str>, Cow<'a, str>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.0.is_empty() {
                return None;
            }
            // One look at each byte: where the name ends, where the pair does, what it holds.
            let bytes = self.0.as_bytes();
            let (mut equals, mut encoded, mut end) = (None, false, bytes.len());
            for (at, byte) in bytes.iter().enumerate() {
                match byte {
                    b'&' => {
                        end = at;
                        break;
                    }
                    b'=' if equals.is_none() => equals = Some(at),
                    b'%' | b'+' => encoded = true,
                    _ => {}
                }
            }
            let pair = &self.0[..end];
            self.0 = self.0.get(end + 1..).unwrap_or("");
            if pair.is_empty() {
                continue;
            }
            if encoded {
                return form_urlencoded::parse(pair.as_bytes()).next();
            }
            let (name, value) = match equals {
                Some(at) => (&pair[..at], &pair[at + 1..]),
                None => (pair, ""),
            };
            return Some((Cow::Borrowed(name), Cow::Borrowed(value)));
        }
    }
}

/// Whether every `%` is followed by two hexadecimal digits and the whole is UTF-8 once decoded.
/// The decoder itself would let both pass.
pub(crate) fn well_encoded(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(first) = bytes.iter().position(|byte| *byte == b'%') else {
        return true;
    };
    let digits = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    (first..bytes.len())
        .filter(|at| bytes[*at] == b'%')
        .all(|at| digits(at + 1) && digits(at + 2))
        && percent_decode_str(text).decode_utf8().is_ok()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{Pairs, well_encoded};

    #[test]
    fn pairs_are_those_of_the_url_standard() {
        for query in [
            "",
            "&",
            "a",
            "a=",
            "=b",
            "a=b",
            "a=b=c",
            "a=1&b=2&a=3",
            "&&a=1&&",
            "a=%26+b&c=%3D",
            "a+b=c",
            "caf%C3%A9=1&x",
            "=",
            "a&=&b=",
        ] {
            let ours: Vec<_> = Pairs(query).collect();
            let theirs: Vec<(Cow<'_, str>, Cow<'_, str>)> =
                form_urlencoded::parse(query.as_bytes()).collect();
            assert_eq!(ours, theirs, "{query}");
        }
    }

    #[test]
    fn malformed_escapes_and_broken_utf8_are_seen() {
        for text in ["", "a=b", "a=%20", "a=%C3%A9", "%41%42"] {
            assert!(well_encoded(text), "{text}");
        }
        for text in ["%", "%2", "a=%zz", "a=%ff", "%C3&%A9"] {
            assert!(!well_encoded(text), "{text}");
        }
    }
}
