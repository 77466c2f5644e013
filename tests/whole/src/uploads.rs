//! Bodies: their limits, and handlers that read them themselves.

use std::sync::Arc;

use znight::prelude::*;

struct Uploads;

const TWO_KB: u64 = 2 * 1024;

#[controller("/uploads")]
#[body_limit("1kb")]
impl Uploads {
    #[post("/small")]
    async fn small(&self, #[body] bytes: Vec<u8>) -> String {
        bytes.len().to_string()
    }

    #[post("/large")]
    #[body_limit(TWO_KB)]
    async fn large(&self, #[body] bytes: Vec<u8>) -> String {
        bytes.len().to_string()
    }

    #[post("/any")]
    #[body_limit("unlimited")]
    async fn any(&self, ctx: Arc<HttpContext>) -> Result<String, HttpError> {
        Ok(ctx.raw_body().await?.len().to_string())
    }
}
