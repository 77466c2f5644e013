//! The context of a request.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri, Version, request::Parts};

use serde::de::DeserializeOwned;
use znight_core::capability::PeerAddress;

use crate::{
    HttpError, Protocol, RequestId,
    body::LazyBody,
    policy::{Forwarded, Origin},
    routing::{Params, Route, RouteInfo},
};

/// One request: what was sent, the route it matched, and what its handlers leave for each other.
///
/// Guards and interceptors are given it, a handler takes `&HttpContext` or `Arc<HttpContext>`, and
/// request-scoped providers inject it.
pub struct HttpContext {
    parts: Parts,
    route: Option<Arc<Route>>,
    params: Params,
    transport: Transport,
    client: Client,
    request_id: IdCell,
    body: LazyBody,
    extensions: Extensions,
    /// Boxed: few requests have any.
    reply_headers: Mutex<Option<Box<HeaderMap>>>,
}

/// The way a request came.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Transport {
    /// The other end of the connection.
    pub(crate) peer: Option<SocketAddr>,
    /// Whether the connection is one of TLS.
    pub(crate) encrypted: bool,
    /// Whether there is none: the request was made by a test.
    pub(crate) in_memory: bool,
}

impl Transport {
    /// That of a request made by a test.
    pub(crate) fn in_memory(parts: &Parts) -> Self {
        Self {
            peer: parts.extensions.get::<PeerAddress>().map(|peer| peer.0),
            encrypted: parts.uri.scheme_str() == Some("https"),
            in_memory: true,
        }
    }
}

/// What the policies know of who sent a request.
#[derive(Debug, Default)]
pub(crate) struct Client {
    /// What proxies tell; `None` when nobody is believed.
    pub(crate) forwarded: Option<Box<Forwarded>>,
    /// What was decided about the origin of the page.
    pub(crate) origin: Origin,
    /// Whether a browser asks what a page may do.
    pub(crate) preflight: bool,
}

/// The id of a request, known from the start when it is echoed, else made when asked for.
pub(crate) enum IdCell {
    Known(RequestId),
    Lazy(OnceLock<RequestId>),
}

impl HttpContext {
    #[inline]
    pub(crate) fn new(
        parts: Parts,
        route: Option<Arc<Route>>,
        params: Params,
        transport: Transport,
        client: Client,
        request_id: IdCell,
    ) -> Self {
        Self {
            parts,
            route,
            params,
            transport,
            client,
            request_id,
            body: LazyBody::default(),
            extensions: Extensions::default(),
            reply_headers: Mutex::default(),
        }
    }

    /// The context of a request that no route has matched, for tests of what takes one: a guard, an argument, a
    /// provider that injects it. A [`PeerAddress`](znight_core::capability::PeerAddress) in the extensions of
    /// the request is where it comes from.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use http::Request;
    /// use znight_http::{Guard, HttpContext, HttpError};
    ///
    /// struct Members;
    ///
    /// impl Guard for Members {
    ///     async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
    ///         ctx.header("x-member").map(drop).ok_or_else(|| HttpError::forbidden("members only"))
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let request = Request::get("/club").header("x-member", "7").body(Bytes::new()).unwrap();
    /// assert!(Members.allow(&HttpContext::of_request(request)).await.is_ok());
    /// # }
    /// ```
    pub fn of_request(request: Request<impl Into<Bytes>>) -> Self {
        let (parts, body) = request.into_parts();
        let transport = Transport::in_memory(&parts);
        let id = IdCell::Lazy(OnceLock::new());
        let context = Self::new(
            parts,
            None,
            Params::none(),
            transport,
            Client::default(),
            id,
        );
        context.body.keep(body.into());
        context
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.parts.method
    }

    /// The target of the request.
    pub fn uri(&self) -> &Uri {
        &self.parts.uri
    }

    /// The path as it was sent, still percent-encoded and with its dot segments.
    pub fn path(&self) -> &str {
        self.parts.uri.path()
    }

    /// The query as it was sent, without the `?`.
    pub fn query(&self) -> Option<&str> {
        self.parts.uri.query()
    }

    /// The version of HTTP.
    pub fn version(&self) -> Version {
        self.parts.version
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// The first value of a header; `None` as well when it is not visible ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.parts.headers.get(name)?.to_str().ok()
    }

    /// Everything of the request but its body.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// A path parameter, decoded. A catch-all written `*` is named `*`.
    pub fn param(&self, name: &str) -> Option<&str> {
        let at = self.route.as_ref()?.param(name)?;
        self.params.get(at, self.path())
    }

    /// The path parameters, decoded, in the order of the path.
    pub fn params(&self) -> impl Iterator<Item = (&str, &str)> {
        let names = self.route.iter().flat_map(|route| route.params());
        names
            .enumerate()
            .filter_map(|(at, name)| Some((name, self.params.get(at, self.path())?)))
    }

    /// The route; `None` when none matched.
    pub fn route(&self) -> Option<&RouteInfo> {
        self.route.as_ref().map(|route| route.info())
    }

    pub(crate) fn matched_route(&self) -> Option<&Route> {
        self.route.as_deref()
    }

    /// The address of the other end of the connection, which may be a proxy; `None` for a request
    /// made in memory.
    pub fn peer_address(&self) -> Option<SocketAddr> {
        self.transport.peer
    }

    /// The address of the client: that of the other end of the connection, or behind [trusted
    /// proxies](crate::HttpOptions::trust_proxy) the one they tell. `None` where neither is known, as for
    /// a request made in memory without an address.
    pub fn ip(&self) -> Option<IpAddr> {
        match &self.client.forwarded {
            Some(forwarded) => Some(forwarded.address),
            None => self.transport.peer.map(|peer| peer.ip().to_canonical()),
        }
    }

