//! Which process answers, and whom.

use std::sync::Arc;

use znight::prelude::*;

struct Process;

#[controller("/process")]
impl Process {
    #[get]
    async fn id(&self) -> u32 {
        std::process::id()
    }

    #[get("/client")]
    async fn client(&self, ctx: Arc<HttpContext>) -> Option<String> {
        Some(ctx.ip()?.to_string())
    }
}
