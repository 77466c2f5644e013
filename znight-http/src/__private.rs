//! What generated code touches. Not public API: it changes with every release.

pub use crate::{
    args::{Tag, refused},
    decisions::{AnyValue, Decided, DecidedValue, def_of, flag, value_of},
    definition::{
        Asked, Call, Controller, ControllerDef, ControllerEntry, ControllerOn, GuardDef, GuardOf,
        HttpSection, InterceptorDef, NoGuard, ParamDef, ParamSource, RouteDef, Verb, controller,
        guard, interceptor, this,
    },
    error::{HandlerError, HttpError, KnownError},
    handler::{
        Answer, Called, Finish, Handler0, Handler1, Handler2, Handler3, Handler4, Handler5,
        Handler6, Handler7, Handler8, Handler9, Handler10, Handler11, Handler12, OutTag, boxed,
        call0, call1, call2, call3, call4, call5, call6, call7, call8, call9, call10, call11,
        call12, finish, out_of, out0, out1, out2, out3, out4, out5, out6, out7, out8, out9, out10,
        out11, out12, sync,
    },
    reply::{IntoReply, Outcome},
    rq::Rq,
    validate::{ControllerNames, FieldNames, InputNames, Names, TypeNames, by_schema},
};

/// The traits whose methods the glue of a handler calls, without their names: a glob import of
/// this module shadows nothing of the user's.
pub mod select {
    #[cfg(feature = "axum")]
    pub use crate::args::ExtractAxum as _;
    #[cfg(feature = "garde")]
    pub use crate::validate::ByGarde as _;
    #[cfg(feature = "validator")]
    pub use crate::validate::{ByValidator as _, ByValidatorIfAny as _};
    pub use crate::{
        args::{
            BodyByType as _, BodyFrom as _, ContextFrom as _, Extract as _, ExtractResolved as _,
            HeaderFrom as _, HeaderSerde as _, ParamFrom as _, ParamSerde as _, QueryFrom as _,
            QuerySerde as _, Records as _, RefusedKnown as _, RefusedOtherwise as _,
        },
        handler::{
            ByMaybe as _, ByMaybeKnown as _, ByOptional as _, ByTried as _, ByTriedKnown as _,
            ByValue as _,
        },
        validate::Unchecked as _,
    };
}

pub use crate::{
    __without_garde as without_garde, __without_validation as without_validation,
    __without_validator as without_validator,
};
pub use http::{HeaderMap, StatusCode};
pub use serde_json::Value;
pub use znight_contract::decision::DecisionDef;

/// Checks that a path no build pass has evaluated has no parameters, of which the glue would not know.
///
/// # Panics
///
/// It has some, which shows when the test is compiled.
pub const fn plain_path(path: &str) {
    let bytes = path.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        assert!(
            !matches!(bytes[at], b'{' | b':' | b'*'),
            "ZNIGHT005: a path with parameters is a literal here: the build evaluates constants only in the modules below `graph!()`"
        );
        at += 1;
    }
}

/// The status of a derived `ErrorReply`: the macro has checked the number.
pub fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The value of a field that a derived `ErrorReply` shows.
pub fn detail(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// The details of a derived `ErrorReply`.
pub fn details<const N: usize>(entries: [(&'static str, Value); N]) -> Option<Value> {
    if N == 0 {
        return None;
    }
    let entries = entries.into_iter();
    Some(
        entries
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

/// The headers of a derived `ErrorReply`. One whose value cannot be sent is left out, and logged.
pub fn headers<const N: usize>(entries: [(&'static str, String); N]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in entries {
        if let Ok(value) = value.try_into() {
            headers.insert(http::HeaderName::from_static(name), value);
        } else {
            tracing::error!(
                target: "znight::http",
                header = name,
                "a header of an error cannot be sent: it is left out"
            );
        }
    }
    headers
}
