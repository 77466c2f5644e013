//! The controller: what a user of the framework writes.

use validator::Validate as _;
use znight::prelude::*;

use crate::contract::{CreateUser, Created, HELLO, Message, UserView};

struct Api;

#[controller]
impl Api {
    #[get("/plaintext")]
    async fn plaintext(&self) -> &'static str {
        HELLO
    }

    #[get("/json")]
    async fn json(&self) -> Message {
        Message { message: HELLO }
    }

    #[get("/users/{id}")]
    async fn user(
        &self,
        #[param] id: u64,
        #[query(default = 1)] page: u32,
        #[query] tag: Vec<String>,
    ) -> UserView {
        UserView { id, page, tag }
    }

    #[post("/users")]
    async fn create(&self, #[body] user: CreateUser) -> Result<Created, HttpError> {
        user.validate().status(422)?;
        let CreateUser { email, name, role } = user;
        Ok(Created {
            id: 1,
            email,
            name,
            role,
        })
    }
}
