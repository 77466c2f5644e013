//! Input whose type implements `garde::Validate`.

use garde::{Path, Report, Validate};

use super::{
    path::{Found, Step},
    refuse,
};
use crate::{HttpError, args::Tag, definition::ParamSource, issues::Issues, rq::Rq};

/// A context garde can be given for an input.
#[diagnostic::on_unimplemented(
    message = "an input cannot be validated in a context of type `{Self}`, which has no default",
    label = "its `garde(context(..))` is not `Default`",
    note = "implement `Default` for `{Self}`, or name a schema that knows the context: `#[body(schema = ..)]`"
)]
pub trait InputContext: Default {}

#[diagnostic::do_not_recommend]
impl<C: Default> InputContext for C {}

/// A type that garde checks, an `Option` or a `Vec` of one included: garde knows these itself.
pub trait ByGarde<T: Validate> {
    /// Checks a value. Its context is a bound here, not on the implementation: a type without one must be an
    /// error rather than a type that nothing checks.
    ///
    /// # Errors
    /// 400 with all that is wrong.
    fn check(&self, value: &T, rq: &Rq, part: ParamSource, index: u32) -> Result<(), HttpError>
    where
        T::Context: InputContext;
}

impl<T: Validate> ByGarde<T> for &&Tag<T> {
    fn check(&self, value: &T, rq: &Rq, part: ParamSource, index: u32) -> Result<(), HttpError>
    where
        T::Context: InputContext,
    {
        match value.validate_with(&T::Context::default()) {
            Ok(()) => Ok(()),
            Err(report) => Err(refuse(found(&report), rq, part, index)),
        }
    }
}

impl From<Report> for Issues {
    fn from(report: Report) -> Self {
        found(&report).into_issues()
    }
}

fn found(report: &Report) -> Found {
    let issues = report.iter();
    Found::new(
        issues
            .map(|(path, error)| (steps(path), error.message().to_owned()))
            .collect(),
    )
}

/// The parts of a path: serde is given them as pairs of a kind and a text.
fn steps(path: &Path) -> Vec<Step> {
    let parts = serde_json::to_value(path)
        .and_then(serde_json::from_value::<Vec<(String, String)>>)
        .unwrap_or_default();
    parts
        .into_iter()
        .filter_map(|(kind, text)| match kind.as_str() {
            "index" => Some(
                text.parse()
                    .map_or_else(|_| Step::field(&text), Step::Index),
            ),
            // What is inside of an `Option`.
            "none" => None,
            _ => Some(Step::field(&text)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use garde::{Error, Path, Report};

    use crate::{Issue, Issues};

    #[test]
    fn issues_are_told_in_the_order_of_their_paths() {
        let mut report = Report::new();
        let items = Path::new("items");
        report.append(items.join(10_usize).join("name"), Error::new("too short"));
        report.append(items.join(2_usize).join("name"), Error::new("too short"));
        report.append(items, Error::new("too many"));
        report.append(Path::empty(), Error::new("none of it"));
        report.append(
            Path::new("r#type").join(garde::error::NoKey::default()),
            Error::new("unknown"),
        );
        let issues = Issues::from(report);
        let expected = [
            Issue::of_all("none of it"),
            Issue::new("items", "too many"),
            Issue::new("items[2].name", "too short"),
            Issue::new("items[10].name", "too short"),
            Issue::new("type", "unknown"),
        ];
        assert!(issues.iter().eq(&expected), "{issues:?}");
    }
}
