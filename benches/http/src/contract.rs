//! The values of the benchmark, the same for every server.

use serde::{Deserialize, Serialize};
use validator::Validate;

pub(crate) const HELLO: &str = "Hello, World!";

#[derive(Serialize)]
pub(crate) struct Message {
    pub(crate) message: &'static str,
}

#[derive(Serialize)]
pub(crate) struct UserView {
    pub(crate) id: u64,
    pub(crate) page: u32,
    pub(crate) tag: Vec<String>,
}

#[derive(Deserialize, Validate)]
pub(crate) struct CreateUser {
    #[validate(email)]
    pub(crate) email: String,
    #[validate(length(min = 2))]
    pub(crate) name: String,
    pub(crate) role: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Created {
    pub(crate) id: u64,
    pub(crate) email: String,
    pub(crate) name: String,
    pub(crate) role: Option<String>,
}
