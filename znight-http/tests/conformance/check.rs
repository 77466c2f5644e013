//! Whether a reply is one at all: what RFC 9110 and RFC 9112 ask of every reply, whatever it says.

use std::collections::BTreeSet;

use crate::wire::Raw;

/// What is wrong with a reply.
pub(crate) fn problems(reply: &Raw) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |holds: bool, problem: &str| {
        if !holds {
            found.push(problem.to_owned());
        }
    };
    check(
        is_status_line(&reply.status_line),
        "RFC 9112, 4: the status line is `HTTP/1.x 3DIGIT reason`",
    );
    if reply.status < 200 {
        check(
            reply.header("content-length").is_none() && reply.header("transfer-encoding").is_none(),
            "RFC 9110, 15.2: an interim reply has no body",
        );
        return found;
    }
    for (name, value) in &reply.headers {
        check(
            is_token(name),
            "RFC 9110, 5.1: the name of a header is a token",
        );
        check(
            *name == name.to_ascii_lowercase(),
            "the names of headers are written in lower case",
        );
        check(
            value.trim_matches([' ', '\t']) == value
                && value
                    .chars()
                    .all(|c| c == '\t' || (' '..='\u{ff}').contains(&c) && c != '\u{7f}'),
            "RFC 9110, 5.5: the value of a header has no control characters and no space around",
        );
    }
    for name in SINGLE {
        check(
            reply.all(name).count() <= 1,
            "RFC 9110, 5.3: what is no list is there once",
        );
    }
    framing(reply, &mut check);
    meaning(reply, &mut check);
    caching(reply, &mut check);
    for name in ["allow", "vary"] {
        let tokens: Vec<&str> = reply
            .all(name)
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .collect();
        check(
            tokens.iter().all(|token| is_token(token)),
            "RFC 9110, 10.2.1 and 12.5.5: `allow` and `vary` are lists of tokens",
        );
        let distinct: BTreeSet<&str> = tokens.iter().copied().collect();
        check(distinct.len() == tokens.len(), "a list names nothing twice");
    }
    found
}

/// Headers that are there once or not at all.
const SINGLE: [&str; 14] = [
    "access-control-allow-origin",
    "access-control-max-age",
    "age",
    "content-length",
    "content-location",
    "content-range",
    "content-type",
    "date",
    "etag",
    "last-modified",
    "location",
    "retry-after",
    "server",
    "transfer-encoding",
];

fn framing(reply: &Raw, check: &mut impl FnMut(bool, &str)) {
    let length = reply.header("content-length");
    let encoding = reply.header("transfer-encoding");
    check(
        length.is_none() || encoding.is_none(),
        "RFC 9112, 6.2: no content-length beside transfer-encoding",
    );
    check(
        length.is_none_or(|length| length.bytes().all(|byte| byte.is_ascii_digit())),
        "RFC 9110, 8.6: content-length is digits",
    );
    check(
        encoding.is_none() || reply.status_line.starts_with("HTTP/1.1"),
        "RFC 9112, 6.1: no transfer-encoding below HTTP/1.1",
    );
    if reply.status == 204 {
        check(
            length.is_none() && encoding.is_none(),
            "RFC 9110, 8.6: a 204 has neither content-length nor transfer-encoding",
        );
    }
    let bodiless = reply.method == "HEAD" || matches!(reply.status, 204 | 304);
    if bodiless {
        check(reply.body.is_empty(), "RFC 9110, 6.4.1: it has no body");
        return;
    }
    check(
        length.is_some() || encoding.is_some() || reply.is_last(),
        "RFC 9112, 6.3: the end of the body is known",
    );
    if let Some(length) = length.and_then(|length| length.parse::<usize>().ok()) {
        check(
            length == reply.body.len(),
            "RFC 9110, 8.6: content-length is the length of the body",
        );
    }
    check(
        reply.body.is_empty() || reply.header("content-type").is_some(),
        "RFC 9110, 8.3: a body has a content-type",
    );
}

fn meaning(reply: &Raw, check: &mut impl FnMut(bool, &str)) {
    check(
        reply.header("date").is_some_and(is_date),
        "RFC 9110, 6.6.1: a server with a clock sends a date",
    );
    let allow: Vec<&str> = reply
        .all("allow")
        .flat_map(|value| value.split(", "))
        .collect();
    if reply.status == 405 {
        check(!allow.is_empty(), "RFC 9110, 15.5.6: a 405 has `allow`");
        check(
            !allow.contains(&&*reply.method),
            "RFC 9110, 15.5.6: `allow` does not list the method refused",
        );
    }
    check(
        reply.status != 401 || reply.header("www-authenticate").is_some(),
        "RFC 9110, 15.5.2: a 401 has `www-authenticate`",
    );
    check(
        !matches!(reply.status, 301 | 302 | 303 | 307 | 308) || reply.header("location").is_some(),
        "RFC 9110, 15.4: a redirect has `location`",
    );
    check(
        reply.status != 426 || reply.header("upgrade").is_some(),
        "RFC 9110, 15.5.22: a 426 has `upgrade`",
    );
    let json = reply
        .header("content-type")
        .is_some_and(|value| value.contains("json"));
    check(
        !json
            || reply.body.is_empty()
            || serde_json::from_slice::<serde_json::Value>(&reply.body).is_ok(),
        "a body that is called JSON is JSON",
    );
    let origin = reply.header("access-control-allow-origin");
    let vary: String = reply.all("vary").collect::<Vec<_>>().join(", ");
    check(
        origin.is_none_or(|origin| origin == "*" || vary.to_ascii_lowercase().contains("origin")),
        "Fetch, CORS: what is allowed to one origin varies by origin",
    );
    check(
        origin != Some("*") || reply.header("access-control-allow-credentials").is_none(),
        "Fetch, CORS: no credentials for every origin",
    );
}

