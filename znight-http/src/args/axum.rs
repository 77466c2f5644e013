//! Extractors of axum as parameters with `#[extract]`.

use axum::{body::to_bytes, extract::FromRequestParts, response::IntoResponse as _};
use znight_core::__private::BoxFuture;

use super::Tag;
use crate::{HttpError, rq::Rq};

/// How much of what an extractor says instead is read.
const LONGEST: usize = 4096;

/// A parameter that an extractor of axum makes from everything but the body.
///
/// It is given no state: what stands in the extensions of the request, put there by layers of axum, is
/// what it finds. What it answers instead is the reply, a redirect for instance; from 500 on it is logged, and
/// answered like any other error.
pub trait ExtractAxum<T> {
    /// The value, or what the extractor says instead.
    fn extract<'a>(
        &self,
        rq: &'a Rq,
        data: (),
    ) -> BoxFuture<'a, Result<Result<T, HttpError>, HttpError>>;
}

impl<T: FromRequestParts<()>> ExtractAxum<T> for &Tag<T> {
    fn extract<'a>(
        &self,
        rq: &'a Rq,
        (): (),
    ) -> BoxFuture<'a, Result<Result<T, HttpError>, HttpError>> {
        Box::pin(async move {
            let mut parts = rq.context().parts().clone();
            let rejection = match T::from_request_parts(&mut parts, &()).await {
                Ok(value) => return Ok(Ok(value)),
                Err(rejection) => rejection.into_response(),
            };
            let (parts, body) = rejection.into_parts();
            let body = to_bytes(body, LONGEST).await.unwrap_or_default();
            if parts.status.is_server_error() {
                // What it says is for the log.
                let text = String::from_utf8_lossy(&body).into_owned();
                return Err(HttpError::unexpected(text.into()).with_status(parts.status));
            }
            Err(HttpError::of_response(parts.status, parts.headers, body))
        })
    }
}
