//! Applications that listen, by the clock of the test.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use znight::HttpPlugin;
use znight_core::Result;
use znight_testing::{TestApp, TestClock};

use crate::support::{Feed, Piece, shop};

async fn listening(clock: &TestClock) -> Result<(TestApp, SocketAddr)> {
    let app = shop().clock(clock.clock()).listen().start().await?;
    let plugin = app.application().plugin::<HttpPlugin>().expect("added");
    let address = plugin.address().expect("it listens");
    Ok((app, address))
}

#[tokio::test]
async fn a_body_that_does_not_come_is_given_up_by_the_clock_of_the_application() -> Result {
    let test = TestClock::new();
    let (app, address) = listening(&test).await?;
    let mut client = TcpStream::connect(address).await?;
    client
        .write_all(b"POST /upload HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nab")
        .await?;
    test.wait_for_sleepers(1).await;
    test.advance(Duration::from_secs(59)).await;
    assert_eq!(test.sleepers(), 1);
    assert_eq!(test.advance_to_next().await, Some(Duration::from_secs(1)));
    let mut reply = String::new();
    client.read_to_string(&mut reply).await?;
    assert!(reply.starts_with("HTTP/1.1 408 "), "{reply}");
    app.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_stop_closes_what_does_not_end_by_the_clock_of_the_application() -> Result {
    let test = TestClock::new();
    let (app, address) = listening(&test).await?;
    let mut client = TcpStream::connect(address).await?;
    client
        .write_all(b"GET /feed HTTP/1.1\r\nhost: a\r\n\r\n")
        .await?;
    let feed = Feed::of(&app);
    feed.tell(Piece::Text("one"));
    let mut head = [0; 8];
    client.read_exact(&mut head).await?;
    assert_eq!(&head, b"HTTP/1.1");
    let stop = tokio::spawn(app.application().stop());
    // The hook's budget, and the drain within it.
    test.wait_for_sleepers(2).await;
    assert_eq!(test.advance_to_next().await, Some(Duration::from_secs(4)));
    stop.await??;
    feed.gone().await;
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await?;
    assert!(!rest.ends_with(b"0\r\n\r\n"), "the body was cut off");
    Ok(())
}
