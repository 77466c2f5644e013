//! JSON bodies, and what is wrong with them in words of our own.

use serde::de::DeserializeOwned;

use crate::{HttpError, issues};

/// Reads a document.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, HttpError> {
    serde_json::from_slice(body).map_err(|error| explain::<T>(body, &error))
}

/// The 400 of a document that could not be read. Where in it is found by reading it again: keeping
/// track of the path is too dear for the documents that are right.
#[cold]
fn explain<T: DeserializeOwned>(body: &[u8], error: &serde_json::Error) -> HttpError {
    if !error.is_data() {
        return HttpError::bad_request(format!(
            "malformed JSON at line {} column {}",
            error.line(),
            error.column()
        ));
    }
    let mut document = serde_json::Deserializer::from_slice(body);
    let Err(error) = serde_path_to_error::deserialize::<_, T>(&mut document) else {
        return issues::body("", "the value is not valid");
    };
    let message = in_our_words(&error.inner().to_string());
    let mut path = match error.path().to_string() {
        root if root == "." => String::new(),
        path => path,
    };
    if let Some(field) = field_of(&message) {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(field);
    }
    issues::body(&path, &message)
}

/// The name in "missing field `x`" and "duplicate field `x`": serde is at the record then.
fn field_of(message: &str) -> Option<&str> {
    message
        .strip_prefix("missing field `")
        .or_else(|| message.strip_prefix("duplicate field `"))
        .and_then(|rest| rest.strip_suffix('`'))
}

/// What serde says, without what was sent: only the parts that stem from the code are kept.
fn in_our_words(text: &str) -> String {
    // " at line 3 column 7" is where, and the path says it better.
    let text = text.rsplit_once(" at line ").map_or(text, |(text, _)| text);
    if text.starts_with("missing field `") || text.starts_with("duplicate field `") {
        return text.to_owned();
    }
    // The client's part comes before what was expected, so the last occurrence is the code's.
    let expected = |text: &str| {
        text.rsplit_once(", expected ")
            .map(|(_, expected)| expected.to_owned())
    };
    if text.starts_with("unknown field ") {
        return match expected(text) {
            Some(expected) => format!("an unknown field, expected {expected}"),
            None => "an unknown field".to_owned(),
        };
    }
    let known = [
        "invalid type: ",
        "invalid value: ",
        "invalid length ",
        "unknown variant ",
    ];
    if known.iter().any(|start| text.starts_with(start))
        && let Some(expected) = expected(text)
    {
        return format!("expected {}", natural(&expected));
    }
    "the value is not valid".to_owned()
}

/// The names serde gives primitive types, as a client of the service would call them.
fn natural(expected: &str) -> &str {
    match expected {
        "u8" => "a number from 0 to 255",
        "u16" => "a number from 0 to 65535",
        "u32" => "a number from 0 to 4294967295",
        "u64" | "usize" => "a number from 0 to 18446744073709551615",
        "i8" => "a number from -128 to 127",
        "i16" => "a number from -32768 to 32767",
        "i32" => "a number from -2147483648 to 2147483647",
        "i64" | "isize" => "a number from -9223372036854775808 to 9223372036854775807",
        "u128" | "i128" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        // The type's name means nothing to the client.
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::read;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Role {
        Admin,
        Member,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct User {
        email: String,
        age: u8,
        roles: Vec<Role>,
        address: Option<Box<User>>,
    }

    fn refused(text: &str) -> String {
        let (_, _, body) = read::<User>(text.as_bytes()).unwrap_err().to_parts(false);
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        match body.get("details") {
            Some(details) => format!(
                "{} {}",
                details[0]["path"].as_str().unwrap(),
                details[0]["message"].as_str().unwrap()
            ),
            None => body["message"].as_str().unwrap().to_owned(),
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_path_and_without_what_was_sent() {
        for (text, expected) in [
            (r"{", "malformed JSON at line 1 column 1"),
            (
                r#"{"email":1,"age":1,"roles":[]}"#,
                "email expected a string",
            ),
            (r#"{"email":"secret"}"#, "age missing field `age`"),
            (
                r#"{"email":"e","age":300,"roles":[]}"#,
                "age expected a number from 0 to 255",
            ),
            (
                r#"{"email":"e","age":"secret, expected x","roles":[]}"#,
                "age expected a number from 0 to 255",
            ),
            (
                r#"{"email":"e","age":1,"roles":["admin","secret"]}"#,
                "roles[1] expected `admin` or `member`",
            ),
            (
                r#"{"email":"e","age":1,"roles":[],"address":{}}"#,
                "address.email missing field `email`",
            ),
            (r#""secret""#, " expected an object"),
            (
                r#"{"email":"e","email":"e"}"#,
                "email duplicate field `email`",
            ),
        ] {
            assert_eq!(refused(text), expected, "{text}");
        }
        let unknown = refused(r#"{"x":1}"#);
        assert!(
            unknown
                .ends_with("an unknown field, expected one of `email`, `age`, `roles`, `address`"),
            "{unknown}"
        );
    }
}
