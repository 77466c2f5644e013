//! One controller with its five routes, and the types they speak.

use std::fmt::Write as _;

use super::{Flavor, provider::Dependency};

/// What a controller is injected with: the last providers, which no other provider needs.
pub(super) fn dependencies(number: usize, providers: usize) -> [Dependency; 2] {
    [
        Dependency::new(providers - 1 - number * 2, true),
        Dependency::new(providers - 2 - number * 2, false),
    ]
}

/// `src/web/mod.rs`
pub(super) fn module(controllers: usize) -> String {
    let mut out = "//! The parts over HTTP.\n\n".to_owned();
    for number in 0..controllers {
        let _ = writeln!(out, "pub mod items{number:03};");
    }
    out
}

/// The text of a controller.
pub(super) fn text(flavor: Flavor, number: usize, providers: usize) -> String {
    let [prices, stock] = dependencies(number, providers);
    let header = match flavor {
        Flavor::Znight => "use serde::{Deserialize, Serialize};\nuse znight::prelude::*;\n\n",
        Flavor::Axum => {
            "use axum::{\n    Json, Router,\n    extract::{Path, Query, State},\n    \
             http::StatusCode,\n    routing::get,\n};\n\
             use serde::{Deserialize, Serialize};\n\n\
             use crate::error::ApiError;\n"
        }
    };
    let mut out = format!(
        "//! Items of kind {number} over HTTP.\n\nuse std::sync::Arc;\n\n{header}{}{}\n",
        prices.import(),
        stock.import()
    );
    let _ = write!(
        out,
        "/// An item of kind {number}.\n\
         #[derive(Debug, Serialize)]\n\
         pub struct Item{number:03} {{\n    id: u64,\n    name: String,\n    price: u64,\n}}\n\n\
         /// What an item is made from.\n\
         #[derive(Debug, Deserialize)]\n\
         pub struct Draft{number:03} {{\n    name: String,\n    amount: u64,\n}}\n\n"
    );
    match flavor {
        Flavor::Znight => out.push_str("/// The routes of this kind.\n#[injectable]\n"),
        Flavor::Axum => out.push_str(
            "/// The page of a list.\n#[derive(Debug, Deserialize)]\npub struct Page {\n    \
             #[serde(default = \"first\")]\n    page: u64,\n}\n\n\
             fn first() -> u64 {\n    1\n}\n\n/// What the routes of this kind need.\n",
        ),
    }
    let _ = write!(
        out,
        "pub struct Items{number:03} {{\n    {},\n    {},\n}}\n\n",
        prices.field(),
        stock.field()
    );
    let handlers = match flavor {
        Flavor::Znight => ZNIGHT,
        Flavor::Axum => AXUM,
    };
    out.push_str(
        &handlers
            .replace("@N", &format!("{number:03}"))
            .replace("@FP", &prices.field())
            .replace("@FS", &stock.field())
            .replace("@P", &format!("part{:03}", prices.number))
            .replace("@S", &format!("part{:03}", stock.number)),
    );
    out
}

const ZNIGHT: &str = r#"#[controller("/items@N")]
impl Items@N {
    /// A page of items.
    #[get]
    async fn list(&self, #[query(default = 1)] page: u64) -> Vec<Item@N> {
        let ids = page * 10..page * 10 + 3;
        ids.map(|id| self.item(id, format!("item {id}"))).collect()
    }

    /// One item.
    #[get("/{id}")]
    async fn find(&self, #[param] id: u64) -> Result<Item@N, HttpError> {
        if id == 0 {
            return Err(HttpError::not_found("no such item"));
        }
        Ok(self.item(id, format!("item {id}")))
    }

    /// Adds an item.
    #[post]
    async fn add(&self, #[body] draft: Draft@N) -> Result<Item@N, HttpError> {
        if draft.name.is_empty() {
            return Err(HttpError::bad_request("a name is required"));
        }
        Ok(self.item(draft.amount, draft.name))
    }

    /// Replaces an item.
    #[put("/{id}")]
    async fn replace(&self, #[param] id: u64, #[body] draft: Draft@N) -> Result<Item@N, HttpError> {
        if id == 0 {
            return Err(HttpError::not_found("no such item"));
        }
        Ok(self.item(id + draft.amount, draft.name))
    }

    /// Removes an item.
    #[delete("/{id}")]
    async fn remove(&self, #[param] id: u64) -> Result<(), HttpError> {
        if id > self.@S.asked() + 1000 {
            return Err(HttpError::not_found("no such item"));
        }
        Ok(())
    }
}

impl Items@N {
    fn item(&self, id: u64, name: String) -> Item@N {
        let price = self.@P.price(id);
        Item@N { id, name, price }
    }
}
"#;

const AXUM: &str = r#"impl Items@N {
    /// With what it needs.
    pub fn new(@FP, @FS) -> Self {
        Self { @P, @S }
    }

    fn item(&self, id: u64, name: String) -> Item@N {
        let price = self.@P.price(id);
        Item@N { id, name, price }
    }
}

/// The routes of this kind.
pub fn router(items: Arc<Items@N>) -> Router {
    Router::new()
        .route("/items@N", get(list).post(add))
        .route("/items@N/{id}", get(find).put(replace).delete(remove))
        .with_state(items)
}

/// A page of items.
async fn list(
    State(this): State<Arc<Items@N>>,
    Query(page): Query<Page>,
) -> Json<Vec<Item@N>> {
    let ids = page.page * 10..page.page * 10 + 3;
    Json(ids.map(|id| this.item(id, format!("item {id}"))).collect())
}

/// One item.
async fn find(
    State(this): State<Arc<Items@N>>,
    Path(id): Path<u64>,
) -> Result<Json<Item@N>, ApiError> {
    if id == 0 {
        return Err(ApiError::not_found("no such item"));
    }
    Ok(Json(this.item(id, format!("item {id}"))))
}

/// Adds an item.
async fn add(
    State(this): State<Arc<Items@N>>,
    Json(draft): Json<Draft@N>,
) -> Result<(StatusCode, Json<Item@N>), ApiError> {
    if draft.name.is_empty() {
        return Err(ApiError::bad_request("a name is required"));
    }
    Ok((StatusCode::CREATED, Json(this.item(draft.amount, draft.name))))
}

/// Replaces an item.
async fn replace(
    State(this): State<Arc<Items@N>>,
    Path(id): Path<u64>,
    Json(draft): Json<Draft@N>,
) -> Result<Json<Item@N>, ApiError> {
    if id == 0 {
        return Err(ApiError::not_found("no such item"));
    }
    Ok(Json(this.item(id + draft.amount, draft.name)))
}

/// Removes an item.
async fn remove(
    State(this): State<Arc<Items@N>>,
    Path(id): Path<u64>,
) -> Result<StatusCode, ApiError> {
    if id > this.@S.asked() + 1000 {
        return Err(ApiError::not_found("no such item"));
    }
    Ok(StatusCode::NO_CONTENT)
}
"#;
