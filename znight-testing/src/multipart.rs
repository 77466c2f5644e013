//! Forms with files.

use bytes::Bytes;

/// A form of type `multipart/form-data` (RFC 7578): texts and files, in the order they are added.
///
/// ```
/// use znight_testing::Form;
///
/// let form = Form::new()
///     .text("title", "Ada's notes")
///     .file("scan", "page 1.png", "image/png", [0x89, b'P', b'N', b'G'].to_vec());
/// ```
///
/// It is sent as browsers send it: line ends of names and texts become CRLF, and quotes and line ends in
/// names and file names are escaped as the WHATWG's HTML standard says. Equal forms give equal bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "a form is sent by `.multipart(form)`"]
pub struct Form {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    /// Without the line that separates parts.
    head: String,
    content: Bytes,
}

impl Form {
    /// A form without parts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text. Several of one name are all sent.
    pub fn text(mut self, name: &str, value: impl AsRef<str>) -> Self {
        let name = escape(&with_crlf(name));
        self.parts.push(Part {
            head: format!("Content-Disposition: form-data; name=\"{name}\"\r\n\r\n"),
            content: with_crlf(value.as_ref()).into(),
        });
        self
    }

    /// Adds a file: the name of the field, the name of the file, its type and what is in it. Line ends in
    /// the type, which would begin another header, are left out.
    pub fn file(
        mut self,
        name: &str,
        file_name: &str,
        content_type: &str,
        content: impl Into<Bytes>,
    ) -> Self {
        let name = escape(&with_crlf(name));
        let file_name = escape(file_name);
        let content_type = content_type.replace(['\r', '\n'], "");
        self.parts.push(Part {
            head: format!(
                "Content-Disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\n\
                 Content-Type: {content_type}\r\n\r\n"
            ),
            content: content.into(),
        });
        self
    }

    /// The value of `content-type`, and the body.
    pub(crate) fn encode(&self) -> (String, Vec<u8>) {
        let boundary = self.boundary();
        let mut body = Vec::new();
        for part in &self.parts {
            body.extend_from_slice(format!("--{boundary}\r\n{}", part.head).as_bytes());
            body.extend_from_slice(&part.content);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        (format!("multipart/form-data; boundary={boundary}"), body)
    }

    /// A boundary that no part has in it: the first of a list that is the same each time.
    fn boundary(&self) -> String {
        let mut number = 0_u64;
        loop {
            let boundary = format!("----znight-form-{number:016x}");
            let has = |bytes: &[u8]| {
                bytes
                    .windows(boundary.len())
                    .any(|window| window == boundary.as_bytes())
            };
            let taken = |part: &Part| has(part.head.as_bytes()) || has(&part.content);
            if !self.parts.iter().any(taken) {
                return boundary;
            }
            number += 1;
        }
    }
}

/// Every line end as CRLF.
fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace('\n', "\r\n")
}

/// What would end a name that is written in quotes.
fn escape(name: &str) -> String {
    name.replace('\n', "%0A")
        .replace('\r', "%0D")
        .replace('"', "%22")
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::Form;

    fn sent(form: &Form) -> (String, String) {
        let (content_type, body) = form.encode();
        (content_type, String::from_utf8(body).expect("text"))
    }

    #[test]
    fn texts_and_files_are_parts_between_boundaries() {
        let form = Form::new()
            .text("title", "a")
            .file("scan", "b.png", "image/png", "bytes");
        let (content_type, body) = sent(&form);
        let boundary = "----znight-form-0000000000000000";
        assert_eq!(
            content_type,
            format!("multipart/form-data; boundary={boundary}")
        );
        let expected = format!(
            "--{boundary}\r\n\
             Content-Disposition: form-data; name=\"title\"\r\n\r\na\r\n\
             --{boundary}\r\n\
             Content-Disposition: form-data; name=\"scan\"; filename=\"b.png\"\r\n\
             Content-Type: image/png\r\n\r\nbytes\r\n\
             --{boundary}--\r\n"
        );
        assert_eq!(body, expected);
    }

    #[test]
    fn a_form_without_parts_is_its_last_boundary() {
        let (_, body) = sent(&Form::new());
        assert_eq!(body, "------znight-form-0000000000000000--\r\n");
    }

    #[test]
    fn names_and_texts_are_escaped_as_browsers_do_it() {
        let form = Form::new().text("a\"b\nc", "one\ntwo\rthree\r\n").file(
            "f\r",
            "g\"\n.txt",
            "text/plain\r\nx: y",
            "as\nit is",
        );
        let (_, body) = sent(&form);
        for part in [
            "name=\"a%22b%0D%0Ac\"\r\n\r\none\r\ntwo\r\nthree\r\n\r\n",
            "name=\"f%0D%0A\"; filename=\"g%22%0A.txt\"\r\nContent-Type: text/plainx: y\r\n\r\nas\nit is\r\n",
        ] {
            assert!(body.contains(part), "{part:?} is not in {body:?}");
        }
    }

    #[test]
    fn the_boundary_is_in_no_part() {
        let form = Form::new()
            .text("a", "x----znight-form-0000000000000000")
            .text("----znight-form-0000000000000001", "b")
            .file("c", "d", "e", &b"----znight-form-0000000000000002\xff"[..]);
        let (content_type, _) = form.encode();
        assert!(
            content_type.ends_with("-0000000000000003"),
            "{content_type}"
        );
    }

    /// Reads a form back, by the rules of RFC 2046 alone.
    fn parts(content_type: &str, body: &[u8]) -> Vec<(String, Vec<u8>)> {
        let boundary = content_type.split_once("boundary=").expect("one").1;
        let separator = format!("\r\n--{boundary}");
        let body = [b"\r\n", body].concat();
        let mut pieces = Vec::new();
        let mut rest = &body[..];
        while let Some(at) = rest
            .windows(separator.len())
            .position(|window| window == separator.as_bytes())
        {
            pieces.push(rest[..at].to_vec());
            rest = &rest[at + separator.len()..];
        }
        assert_eq!(rest, b"--\r\n");
        assert!(pieces.remove(0).is_empty());
        let part = |piece: Vec<u8>| {
            let head = piece
                .windows(4)
                .position(|w| w == b"\r\n\r\n")
                .expect("a head");
            let text = String::from_utf8(piece[2..head].to_vec()).expect("text");
            (text, piece[head + 4..].to_vec())
        };
        pieces.into_iter().map(part).collect()
    }

    proptest! {
        #[test]
        fn every_file_is_read_as_it_was_sent(
            files in prop::collection::vec((".*", ".*", prop::collection::vec(any::<u8>(), 0..64)), 0..5),
        ) {
            let mut form = Form::new();
            for (name, file_name, content) in &files {
                form = form.file(name, file_name, "a/b", Bytes::copy_from_slice(content));
            }
            let (content_type, body) = form.encode();
            let read = parts(&content_type, &body);
            prop_assert_eq!(read.len(), files.len());
            for ((head, content), (_, _, expected)) in read.iter().zip(&files) {
                prop_assert_eq!(content, expected);
                prop_assert_eq!(head.lines().count(), 2, "{}", head);
            }
        }
    }
}
