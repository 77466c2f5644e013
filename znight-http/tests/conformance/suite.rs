//! The cases: the same bytes for the same bytes, wherever the application is served.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use znight_http::HttpOptions;

use crate::{
    app,
    case::{Case, File, updating},
    check,
    support::{App, Server},
    text,
    wire::{Raw, Sent, Wire, requests},
};

/// How long a case may take until it is taken for stuck.
const STUCK: Duration = Duration::from_secs(60);

/// What came of a case.
#[derive(Debug, PartialEq, Eq)]
struct Came {
    /// For each exchange.
    received: Vec<Vec<u8>>,
    open: bool,
}

/// The servers that cases have asked for.
struct Servers {
    mounted: fn(HttpOptions) -> HttpOptions,
    running: BTreeMap<String, Server>,
}

impl Servers {
    fn new(mounted: fn(HttpOptions) -> HttpOptions) -> Self {
        Self {
            mounted,
            running: BTreeMap::new(),
        }
    }

    async fn named(&mut self, name: &str) -> &Server {
        if !self.running.contains_key(name) {
            let options = (self.mounted)(app::options(name));
            let server = app::serve(options).await;
            self.running.insert(name.to_owned(), server);
        }
        &self.running[name]
    }

    async fn run(&mut self, case: &Case) -> Came {
        let server = self.named(case.field("server").unwrap_or("plain")).await;
        let run = run(server, case);
        let came = tokio::time::timeout(STUCK, run).await;
        came.unwrap_or_else(|_| panic!("{}: the server does not answer", case.name))
    }
}

async fn run(server: &Server, case: &Case) -> Came {
    let mut wire = Wire::connect(server.address).await;
    let mut received = Vec::new();
    let mut closed = false;
    // A request of which the body is still to be sent.
    let mut pending: Option<String> = None;
    for exchange in &case.exchanges {
        wire.write(&exchange.sent).await;
        let mut expected = match pending.take() {
            Some(method) => vec![Sent {
                method,
                length: 0,
                whole: true,
                waits: false,
            }],
            None => requests(&exchange.sent),
        };
        let mut bytes = Vec::new();
        for sent in expected.drain(..) {
            while let Some(reply) = wire.unchecked(&sent.method).await {
                let problems = check::problems(&reply);
                assert!(
                    problems.is_empty(),
                    "{}: {problems:#?}\n{reply:#?}",
                    case.name
                );
                bytes.extend(normal(&reply, case).bytes());
                closed = reply.is_last();
                if reply.status >= 200 {
                    break;
                }
                if sent.waits {
                    pending = Some(sent.method);
                    break;
                }
            }
        }
        received.push(bytes);
    }
    let open = if closed {
        assert!(wire.closed().await, "{}: it does not close", case.name);
        false
    } else {
        let open = wire.is_open().await;
        // RFC 9112, 9.6.
        assert!(open, "{}: a reply says when its connection ends", case.name);
        open
    };
    Came { received, open }
}

/// What changes from run to run, once its shape was checked, by a name of it.
fn normal(reply: &Raw, case: &Case) -> Raw {
    let mut reply = reply.clone();
    let sent = String::from_utf8_lossy(&case.sent()).to_lowercase();
    for (name, value) in &mut reply.headers {
        match name.as_str() {
            "date" if check::is_date(value) => "<date>".clone_into(value),
            "x-request-id" if is_id(value) && !sent.contains(&*value) => "<id>".clone_into(value),
            _ => {}
        }
    }
    reply
}

/// Whether it has the shape of the ids that are made.
fn is_id(text: &str) -> bool {
    text.len() == 36
        && text.char_indices().all(|(at, c)| match at {
            8 | 13 | 18 | 23 => c == '-',
            _ => matches!(c, '0'..='9' | 'a'..='f'),
        })
}

/// The request of a case that is one, to be made in memory.
fn request(case: &Case) -> Option<(String, Request<Bytes>)> {
    if case.field("socket").is_some() {
        return None;
    }
    let [exchange] = &*case.exchanges else {
        return None;
    };
    let sent = requests(&exchange.sent);
    let [
        Sent {
            method,
            whole: true,
            ..
        },
    ] = &*sent
    else {
        return None;
    };
    let mut headers = [httparse::EMPTY_HEADER; 100];
    let mut parsed = httparse::Request::new(&mut headers);
    let head = parsed.parse(&exchange.sent).ok()?.unwrap();
    let mut request = Request::builder().method(&**method).uri(parsed.path?);
    for header in parsed.headers.iter() {
        request = request.header(header.name, header.value);
    }
    let mut request = request
        .body(Bytes::copy_from_slice(&exchange.sent[head..]))
        .ok()?;
    request.extensions_mut().insert(app::peer());
    Some((method.clone(), request))
}