    /// How the client speaks: that of the connection, or behind [trusted
    /// proxies](crate::HttpOptions::trust_proxy) the one they tell.
    pub fn protocol(&self) -> Protocol {
        let forwarded = self.client.forwarded.as_deref();
        match forwarded.and_then(|forwarded| forwarded.protocol) {
            Some(protocol) => protocol,
            None if self.transport.encrypted => Protocol::Https,
            None => Protocol::Http,
        }
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        self.transport.in_memory
    }

    pub(crate) fn origin(&self) -> Origin {
        self.client.origin
    }

    pub(crate) fn is_preflight(&self) -> bool {
        self.client.preflight
    }

    /// Keeps what was decided about the origin, before anybody else knows the context.
    pub(crate) fn set_origin(&mut self, origin: Origin) {
        self.client.origin = origin;
    }

    /// The id of the request: that of the client when it sent a valid one, else one made for it.
    pub fn request_id(&self) -> &RequestId {
        match &self.request_id {
            IdCell::Known(id) => id,
            IdCell::Lazy(cell) => cell.get_or_init(RequestId::generate),
        }
    }

    /// The bytes of the body, as they were sent: for the signature of a webhook, for instance. They are read
    /// when somebody first asks, within the limits of the route, and given to everybody who asks later;
    /// where the handler takes the body as an argument, they are those it was made from.
    ///
    /// ```
    /// use znight_http::{Guard, HttpContext, HttpError};
    ///
    /// struct Signed;
    ///
    /// # fn is_signature_of(_: &str, _: &[u8]) -> bool { true }
    /// impl Guard for Signed {
    ///     async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
    ///         let body = ctx.raw_body().await?;
    ///         match ctx.header("x-signature") {
    ///             Some(signature) if is_signature_of(signature, &body) => Ok(()),
    ///             _ => Err(HttpError::unauthorized("the signature is not that of the body")),
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// 413 for a body above the limit, 408 for one that takes too long, 415 for one that is compressed,
    /// 400 for one that is cut off.
    pub async fn raw_body(&self) -> Result<Bytes, HttpError> {
        self.body.read(&self.parts.headers).await
    }

    /// The body as a value: JSON or a form, by its media type, as `#[body]` takes it, but not validated. It is
    /// read when somebody first asks; see [`raw_body`](Self::raw_body).
    ///
    /// # Errors
    /// 400 saying what is wrong where, 415 for another media type, and those of `raw_body`.
    pub async fn parse_body<T: DeserializeOwned>(&self) -> Result<T, HttpError> {
        let body = self.raw_body().await?;
        crate::args::typed(&self.parts.headers, &body)
    }

    pub(crate) fn body(&self) -> &LazyBody {
        &self.body
    }

    /// Values guards, interceptors and handlers leave for each other.
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// Sets a header of the reply, whatever the reply will be. It wins over those fixed on the
    /// route, and loses to those of an [`HttpResponse`](crate::HttpResponse).
    ///
    /// # Errors
    /// When the name or the value cannot be sent.
    pub fn set_header<N, V>(&self, name: N, value: V) -> Result<(), HttpError>
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        match (name.try_into(), value.try_into()) {
            (Ok(name), Ok(value)) => {
                let mut headers = self.reply_headers();
                headers.get_or_insert_default().insert(name, value);
                Ok(())
            }
            _ => Err(HttpError::unexpected(
                "a header set on the context cannot be sent".into(),
            )),
        }
    }

    /// Whether a header of the reply was set here.
    pub(crate) fn has_reply_headers(&self) -> bool {
        self.reply_headers().is_some()
    }

    /// The headers of the reply set here, one after the other.
    pub(crate) fn each_reply_header(&self, mut use_it: impl FnMut(&HeaderName, &HeaderValue)) {
        if let Some(headers) = &*self.reply_headers() {
            for (name, value) in &**headers {
                use_it(name, value);
            }
        }
    }

    fn reply_headers(&self) -> MutexGuard<'_, Option<Box<HeaderMap>>> {
        self.reply_headers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for HttpContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpContext")
            .field("method", &self.parts.method)
            .field("path", &self.path())
            .field("route", &self.route())
            .finish_non_exhaustive()
    }
}

/// Values of a request, one for each type.
///
/// ```
/// use znight_http::{Guard, HttpContext, HttpError};
///
/// #[derive(Clone)]
/// struct CurrentUser(u64);
///
/// struct Session;
///
/// impl Guard for Session {
///     async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
///         ctx.extensions().insert(CurrentUser(7));
///         Ok(())
///     }
/// }
/// ```
#[derive(Default)]
pub struct Extensions(Mutex<http::Extensions>);

impl Extensions {
    /// Keeps a value, replacing and giving back an earlier one of its type.
    pub fn insert<T: Clone + Send + Sync + 'static>(&self, value: T) -> Option<T> {
        self.lock().insert(value)
    }

    /// A copy of the value of this type.
    pub fn get<T: Clone + Send + Sync + 'static>(&self) -> Option<T> {
        self.lock().get().cloned()
    }

    /// Takes the value of this type out.
    pub fn remove<T: Clone + Send + Sync + 'static>(&self) -> Option<T> {
        self.lock().remove()
    }

    fn lock(&self) -> MutexGuard<'_, http::Extensions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Extensions(..)")
    }
}
