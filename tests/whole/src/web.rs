//! Controllers, guards and interceptors.

use std::{collections::BTreeMap, sync::Arc};

use garde::Validate;
use serde::{Deserialize, Serialize};
use znight::{Reply, prelude::*};

use crate::{journal::Journal, shop::Service};

/// A guard and interceptor for the whole application.
#[derive(Debug)]
#[injectable]
pub struct Outer {
    journal: Arc<Journal>,
}

impl Guard for Outer {
    async fn allow(&self, _: &HttpContext) -> Result<(), HttpError> {
        self.journal.note("guard: application");
        Ok(())
    }
}

impl Interceptor for Outer {
    async fn intercept(&self, _: &HttpContext, next: Next<'_>) -> Result<Reply, HttpError> {
        self.journal.note("before: application");
        let reply = next.run().await;
        self.journal.note("after: application");
        reply
    }
}

#[injectable]
struct Members {
    journal: Arc<Journal>,
}

impl Guard for Members {
    async fn allow(&self, context: &HttpContext) -> Result<(), HttpError> {
        self.journal.note("guard: controller");
        match context.header("x-member") {
            Some("no") => Err(HttpError::forbidden("members only")),
            _ => Ok(()),
        }
    }
}

impl Interceptor for Members {
    async fn intercept(&self, _: &HttpContext, next: Next<'_>) -> Result<Reply, HttpError> {
        self.journal.note("before: controller");
        Ok(next.run().await?.with_header("x-seen", "members"))
    }
}

/// A guard and interceptor of single routes, one for each request.
#[derive(Debug)]
#[injectable(scope = "request")]
pub struct Recorder {
    journal: Arc<Journal>,
    context: Arc<HttpContext>,
}

impl Guard for Recorder {
    async fn allow(&self, _: &HttpContext) -> Result<(), HttpError> {
        self.journal
            .note(format!("guard: route {}", self.context.path()));
        Ok(())
    }
}

impl Interceptor for Recorder {
    async fn intercept(&self, _: &HttpContext, next: Next<'_>) -> Result<Reply, HttpError> {
        self.journal.note("before: route");
        next.run().await
    }
}

impl Dispose for Recorder {
    async fn dispose(&self) -> znight::Result {
        self.journal.note("recorder disposed");
        Ok(())
    }
}

/// Lives for one request.
#[injectable(scope = "request")]
struct Visit {
    context: Arc<HttpContext>,
    journal: Arc<Journal>,
}

#[controller("/visits")]
#[guard(Members)]
#[interceptor(Members)]
impl Visit {
    #[get("/{id}")]
    #[guard(Recorder)]
    #[interceptor(Recorder)]
    async fn visit(&self, id: u32) -> String {
        self.journal.note("handler");
        format!("{id} of {}", self.context.path())
    }
}

#[derive(Debug, Serialize, Deserialize, Validate)]
#[serde(rename_all = "camelCase")]
struct Order {
    #[garde(skip)]
    id: u64,
    #[garde(range(max = 1000))]
    unit_price: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sort {
    Newest,
    Oldest,
}

#[derive(Debug, Deserialize, Validate)]
struct Paging {
    #[serde(default)]
    #[garde(range(max = 1000))]
    page: u32,
    #[garde(range(min = 1))]
    size: Option<u32>,
}

#[derive(Debug, thiserror::Error, ErrorReply)]
#[error("order {id} is closed")]
#[reply(409)]
struct Closed {
    #[reply(detail)]
    id: u64,
}

#[derive(Debug, thiserror::Error, ErrorReply)]
enum OrderError {
    #[error("order {0} not found")]
    #[reply(404)]
    NotFound(u64),
    #[error(transparent)]
    #[reply(transparent)]
    Closed(#[from] Closed),
    #[error("the store is down")]
    #[reply(503)]
    Down(#[reply(header = "retry-after")] u32),
}

#[injectable]
struct Orders {
    service: Arc<Service>,
    visit: Lazy<Visit>,
}

#[controller("/orders")]
impl Orders {
    #[get("/{id}")]
    async fn get(&self, #[param] id: u64) -> Result<Order, OrderError> {
        match id {
            0 => Err(OrderError::Down(30)),
            1 => Ok(Order { id, unit_price: 5 }),
            2 => Err(Closed { id })?,
            _ => Err(OrderError::NotFound(id)),
        }
    }

    #[post]
    async fn create(&self, #[body] order: Order) -> HttpResponse<Order> {
        HttpResponse::created(format!("/orders/{}", order.id), order)
    }

    #[put("/{id}")]
    #[patch("/{id}")]
    #[status(202)]
    #[header("x-kind", "change")]
    async fn change(&self, id: u64, #[body] order: Option<Order>) -> Option<Order> {
        order.filter(|order| order.id == id)
    }

    #[delete("/{id}")]
    async fn remove(&self, #[param("id")] _id: u64) {}

    #[get("/search")]
    async fn search(
        &self,
        #[query(default = Sort::Newest)] sort: Sort,
        #[query("tag")] tags: Vec<String>,
        #[query(flatten)] paging: Paging,
        #[headers("accept-language")] language: Option<String>,
        #[headers] user_agent: Option<String>,
    ) -> Vec<String> {
        let Paging { page, size } = paging;
        vec![format!(
            "{sort:?} {tags:?} {page} {size:?} {language:?} {user_agent:?}"
        )]
    }

    #[get("/files/{*path}")]
    fn file(&self, path: String) -> String {
        path
    }

    #[get("/all/{a}/{b}")]
    fn all(&self, #[param(flatten)] all: BTreeMap<String, String>) -> BTreeMap<String, String> {
        all
    }

    #[all("/echo")]
    async fn echo(&self, context: &HttpContext) -> String {
        let path = self.visit.get().map_or("no visit".to_owned(), |visit| {
            visit.context.path().to_owned()
        });
        format!("{} {path}", context.method())
    }

    #[get("/stores")]
    async fn stores(&self) -> Result<Vec<(String, usize)>, znight::BoxError> {
        let mut found = Vec::new();
        for store in &self.service.all {
            found.push((store.name(), store.count().await));
        }
        Ok(found)
    }

    #[get("/panic")]
    async fn panic(&self) -> String {
        panic!("a handler panics")
    }

    #[get("/broken")]
    async fn broken(&self) -> Result<String, std::io::Error> {
        Err(std::io::Error::other("a secret of the house"))
    }
}