/// What the server adds to what the application answers.
const OF_THE_SERVER: [&str; 4] = ["connection", "content-length", "date", "transfer-encoding"];

/// A reply without what belongs to the connection.
fn essence(reply: &Raw) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let mut headers = reply.headers.clone();
    headers.retain(|(name, _)| !OF_THE_SERVER.contains(&&**name));
    (reply.status, headers, reply.body.clone())
}

fn raw(method: &str, response: &Response<Bytes>) -> Raw {
    let headers = response.headers().iter().map(|(name, value)| {
        let value = value.as_bytes().iter().copied().map(char::from).collect();
        (name.as_str().to_owned(), value)
    });
    Raw {
        method: method.to_owned(),
        status_line: String::new(),
        status: response.status().as_u16(),
        headers: headers.collect(),
        framed: Vec::new(),
        body: response.body().to_vec(),
    }
}

fn shown(came: &Came) -> String {
    let mut lines: Vec<String> = came
        .received
        .iter()
        .flat_map(|bytes| text::lines('<', bytes))
        .collect();
    lines.push(format!("= {}", if came.open { "open" } else { "closed" }));
    lines.join("\n")
}

/// Runs a file of cases everywhere.
async fn hold(name: &str) {
    let mut file = File::read(name);
    assert!(!file.cases.is_empty());
    let mut failures = Vec::new();
    let mut compare = |case: &Case, place: &str, expected: String, came: String| {
        if expected != came {
            let name = &case.name;
            failures.push(format!(
                "{name} ({place})\nexpected\n{expected}\nbut came\n{came}\n"
            ));
        }
    };

    let mut servers = Servers::new(|options| options);
    let mut in_memory = BTreeMap::new();
    for case in &mut file.cases {
        assert!(case.field("rule").is_some(), "{}: which rule?", case.name);
        let came = servers.run(case).await;
        if updating() {
            for (exchange, received) in case.exchanges.iter_mut().zip(&came.received) {
                exchange.received.clone_from(received);
            }
            case.open = Some(came.open);
        }
        let expected = Came {
            received: case
                .exchanges
                .iter()
                .map(|exchange| exchange.received.clone())
                .collect(),
            open: case.open.unwrap_or_default(),
        };
        compare(case, "over a socket", shown(&expected), shown(&came));
    }
    if updating() {
        file.write();
    }

    #[cfg(feature = "axum")]
    {
        let mut servers = Servers::new(|options| options.axum(|router| router));
        for case in &file.cases {
            let expected = Came {
                received: case
                    .exchanges
                    .iter()
                    .map(|exchange| exchange.received.clone())
                    .collect(),
                open: case.open.unwrap_or_default(),
            };
            let came = servers.run(case).await;
            compare(case, "in a router of axum", shown(&expected), shown(&came));
        }
    }

    for case in &file.cases {
        let Some((method, request)) = request(case) else {
            continue;
        };
        let server = case.field("server").unwrap_or("plain");
        if !in_memory.contains_key(server) {
            let app: App = app::app(app::options(server).listen(false)).await;
            in_memory.insert(server.to_owned(), app);
        }
        let response = in_memory[server].plugin.inject(request).await.unwrap();
        let mut received = Wire::of(&case.exchanges[0].received);
        let expected = received.unchecked(&method).await.expect("a reply");
        let came = normal(&raw(&method, &response), case);
        let (expected, came) = (essence(&expected), essence(&came));
        compare(
            case,
            "in memory",
            format!("{expected:#?}"),
            format!("{came:#?}"),
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

macro_rules! files {
    ($($test:ident $file:literal;)*) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
        async fn $test() {
            hold($file).await;
        })*

        /// Files of cases that no test runs are no tests.
        #[test]
        fn every_file_of_cases_is_run() {
            let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/cases");
            let files = std::fs::read_dir(directory).unwrap();
            let mut names: Vec<String> = files
                .map(|file| file.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            let mut run = vec!["http1-requirements.txt", $($file),*];
            run.sort_unstable();
            assert_eq!(names, run);
        }
    };
}

files! {
    routes_are_found "routing.txt";
    parameters_are_read "parameters.txt";
    bodies_are_read "bodies.txt";
    replies_are_written "replies.txt";
    policies_are_applied "policies.txt";
    connections_are_kept "connections.txt";
}
