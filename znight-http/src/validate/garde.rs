//! Input whose type implements `garde::Validate`.

use garde::{Path, Report, Validate};

use super::{
    path::{Found, Step},
    refuse,
};
use crate::{HttpError, args::Tag, definition::ParamSource, issues::Issues, rq::Rq};

/// A type that garde checks, an `Option` or a `Vec` of one included: garde knows these itself. One
/// whose context has no default is none.
pub trait ByGarde<T> {
    /// Checks a value.
    ///
    /// # Errors
    /// 400 with all that is wrong.
    fn check(&self, value: &T, rq: &Rq, part: ParamSource, index: u32) -> Result<(), HttpError>;
}

impl<T> ByGarde<T> for &&Tag<T>
where
    T: Validate,
    T::Context: Default,
{
    fn check(&self, value: &T, rq: &Rq, part: ParamSource, index: u32) -> Result<(), HttpError> {
        match value.validate() {
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
