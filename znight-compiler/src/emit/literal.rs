//! Literals of generated code.

use std::fmt::Write as _;

/// A string literal.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A hexadecimal id with separators, as lints ask for.
pub(crate) fn id(value: u64) -> String {
    let digits = format!("{value:016x}");
    let groups: Vec<&str> = (0..4)
        .map(|group| &digits[group * 4..group * 4 + 4])
        .collect();
    format!("0x{}", groups.join("_"))
}

/// A decimal number with separators.
pub(super) fn number(value: usize) -> String {
    grouped(&value.to_string())
}

fn grouped(digits: &str) -> String {
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('_');
        }
        out.push(digit);
    }
    out
}

/// A decimal number that may be below zero.
pub(crate) fn signed(value: i128) -> String {
    let digits = value.unsigned_abs().to_string();
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", grouped(&digits))
}

#[cfg(test)]
mod tests {
    use super::{id, number, string};

    #[test]
    fn literals_read_back_and_satisfy_lints() {
        for text in ["", "plain", "a \"b\" \\ c", "é\n\t\u{1}"] {
            let read: syn::LitStr = syn::parse_str(&string(text)).expect(text);
            assert_eq!(read.value(), text);
        }
        assert_eq!(id(0x1234), "0x0000_0000_0000_1234");
        assert_eq!(
            [number(7), number(1234), number(1_234_567)],
            ["7", "1_234", "1_234_567"]
        );
    }
}
