//! What is wrong with input, place by place: the `details` of every 400 that a body or a record gets.

use std::borrow::Cow;

use serde::Serialize;

use crate::{HttpError, definition::ParamSource};

/// The longest path told in an error: its keys may be the client's.
const LONGEST_PATH: usize = 200;

/// One thing that is wrong in what was sent.
///
/// The path leads to it from the whole: `items[2].name`; it is empty where the whole is wrong. The
/// message is shown to the client: it says what is expected, and nothing of what was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    path: String,
    message: String,
}

impl Issue {
    /// Something wrong at a path.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: shortened(path.into()),
            message: message.into(),
        }
    }

    /// Something wrong with the whole.
    pub fn of_all(message: impl Into<String>) -> Self {
        Self::new("", message)
    }

    /// Where it is: `items[2].name`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is expected there.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// All that is wrong with an input, in the order it is told: what a [`Schema`](crate::Schema) refuses
/// with.
///
/// It is made from one [`Issue`] or several, from the report of a validator (`garde::Report`,
/// `validator::ValidationErrors`, with the features of these names), and from an [`HttpError`], which
/// says that the schema could not tell: the reply is that error then.
///
/// ```
/// use znight_http::{HttpError, Issue, Issues};
///
/// let mut issues = Issues::new();
/// issues.add("items[2].name", "at least one character");
/// issues.extend([Issue::of_all("no two items have the same name")]);
/// assert_eq!(issues.iter().map(Issue::path).collect::<Vec<_>>(), ["items[2].name", ""]);
/// assert_eq!(HttpError::from(issues).status(), 400);
/// ```
#[derive(Debug, Default)]
pub struct Issues {
    found: Vec<Issue>,
    failure: Option<HttpError>,
}

impl Issues {
    /// None yet.
    pub const fn new() -> Self {
        Self {
            found: Vec::new(),
            failure: None,
        }
    }

    /// Adds one.
    pub fn add(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.found.push(Issue::new(path, message));
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.failure.is_none()
    }

    /// What is wrong, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Issue> {
        self.found.iter()
    }

    /// The value when nothing is wrong: the end of a schema that has collected.
    ///
    /// # Errors
    /// These issues.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }

    /// The reply, for a part of the request: the body, a record, or the parameter of a name.
    #[cold]
    pub(crate) fn refuse(self, part: ParamSource, name: &str) -> HttpError {
        let what = match (part, name) {
            (ParamSource::Body, _) => Cow::Borrowed("the body is not valid"),
            (ParamSource::Query, "") => Cow::Borrowed("the query is not valid"),
            (ParamSource::Query, name) => {
                Cow::Owned(format!("the query parameter \"{name}\" is not valid"))
            }
            (ParamSource::Param, "") => Cow::Borrowed("the path is not valid"),
            (ParamSource::Param, name) => {
                Cow::Owned(format!("the path parameter \"{name}\" is not valid"))
            }
            (ParamSource::Header, "") => Cow::Borrowed("the headers are not valid"),
            (ParamSource::Header, name) => {
                Cow::Owned(format!("the header \"{name}\" is not valid"))
            }
            (ParamSource::Context, _) => Cow::Borrowed("the input is not valid"),
        };
        self.answer(what)
    }

    fn answer(self, message: Cow<'static, str>) -> HttpError {
        match self.failure {
            Some(error) => error,
            None => HttpError::bad_request(message).details(self.found),
        }
    }
}

impl From<Issue> for Issues {
    fn from(issue: Issue) -> Self {
        Self::from_iter([issue])
    }
}

impl FromIterator<Issue> for Issues {
    fn from_iter<I: IntoIterator<Item = Issue>>(issues: I) -> Self {
        Self {
            found: issues.into_iter().collect(),
            failure: None,
        }
    }
}

impl Extend<Issue> for Issues {
    fn extend<I: IntoIterator<Item = Issue>>(&mut self, issues: I) {
        self.found.extend(issues);
    }
}

/// The schema could not tell: a service it asks does not answer.
impl From<HttpError> for Issues {
    fn from(error: HttpError) -> Self {
        Self {
            found: Vec::new(),
            failure: Some(error),
        }
    }
}

/// The 400 of input a handler has looked at itself.
impl From<Issues> for HttpError {
    fn from(issues: Issues) -> Self {
        issues.refuse(ParamSource::Context, "")
    }
}

/// A path that is short enough to be told.
fn shortened(mut path: String) -> String {
    if path.len() > LONGEST_PATH {
        let whole = |at: &usize| path.is_char_boundary(*at);
        let end = (0..=LONGEST_PATH).rev().find(whole).unwrap_or(0);
        path.truncate(end);
        path.push_str("..");
    }
    path
}

/// The 400 of a body that does not have the shape asked for.
#[cold]
pub(crate) fn body(path: &str, message: &str) -> HttpError {
    Issues::from(Issue::new(path, message)).refuse(ParamSource::Body, "")
}

#[cfg(test)]
mod tests {
    use super::{Issue, Issues};
    use crate::{HttpError, definition::ParamSource};

    #[test]
    fn a_path_is_cut_between_characters() {
        let issue = Issue::new("\u{e9}".repeat(200), "too long");
        assert_eq!(issue.path(), format!("{}..", "\u{e9}".repeat(100)));
        let issue = Issue::new(format!("a{}", "\u{e9}".repeat(200)), "too long");
        assert_eq!(issue.path(), format!("a{}..", "\u{e9}".repeat(99)));
    }

    #[test]
    fn the_message_names_the_part_of_the_request() {
        for (part, name, message) in [
            (ParamSource::Body, "", "the body is not valid"),
            (ParamSource::Query, "", "the query is not valid"),
            (
                ParamSource::Query,
                "q",
                "the query parameter \"q\" is not valid",
            ),
            (ParamSource::Param, "", "the path is not valid"),
            (
                ParamSource::Param,
                "id",
                "the path parameter \"id\" is not valid",
            ),
            (ParamSource::Header, "", "the headers are not valid"),
            (
                ParamSource::Header,
                "etag",
                "the header \"etag\" is not valid",
            ),
            (ParamSource::Context, "", "the input is not valid"),
        ] {
            let error = Issues::from(Issue::of_all("wrong")).refuse(part, name);
            assert_eq!((error.status().as_u16(), error.message()), (400, message));
        }
    }

    #[test]
    fn a_schema_that_could_not_tell_answers_as_it_says() {
        let issues = Issues::from(HttpError::service_unavailable("try again"));
        assert!(!issues.is_empty());
        assert_eq!(issues.refuse(ParamSource::Body, "").status(), 503);
    }
}
