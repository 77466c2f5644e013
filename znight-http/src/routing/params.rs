//! The values of path parameters.

use percent_encoding::percent_decode_str;

/// Paths with more parameters are rare; theirs are allocated.
const INLINE: usize = 4;

/// The values of the parameters of a path, by place: ranges of it, and the decoded text of those
/// that were encoded.
#[derive(Debug, Default)]
pub(crate) struct Params {
    inline: [(u32, u32); INLINE],
    len: usize,
    /// Boxed: few requests need it.
    rest: Option<Box<Rest>>,
}

#[derive(Debug, Default)]
struct Rest {
    more: Vec<(u32, u32)>,
    decoded: Vec<(usize, String)>,
}

impl Params {
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// The values matched, which are parts of `path`; `None` when one is not well percent-encoded.
    pub(crate) fn of(path: &str, matched: &matchit::Params<'_, '_>) -> Option<Self> {
        let mut params = Self::default();
        let base = path.as_ptr().addr();
        for (at, (_, value)) in matched.iter().enumerate() {
            let start = value.as_ptr().addr().checked_sub(base)?;
            let range = (
                u32::try_from(start).ok()?,
                u32::try_from(start + value.len()).ok()?,
            );
            match params.inline.get_mut(at) {
                Some(place) => *place = range,
                None => params.rest().more.push(range),
            }
            params.len += 1;
            // What is not ASCII is to be encoded in a path: RFC 3986.
            if !value.is_ascii() {
                return None;
            }
            if value.contains('%') {
                if !crate::args::well_encoded(value) {
                    return None;
                }
                let text = percent_decode_str(value).decode_utf8().ok()?;
                let text = text.into_owned();
                params.rest().decoded.push((at, text));
            }
        }
        Some(params)
    }

    fn rest(&mut self) -> &mut Rest {
        self.rest.get_or_insert_default()
    }

    /// The value at a place, decoded.
    pub(crate) fn get<'a>(&'a self, at: usize, path: &'a str) -> Option<&'a str> {
        if at >= self.len {
            return None;
        }
        if let Some(rest) = &self.rest
            && let Some((_, text)) = rest.decoded.iter().find(|(place, _)| *place == at)
        {
            return Some(text);
        }
        let (start, end) = match self.inline.get(at) {
            Some(range) => *range,
            None => *self.rest.as_ref()?.more.get(at - INLINE)?,
        };
        path.get(start as usize..end as usize)
    }
}
