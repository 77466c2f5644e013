//! Input whose type implements `validator::Validate`.

use std::{borrow::Cow, collections::BTreeMap};

use serde_json::Value;
use validator::{Validate, ValidationError, ValidationErrors, ValidationErrorsKind};

use super::{
    path::{Found, Step},
    refuse,
};
use crate::{HttpError, args::Tag, definition::ParamSource, issues::Issues, rq::Rq};

/// The name under which the whole of a struct is reported.
const WHOLE: &str = "__all__";
/// The name under which collections report their elements.
const ELEMENTS: &str = "_tmp_validator";

/// A type that `validator` checks, a `Vec` of one included: `validator` knows that itself.
pub trait ByValidator<T> {
    /// Checks a value.
    ///
    /// # Errors
    /// 400 with all that is wrong.
    fn check(&self, value: &T, rq: &Rq, part: ParamSource, index: u32) -> Result<(), HttpError>;
}

impl<T: Validate> ByValidator<T> for &Tag<T> {
    fn check(&self, value: &T, rq: &Rq, part: ParamSource, index: u32) -> Result<(), HttpError> {
        match value.validate() {
            Ok(()) => Ok(()),
            Err(errors) => Err(refuse(found(errors), rq, part, index)),
        }
    }
}

/// An `Option` of a type that `validator` checks.
pub trait ByValidatorIfAny<T> {
    /// Checks the value there is.
    ///
    /// # Errors
    /// 400 with all that is wrong.
    fn check(
        &self,
        value: &Option<T>,
        rq: &Rq,
        part: ParamSource,
        index: u32,
    ) -> Result<(), HttpError>;
}

impl<T: Validate> ByValidatorIfAny<T> for &Tag<Option<T>> {
    fn check(
        &self,
        value: &Option<T>,
        rq: &Rq,
        part: ParamSource,
        index: u32,
    ) -> Result<(), HttpError> {
        match value {
            Some(value) => (&Tag::<T>::NEW).check(value, rq, part, index),
            None => Ok(()),
        }
    }
}

impl From<ValidationErrors> for Issues {
    fn from(errors: ValidationErrors) -> Self {
        found(errors).into_issues()
    }
}

fn found(errors: ValidationErrors) -> Found {
    let mut found = Vec::new();
    of_struct(errors, &[], &mut found);
    Found::new(found)
}

fn of_struct(errors: ValidationErrors, at: &[Step], found: &mut Vec<(Vec<Step>, String)>) {
    // The map hands them out in another order every time.
    let fields: BTreeMap<_, _> = errors.into_errors().into_iter().collect();
    for (name, kind) in fields {
        let mut path = at.to_vec();
        if name != WHOLE && name != ELEMENTS {
            path.push(Step::field(&name));
        }
        match kind {
            ValidationErrorsKind::Struct(errors) => of_struct(*errors, &path, found),
            ValidationErrorsKind::List(elements) => {
                for (index, errors) in elements {
                    path.push(Step::Index(index));
                    of_struct(*errors, &path, found);
                    path.pop();
                }
            }
            ValidationErrorsKind::Field(errors) => {
                let errors = errors.iter();
                found.extend(errors.map(|error| (path.clone(), message(error).into_owned())));
            }
        }
    }
}

/// What is wrong, without what was sent: an error carries it among its parameters, and shows them all
/// where it has no message of its own.
fn message(error: &ValidationError) -> Cow<'static, str> {
    if let Some(message) = &error.message {
        return message.clone();
    }
    let bound = |name: &str| error.params.get(name).filter(|bound| bound.is_number());
    match &*error.code {
        "length" => match (bound("equal"), bound("min"), bound("max")) {
            (Some(equal), ..) => format!("expected a length of {equal}").into(),
            (_, min, max) => within("a length", "of at least", "of at most", min, max),
        },
        "range" => {
            let (above, below) = (bound("exclusive_min"), bound("exclusive_max"));
            match (above, below) {
                (None, None) => within(
                    "a number",
                    "of at least",
                    "of at most",
                    bound("min"),
                    bound("max"),
                ),
                _ => within(
                    "a number",
                    if above.is_some() {
                        "above"
                    } else {
                        "of at least"
                    },
                    if below.is_some() {
                        "below"
                    } else {
                        "of at most"
                    },
                    above.or_else(|| bound("min")),
                    below.or_else(|| bound("max")),
                ),
            }
        }
        "email" => Cow::Borrowed("expected an e-mail address"),
        "url" => Cow::Borrowed("expected a URL"),
        "ip" => Cow::Borrowed("expected an IP address"),
        "ipv4" => Cow::Borrowed("expected an IPv4 address"),
        "ipv6" => Cow::Borrowed("expected an IPv6 address"),
        "credit_card" => Cow::Borrowed("expected the number of a credit card"),
        "required" => Cow::Borrowed("expected a value"),
        "non_control_character" => Cow::Borrowed("expected no control characters"),
        code => Cow::Owned(format!("the value is not valid: {code}")),
    }
}

/// As in `expected a length of at least 2 and of at most 5`.
fn within(
    what: &str,
    least: &str,
    most: &str,
    min: Option<&Value>,
    max: Option<&Value>,
) -> Cow<'static, str> {
    match (min, max) {
        (Some(min), Some(max)) => format!("expected {what} {least} {min} and {most} {max}"),
        (Some(min), None) => format!("expected {what} {least} {min}"),
        (None, Some(max)) => format!("expected {what} {most} {max}"),
        (None, None) => format!("expected another {}", what.trim_start_matches("a ")),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use validator::ValidationError;

    use super::message;

    fn error(code: &'static str, params: &[(&'static str, i64)]) -> ValidationError {
        let mut error = ValidationError::new(code);
        error.add_param(Cow::Borrowed("value"), &"secret");
        error.add_param(Cow::Borrowed("other"), &"secret");
        for (name, value) in params {
            error.add_param(Cow::Borrowed(name), value);
        }
        error
    }

    #[test]
    fn messages_say_what_is_expected_and_nothing_of_what_was_sent() {
        for (code, params, expected) in [
            (
                "length",
                &[("min", 2), ("max", 5)][..],
                "expected a length of at least 2 and of at most 5",
            ),
            ("length", &[("min", 2)], "expected a length of at least 2"),
            ("length", &[("max", 5)], "expected a length of at most 5"),
            ("length", &[("equal", 5)], "expected a length of 5"),
            ("length", &[], "expected another length"),
            (
                "range",
                &[("min", 1), ("max", 9)],
                "expected a number of at least 1 and of at most 9",
            ),
            (
                "range",
                &[("exclusive_min", 1)],
                "expected a number above 1",
            ),
            (
                "range",
                &[("min", 1), ("exclusive_max", 9)],
                "expected a number of at least 1 and below 9",
            ),
            ("email", &[], "expected an e-mail address"),
            ("must_match", &[], "the value is not valid: must_match"),
            ("taken", &[], "the value is not valid: taken"),
        ] {
            assert_eq!(message(&error(code, params)), expected);
        }
        let own = error("email", &[]).with_message(Cow::Borrowed("one at example.org"));
        assert_eq!(message(&own), "one at example.org");
    }

    #[test]
    fn a_bound_that_is_a_text_is_not_told() {
        let mut error = error("range", &[]);
        error.add_param(Cow::Borrowed("min"), &"secret");
        assert_eq!(message(&error), "expected another number");
    }
}
