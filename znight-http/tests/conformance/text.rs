//! Bytes as lines of text: visible ASCII as it is, the rest escaped.
//!
//! `\r`, `\n`, `\t`, `\\`, `\x7f`, and `\{text*count}` for text that is repeated.

use std::fmt::Write as _;

/// A run of one byte at least this long is written as a repetition.
const LONG_RUN: usize = 40;

/// The bytes that a line of text stands for.
pub(crate) fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let kind = rest.chars().next().ok_or("nothing follows the last `\\`")?;
        rest = &rest[kind.len_utf8()..];
        match kind {
            'r' => bytes.push(b'\r'),
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            '\\' => bytes.push(b'\\'),
            'x' => {
                let digits = rest.get(..2).ok_or("`\\x` is followed by two digits")?;
                bytes.push(u8::from_str_radix(digits, 16).map_err(|error| error.to_string())?);
                rest = &rest[2..];
            }
            '{' => {
                let (inner, after) = rest.split_once('}').ok_or("`\\{` without `}`")?;
                let (what, count) = inner.rsplit_once('*').ok_or("`\\{..}` without `*`")?;
                let count = count.parse().map_err(|_| "no count in `\\{..}`")?;
                bytes.extend(unescape(what)?.repeat(count));
                rest = after;
            }
            other => return Err(format!("`\\{other}` means nothing")),
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// A line of text that stands for the bytes.
pub(crate) fn escape(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = bytes;
    while let [byte, ..] = rest {
        let run = rest.iter().take_while(|other| *other == byte).count();
        let last = run == rest.len();
        if run >= LONG_RUN {
            let _ = write!(text, "\\{{{}*{run}}}", escape_byte(*byte, false));
        } else {
            for at in 1..=run {
                text.push_str(&escape_byte(*byte, last && at == run));
            }
        }
        rest = &rest[run..];
    }
    text
}

/// `last` is the end of the line, where a space would not be seen.
fn escape_byte(byte: u8, last: bool) -> String {
    match byte {
        b'\r' => "\\r".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b' ' if last => "\\x20".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    }
}

/// The lines that stand for the bytes: `mark` before what ends with CRLF, twice before what does not.
pub(crate) fn lines(mark: char, bytes: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = bytes;
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let line = escape(&rest[..end]);
        lines.push(if line.is_empty() {
            mark.to_string()
        } else {
            format!("{mark} {line}")
        });
        rest = &rest[end + 2..];
    }
    if !rest.is_empty() {
        lines.push(format!("{mark}{mark} {}", escape(rest)));
    }
    lines
}

/// The bytes of one such line; `None` when it has another mark.
pub(crate) fn line(mark: char, line: &str) -> Option<Result<Vec<u8>, String>> {
    let rest = line.strip_prefix(mark)?;
    let (text, ended) = match rest.strip_prefix(mark) {
        Some(text) => (text, false),
        None => (rest, true),
    };
    let text = text.strip_prefix(' ').unwrap_or(text);
    Some(unescape(text).map(|mut bytes| {
        if ended {
            bytes.extend_from_slice(b"\r\n");
        }
        bytes
    }))
}

proptest::proptest! {
    #[test]
    fn escaped_bytes_are_read_back(bytes: Vec<u8>) {
        proptest::prop_assert_eq!(&unescape(&escape(&bytes)).unwrap(), &bytes);
        let read: Vec<u8> = lines('>', &bytes)
            .iter()
            .flat_map(|text| line('>', text).unwrap().unwrap())
            .collect();
        proptest::prop_assert_eq!(read, bytes);
    }
}

#[test]
fn repetitions_are_written_out() {
    assert_eq!(
        unescape(r"a\{x: \x31\r\n*2}b").unwrap(),
        b"ax: 1\r\nx: 1\r\nb"
    );
    assert_eq!(escape(&[b'a'; 1000]), r"\{a*1000}");
    assert!(unescape(r"\q").is_err());
    assert!(unescape(r"\{a}").is_err());
}
