//! Whatever is sent, the next client is served.

use proptest::{
    collection::vec,
    prelude::{Just, Strategy, any},
    prop_oneof,
    sample::{Index, select},
    strategy::ValueTree as _,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::{
    app, check, text,
    wire::{Raw, Wire},
};

/// How many are sent in a run, the same in each.
const SENT: usize = 400;

const REQUESTS: [&str; 8] = [
    "GET /plain HTTP/1.1\r\nhost: test\r\n\r\n",
    "GET /users/%41?tag=a&page=2 HTTP/1.1\r\nhost: test\r\nx-count: 7\r\nconnection: keep-alive\r\n\r\n",
    "POST /json HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n{\"email\":\"a\"}",
    "POST /bytes HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nx-sum: 1\r\n\r\n",
    "POST /small HTTP/1.1\r\nhost: test\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n123456789",
    "OPTIONS * HTTP/1.1\r\nhost: test\r\n\r\n",
    "GET http://test/plain HTTP/1.0\r\nconnection: keep-alive\r\n\r\n",
    "GET /plain HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
];

#[derive(Debug, Clone)]
enum Change {
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, u8),
    Repeat(Index, u8),
    Cut(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let bytes = prop_oneof![
        vec(any::<u8>(), 1..8),
        select(vec![
            "\r\n",
            "\n",
            "\r",
            ":",
            " ",
            "\0",
            "0\r\n\r\n",
            ";",
            ",",
            "%",
            "ffffffff"
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<Index>(), bytes).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (any::<Index>(), 1..20_u8).prop_map(|(at, count)| Change::Remove(at, count)),
        (any::<Index>(), 1..60_u8).prop_map(|(at, count)| Change::Repeat(at, count)),
        any::<Index>().prop_map(Change::Cut),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: Vec<Change>) -> Vec<u8> {
    for change in changes {
        let length = bytes.len();
        if length == 0 {
            break;
        }
        match change {
            Change::Set(at, byte) => bytes[at.index(length)] = byte,
            Change::Insert(at, more) => {
                let at = at.index(length);
                bytes.splice(at..at, more);
            }
            Change::Remove(at, count) => {
                let at = at.index(length);
                bytes.drain(at..length.min(at + usize::from(count)));
            }
            Change::Repeat(at, count) => {
                let at = at.index(length);
                let more = bytes[at..length.min(at + usize::from(count))].to_vec();
                bytes.splice(at..at, more);
            }
            Change::Cut(at) => bytes.truncate(at.index(length)),
        }
    }
    bytes
}

fn noise() -> impl Strategy<Value = Vec<u8>> {
    let request = select(&REQUESTS[..]).prop_map(|request| request.as_bytes().to_vec());
    let requests = vec(request, 1..4).prop_map(|requests| requests.concat());
    prop_oneof![
        1 => vec(any::<u8>(), 0..600),
        6 => (requests, vec(change(), 1..6)).prop_map(|(bytes, changes)| changed(bytes, changes)),
        1 => (Just(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec()), vec(any::<u8>(), 0..200))
            .prop_map(|(preface, frames)| [preface, frames].concat()),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_bytes_keep_the_next_client_from_being_served() {
    let server = app::serve(app::options("plain")).await;
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let noise = noise();
    for _ in 0..SENT {
        let sent = noise.new_tree(&mut runner).unwrap().current();
        let mut wire = Wire::connect(server.address).await;
        wire.write(&sent).await;
        wire.end().await;
        if sent.starts_with(b"PRI * HTTP/2.0") {
            wire.rest().await;
        } else {
            while let Some(reply) = wire.unchecked("GET").await {
                // Which request it answers is not known.
                let reply = Raw {
                    method: String::new(),
                    ..reply
                };
                let problems = check::problems(&reply);
                assert!(
                    problems.is_empty(),
                    "{}\n{problems:#?}\n{reply:#?}",
                    text::escape(&sent)
                );
            }
        }
        let mut wire = Wire::connect(server.address).await;
        wire.write("GET /plain HTTP/1.1\r\nhost: test\r\n\r\n")
            .await;
        let reply = wire.reply("GET").await.expect("it is served");
        assert_eq!(
            (reply.status, &*reply.body),
            (200, &b"plain"[..]),
            "{}",
            text::escape(&sent)
        );
    }
    assert_eq!(server.app.plugin.inflight(), 0);
}
