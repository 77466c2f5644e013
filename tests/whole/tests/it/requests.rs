use std::net::SocketAddr;

use crate::{Tested, start};

#[tokio::test]
async fn the_limit_of_a_route_wins_over_that_of_its_controller() -> Tested {
    let app = start().await?;
    for (target, length, status) in [
        ("/uploads/small", 1024, 201),
        ("/uploads/small", 1025, 413),
        ("/uploads/large", 2048, 201),
        ("/uploads/large", 2049, 413),
        ("/uploads/any", 2 * 1024 * 1024, 201),
    ] {
        let body = vec![b'x'; length];
        let reply = app.post(target).body(body).await?;
        assert_eq!(reply.status(), status, "{target} {length}");
    }
    Ok(())
}

#[tokio::test]
async fn a_request_comes_from_the_address_a_test_gives_it() -> Tested {
    let app = start().await?;
    let from = SocketAddr::from(([10, 0, 0, 1], 4000));
    let known = app.get("/process/client").from_address(from).await?;
    assert_eq!(known.text(), "10.0.0.1");
    assert_eq!(app.get("/process/client").await?.status(), 404);
    Ok(())
}
