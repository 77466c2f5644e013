//! Parameters of handlers that a provider computes.

/// A provider that computes the value of a handler's parameter from the context of the transport: of an
/// HTTP request, of a message.
///
/// Which provider computes a type is said by [`ResolvedBy`]; `#[extract]` on the parameter asks for it,
/// `#[extract("data")]` hands it something. It may have any scope: one of the request is made in the
/// request.
///
/// ```
/// use std::sync::Arc;
/// use znight_core::{BoxError, ParamResolver, ResolvedBy};
///
/// struct Message { sender: u64 } // the context of a transport
///
/// struct Users;
/// impl Users {
///     async fn find(&self, id: u64) -> Result<User, BoxError> {
///         Ok(User { id })
///     }
/// }
///
/// struct User { id: u64 }
/// impl ResolvedBy<Senders> for User {}
///
/// struct Senders { users: Arc<Users> } // #[injectable]
/// impl ParamResolver<Message, User> for Senders {
///     type Data = ();
///     type Error = BoxError;
///
///     async fn resolve(&self, message: &Message, _: ()) -> Result<User, BoxError> {
///         self.users.find(message.sender).await
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not compute a `{T}` from a `{C}`",
    label = "not a `ParamResolver<{C}, {T}>`",
    note = "`ResolvedBy<{Self}>` says that it computes `{T}`: implement `ParamResolver<{C}, {T}>` for it to have such parameters in handlers of this transport"
)]
pub trait ParamResolver<C: ?Sized, T>: Send + Sync + 'static {
    /// What `#[extract(..)]` hands it: `()` without arguments.
    type Data: Send;
    /// Why there is no value.
    type Error;

    /// Computes the value.
    fn resolve(
        &self,
        context: &C,
        data: Self::Data,
    ) -> impl Future<Output = Result<T, Self::Error>> + Send;
}

/// Says which provider computes parameters of a type: see [`ParamResolver`].
pub trait ResolvedBy<R: ?Sized> {}
