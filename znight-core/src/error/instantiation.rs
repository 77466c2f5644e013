//! Which provider could not be created.

/// What is known of a provider that could not be created; see
/// [`Error::instantiation`](crate::Error::instantiation). The cause is the
/// [`source`](std::error::Error::source) of the error, where the provider is declared its
/// [`place`](crate::Error::place).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), znight_core::Error> {
/// use std::sync::Arc;
/// use znight_core::{Container, Definition, Graph};
///
/// struct Pool;
/// struct Users(Arc<Pool>);
///
/// let container = Container::new(Graph::empty())?;
/// container.provide_definition(Definition::<Pool>::new(|| {
///     Err::<Pool, _>(std::io::Error::other("connection refused"))
/// }).token("acme::Pool"))?;
/// container.provide_definition(Definition::<Users>::new(|pool: Arc<Pool>| Users(pool)))?;
/// let error = container.init().await.unwrap_err();
/// let failed = error.instantiation().expect("a constructor failed");
/// assert_eq!(failed.token(), "acme::Pool");
/// assert_eq!(failed.path(), ["Users", "Pool"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstantiationError {
    token: String,
    path: Vec<String>,
}

impl InstantiationError {
    pub(crate) fn new(token: &str, path: Vec<String>) -> Self {
        Self {
            token: token.to_owned(),
            path,
        }
    }

    /// The token of the provider: `shop::db::Databases::pool`.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// How an entry point leads to the provider: display names, the provider itself last.
    pub fn path(&self) -> &[String] {
        &self.path
    }
}