fn caching(reply: &Raw, check: &mut impl FnMut(bool, &str)) {
    if let Some(etag) = reply.header("etag") {
        let opaque = etag.strip_prefix("W/").unwrap_or(etag);
        let quoted = opaque
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        check(
            quoted.is_some_and(|inner| !inner.contains(['"', ' '])),
            "RFC 9110, 8.8.3: an etag is quoted",
        );
    }
    for name in ["last-modified", "expires"] {
        check(
            reply.header(name).is_none_or(is_date),
            "RFC 9110, 5.6.7: a date has the preferred form",
        );
    }
    let mut directives = reply
        .all("cache-control")
        .flat_map(|value| value.split(','));
    check(
        directives.all(|directive| {
            let name = directive.trim().split('=').next().unwrap_or("");
            is_token(name)
        }),
        "RFC 9111, 5.2: cache-control is a list of directives",
    );
    if reply.header("x-content-type-options").is_some() {
        check(
            reply.header("x-content-type-options") == Some("nosniff"),
            "Fetch, 3.6: `x-content-type-options` is `nosniff`",
        );
    }
}

fn is_status_line(line: &str) -> bool {
    let bytes = line.as_bytes();
    (line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 "))
        && bytes.len() >= 13
        && bytes[9..12].iter().all(u8::is_ascii_digit)
        && bytes[12] == b' '
        && bytes[13..].iter().all(|byte| (b' '..=b'~').contains(byte))
}

pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Whether it is a date in the form every sender uses: `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn is_date(text: &str) -> bool {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let form = "aaa, 00 aaa 0000 00:00:00 GMT";
    let shape = text.len() == form.len()
        && text
            .bytes()
            .zip(form.bytes())
            .all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                b'a' => byte.is_ascii_alphabetic(),
                _ => byte == form,
            });
    shape && DAYS.contains(&&text[..3]) && MONTHS.contains(&&text[8..11])
}

#[test]
fn what_is_wrong_with_a_reply_is_found() {
    let reply = |status: u16, headers: &[(&str, &str)], body: &str| Raw {
        method: "GET".to_owned(),
        status_line: format!("HTTP/1.1 {status} Any"),
        status,
        headers: [("date", "Sun, 06 Nov 1994 08:49:37 GMT")]
            .iter()
            .chain(headers)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        framed: body.into(),
        body: body.into(),
    };
    let text = ("content-type", "text/plain");
    let two = ("content-length", "2");
    assert_eq!(problems(&reply(200, &[text, two], "ab")), [""; 0]);
    for (wrong, expected) in [
        (reply(200, &[text, two], "abc"), "the length of the body"),
        (reply(200, &[two], "ab"), "has a content-type"),
        (
            reply(200, &[text, ("content-length", "x")], "ab"),
            "is digits",
        ),
        (reply(200, &[text, two, text], "ab"), "is there once"),
        (reply(200, &[text, two, ("a b", "c")], "ab"), "is a token"),
        (reply(200, &[text, two, ("X-A", "c")], "ab"), "lower case"),
        (
            reply(200, &[text, two, ("a", "b\u{1}")], "ab"),
            "control characters",
        ),
        (reply(200, &[text], "ab"), "the end of the body"),
        (
            reply(204, &[("content-length", "0")], ""),
            "a 204 has neither",
        ),
        (reply(405, &[text, two], "ab"), "a 405 has `allow`"),
        (
            reply(405, &[text, two, ("allow", "GET")], "ab"),
            "the method refused",
        ),
        (reply(401, &[text, two], "ab"), "www-authenticate"),
        (reply(308, &[("content-length", "0")], ""), "has `location`"),
        (
            reply(200, &[("content-type", "application/json"), two], "ab"),
            "is JSON",
        ),
        (
            reply(200, &[text, two, ("vary", "a b")], "ab"),
            "lists of tokens",
        ),
        (
            reply(200, &[text, two, ("vary", "a, a")], "ab"),
            "names nothing twice",
        ),
        (
            reply(200, &[text, two, ("etag", "1")], "ab"),
            "an etag is quoted",
        ),
        (
            reply(
                200,
                &[text, two, ("access-control-allow-origin", "https://a.b")],
                "ab",
            ),
            "varies by origin",
        ),
    ] {
        let found = problems(&wrong);
        assert!(
            found.iter().any(|problem| problem.contains(expected)),
            "{expected}: {found:?}"
        );
    }
    assert!(!is_date("Sun, 6 Nov 1994 08:49:37 GMT"));
    assert!(!is_date("Sunday, 06-Nov-94 08:49:37 GMT"));
}
