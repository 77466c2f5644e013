//! What RFC 9110 and RFC 9112 ask of a server, case by case: `cases/http1-requirements.txt`.
//!
//! `wants` is what the RFC lets a server answer: alternatives between `|`, each the statuses of the replies
//! (`400`, `2xx`, `any`) and whether the connection is `open` or `closed` after them, if that matters; `has`
//! and `lacks` name headers of the first reply. `answers` is what is answered. Where that is something else,
//! `limit` says why.

use std::time::Duration;

use crate::{
    app,
    case::{Case, File, updating},
    check,
    support::Server,
    wire::{Raw, Wire, requests},
};

/// The id of the request that shows whether the connection serves another one.
const NEXT: &str = "the-next-request";

/// The levels of the RFC, and `none` for what it leaves open.
const LEVELS: [&str; 4] = ["MUST", "SHOULD", "MAY", "none"];

/// How long a case may take until it is taken for stuck.
const STUCK: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Answer {
    replies: Vec<Raw>,
    open: bool,
    /// The answer is in HTTP/2.
    http2: bool,
}

impl Answer {
    async fn to(case: &Case, server: &Server) -> Self {
        let mut wire = Wire::connect(server.address).await;
        let sent = case.sent();
        wire.write(&sent).await;
        let methods: Vec<String> = requests(&sent)
            .into_iter()
            .map(|sent| sent.method)
            .collect();
        let mut methods = methods
            .iter()
            .map(String::as_str)
            .chain(std::iter::repeat("GET"));
        let mut answer = Self::default();
        if case.field("then") == Some("http2") {
            wire.end().await;
            // The first frame of HTTP/2 is one of settings.
            answer.http2 = wire.rest().await.get(3) == Some(&4);
            return answer;
        }
        if case.field("then") == Some("end") {
            wire.end().await;
        } else {
            let Some(reply) = wire
                .final_reply(methods.next().unwrap_or("GET"), &mut answer)
                .await
            else {
                return answer;
            };
            if !reply {
                let next = format!(
                    "GET /plain HTTP/1.1\r\nhost: test\r\nx-request-id: {NEXT}\r\nconnection: close\r\n\r\n"
                );
                wire.write(next).await;
            }
        }
        while wire
            .final_reply(methods.next().unwrap_or("GET"), &mut answer)
            .await
            .is_some()
        {}
        if answer
            .replies
            .last()
            .is_some_and(|last| last.header("x-request-id") == Some(NEXT))
        {
            answer.replies.pop();
            answer.open = true;
        }
        answer
    }

    /// The statuses of the replies, and what becomes of the connection.
    fn words(&self) -> Vec<String> {
        let statuses = self.replies.iter().map(|reply| reply.status.to_string());
        let end = match (self.http2, self.open) {
            (true, _) => "http2",
            (false, true) => "open",
            (false, false) => "closed",
        };
        statuses.chain([end.to_owned()]).collect()
    }

    fn is_one_of(&self, wants: &str) -> bool {
        wants.split('|').any(|wants| self.is(wants.trim()))
    }

    fn is(&self, wants: &str) -> bool {
        let words = self.words();
        let mut wants: Vec<&str> = wants.split(' ').collect();
        if !matches!(wants.last(), Some(&"open" | &"closed" | &"http2")) {
            wants.push("any");
        }
        wants.len() == words.len()
            && wants.iter().zip(&words).all(|(wants, word)| match *wants {
                "any" => true,
                class if class.ends_with("xx") => word.len() == 3 && word[..1] == class[..1],
                exact => exact == word,
            })
    }

    /// Whether the first final reply has the headers, and lacks the others.
    fn headers_are_right(&self, case: &Case) -> bool {
        let first = self.replies.iter().find(|reply| reply.status >= 200);
        let named = |field: &'static str| {
            case.field(field)
                .into_iter()
                .flat_map(|names| names.split(", "))
        };
        named("has").all(|name| first.is_some_and(|first| first.header(name).is_some()))
            && named("lacks").all(|name| first.is_some_and(|first| first.header(name).is_none()))
    }
}

impl Wire {
    /// Adds the next reply, interim ones included; whether it is the last one.
    async fn final_reply(&mut self, method: &str, answer: &mut Answer) -> Option<bool> {
        loop {
            let reply = self.unchecked(method).await?;
            let (interim, last) = (reply.status < 200, reply.is_last());
            answer.replies.push(reply);
            if !interim {
                return Some(last);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn requests_are_answered_as_the_rfcs_ask() {
    let mut file = File::read("http1-requirements.txt");
    let server = app::serve(app::options("plain")).await;
    if updating() {
        for case in &mut file.cases {
            let words = Answer::to(case, &server).await.words().join(" ");
            case.set("answers", Some(words));
        }
        file.write();
    }
    hold(&file, &server).await;
}

#[cfg(feature = "axum")]
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn requests_are_answered_as_the_rfcs_ask_in_a_router_of_axum() {
    let options = app::options("plain").axum(|router| router);
    let server = app::serve(options).await;
    hold(&File::read("http1-requirements.txt"), &server).await;
}

async fn hold(file: &File, server: &Server) {
    let mut failures = Vec::new();
    for case in &file.cases {
        let answering = Answer::to(case, server);
        let answer = tokio::time::timeout(STUCK, answering).await;
        let answer = answer.unwrap_or_else(|_| panic!("{}: the server does not answer", case.name));
        for reply in &answer.replies {
            let problems = check::problems(reply);
            assert!(
                problems.is_empty(),
                "{}: {problems:#?}\n{reply:#?}",
                case.name
            );
        }
        let says_so = answer.replies.last().is_none_or(Raw::is_last);
        assert!(
            answer.open || says_so || case.field("then").is_some(),
            "{}: RFC 9112, 9.6: a reply says when its connection ends",
            case.name
        );
        let mut fail = |problem: String| failures.push(format!("{}: {problem}", case.name));
        let words = answer.words().join(" ");
        let answers = case.field("answers").unwrap_or_default();
        if answers != words {
            fail(format!("answers `{words}`, expected `{answers}`"));
        }
        let wants = case.field("wants").expect("what is wanted");
        let right = answer.is_one_of(wants) && answer.headers_are_right(case);
        match case.field("limit") {
            None if !right => fail(format!("answers `{words}`, the RFC wants `{wants}`")),
            Some(limit) if right => fail(format!("it is answered as wanted, without the {limit}")),
            _ => {}
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn each_requirement_says_where_it_comes_from() {
    let file = File::read("http1-requirements.txt");
    for case in &file.cases {
        let field = |name: &str| {
            let field = case.field(name);
            field.unwrap_or_else(|| panic!("{}: no `{name}`", case.name))
        };
        assert!(LEVELS.contains(&field("level")), "{}", case.name);
        for name in ["rfc", "shows", "wants", "answers"] {
            assert!(!field(name).is_empty());
        }
        if let Some(limit) = case.field("limit") {
            assert!(
                limit.starts_with("limit of hyper: "),
                "{}: {limit}",
                case.name
            );
        }
    }
    assert_eq!(file.cases.len(), 215);
}

#[test]
fn what_is_wanted_is_compared_word_by_word() {
    let answer = Answer::default();
    assert!(answer.is_one_of("400 | closed"));
    assert!(!answer.is_one_of("400 | 2xx closed"));
    assert!(!answer.is_one_of("open"));
}
