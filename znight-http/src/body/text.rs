//! Text bodies.

use http::{HeaderMap, header::CONTENT_TYPE};

use crate::HttpError;

/// Reads a text in the charset its media type names; UTF-8 when it names none.
pub(crate) fn read(headers: &HeaderMap, body: &[u8]) -> Result<String, HttpError> {
    match charset(headers).as_deref() {
        None | Some("utf-8" | "utf8" | "us-ascii") => str::from_utf8(body)
            .map(str::to_owned)
            .map_err(|_| HttpError::bad_request("the body is not text in UTF-8")),
        // Its bytes are the first 256 code points.
        Some("iso-8859-1" | "latin1") => Ok(body.iter().map(|byte| char::from(*byte)).collect()),
        Some(_) => Err(HttpError::unsupported_media_type(
            "the charset of the body must be utf-8 or iso-8859-1",
        )),
    }
}

fn charset(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    value.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches('"').to_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header::CONTENT_TYPE};

    use super::read;

    #[test]
    fn the_charset_is_honoured() {
        let text = |content_type: &'static str, body: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
            read(&headers, body).map_err(|error| error.status().as_u16())
        };
        assert_eq!(text("text/plain", "\u{e9}".as_bytes()).unwrap(), "\u{e9}");
        assert_eq!(
            text("text/plain; charset=\"Latin1\"", b"\xe9").unwrap(),
            "\u{e9}"
        );
        assert_eq!(text("text/plain", b"\xe9"), Err(400));
        assert_eq!(text("text/plain; charset=utf-16", b"a"), Err(415));
    }
}
