//! Input checked by a value of the user's: `schema = X`.

use std::sync::{Arc, LazyLock};

use crate::{HttpError, args::Tag, definition::ParamSource, issues::Issues};

/// A check of input that makes what the handler receives: the value of `schema = X` in `#[body]`,
/// `#[query]`, `#[param]` and `#[headers]`.
///
/// `Input` is what is read of the request: a type for the body or a record (`serde_json::Value` takes
/// any JSON), for a single parameter one that is read from text. The handler receives the `T` that the
/// schema makes of it, with what is missing filled in and what is written differently made equal. The
/// check may wait; a handler's arguments are taken in order, and the first one that is refused ends it.
///
/// ```
/// use znight_http::{Issue, Issues, Schema};
///
/// /// A page of a list: `#[query("page", schema = PageNumber)] page: u32`.
/// struct PageNumber;
///
/// impl Schema<u32> for PageNumber {
///     type Input = Option<u32>;
///
///     async fn validate(&self, input: Option<u32>) -> Result<u32, Issues> {
///         match input.unwrap_or(1) {
///             0 => Err(Issue::of_all("pages are counted from 1").into()),
///             page => Ok(page),
///         }
///     }
/// }
/// ```
///
/// A schema that takes time to make is a `static` of a `LazyLock`, which is a schema as well:
/// `static ORDER: LazyLock<OrderSchema> = LazyLock::new(OrderSchema::compile);` and
/// `#[body(schema = ORDER)]`. The messages of issues are shown to the client: they say nothing of what
/// was sent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a schema that makes `{T}`",
    label = "not a `Schema<{T}>`",
    note = "implement `Schema<{T}>` for `{Self}`: its `Input` is what is read of the request, and `validate` makes \
            `{T}` of it"
)]
pub trait Schema<T>: Send + Sync {
    /// What is read of the request.
    type Input: Send;

    /// Checks what was read, and makes what the handler receives.
    ///
    /// # Errors
    /// All that is wrong, which is answered with 400; or the [`HttpError`] of a schema that cannot tell.
    fn validate(&self, input: Self::Input) -> impl Future<Output = Result<T, Issues>> + Send;
}

macro_rules! behind {
    ($($holder:ty),*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<T, S: Schema<T>> Schema<T> for $holder {
                type Input = S::Input;

                fn validate(
                    &self,
                    input: Self::Input,
                ) -> impl Future<Output = Result<T, Issues>> + Send {
                    S::validate(self, input)
                }
            }
        )*
    };
}

behind!(&S, Arc<S>, LazyLock<S>);

/// What a schema makes of what is read of the request: by the tag of the type it takes.
///
/// # Errors
/// That of reading, or 400 with all that is wrong.
pub async fn by_schema<T, S: Schema<T>>(
    schema: &S,
    part: ParamSource,
    name: &str,
    read: impl FnOnce(Tag<S::Input>) -> Result<S::Input, HttpError> + Send,
) -> Result<T, HttpError> {
    let input = read(Tag::NEW)?;
    let checked = schema.validate(input).await;
    checked.map_err(|issues| issues.refuse(part, name))
}
