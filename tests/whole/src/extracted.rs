//! Parameters of handlers that types and providers compute.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use znight::{FromContextWith, ParamResolver, ResolvedBy, prelude::*};

/// One header, by its name.
struct Named(String);

impl FromContextWith<&'static str> for Named {
    fn from_context_with(ctx: &HttpContext, name: &'static str) -> Result<Self, HttpError> {
        match ctx.header(name) {
            Some(value) => Ok(Self(value.to_owned())),
            None => Err(HttpError::unauthorized(format!("no {name}"))),
        }
    }
}

/// Who makes the request.
struct Visitor {
    name: String,
    visit: u32,
}

impl ResolvedBy<Visitors> for Visitor {}

/// Knows visitors; one for each request.
#[injectable(scope = "request")]
struct Visitors {
    book: Arc<VisitorBook>,
    context: Arc<HttpContext>,
}

struct VisitorBook {
    count: AtomicU32,
}

#[injectable]
impl VisitorBook {
    // Async, so that it has to be among what is created at boot.
    async fn new() -> Self {
        Self {
            count: AtomicU32::new(1),
        }
    }
}

impl ParamResolver<HttpContext, Visitor> for Visitors {
    type Data = ();
    type Error = HttpError;

    async fn resolve(&self, ctx: &HttpContext, (): ()) -> Result<Visitor, HttpError> {
        std::future::ready(()).await;
        assert_eq!(
            ctx.request_id().to_string(),
            self.context.request_id().to_string()
        );
        match ctx.header("x-visitor") {
            Some(name) => Ok(Visitor {
                name: name.to_owned(),
                visit: self.book.count.fetch_add(1, Ordering::Relaxed),
            }),
            None => Err(HttpError::unauthorized("who are you?")),
        }
    }
}

/// A number from a generator, of a kind.
struct Number(u64);

impl ResolvedBy<Numbers> for Number {}

#[injectable]
struct Numbers;

#[derive(Debug, thiserror::Error, ErrorReply)]
#[error("the generator is out of numbers")]
#[reply(503)]
struct OutOfNumbers;

/// What [`Numbers`] is asked for.
struct Kind {
    base: u64,
}

impl ParamResolver<HttpContext, Number> for Numbers {
    type Data = Kind;
    type Error = OutOfNumbers;

    async fn resolve(&self, _: &HttpContext, kind: Kind) -> Result<Number, OutOfNumbers> {
        if kind.base == 0 {
            Err(OutOfNumbers)
        } else {
            Ok(Number(kind.base + 1))
        }
    }
}

struct Extracted;

#[controller("/extracted")]
impl Extracted {
    #[get("/named/{id}")]
    async fn named(
        &self,
        #[param] id: u32,
        #[extract("x-name")] name: Named,
        #[extract] path: RequestPath,
    ) -> String {
        format!("{id} {} {}", name.0, path.0)
    }

    #[get("/visitor")]
    async fn visitor(&self, #[extract] visitor: Visitor) -> String {
        format!("{} {}", visitor.name, visitor.visit)
    }

    // Not async, and together with a body.
    #[post("/both")]
    fn both(
        &self,
        #[body] text: String,
        #[extract(Kind { base: 41 })] number: Number,
        #[extract] visitor: Visitor,
    ) -> Result<String, HttpError> {
        Ok(format!("{text} {} {}", number.0, visitor.name))
    }

    #[get("/none")]
    async fn none(&self, #[extract(Kind { base: 0 })] number: Number) -> String {
        number.0.to_string()
    }
}

/// The path, as a bare parameter may have it too.
struct RequestPath(String);

impl FromContext for RequestPath {
    fn from_context(ctx: &HttpContext) -> Result<Self, HttpError> {
        Ok(Self(ctx.path().to_owned()))
    }
}
