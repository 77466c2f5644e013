//! Writes `znight-http/src/handler/arities.rs`: one trait and two functions for each number of
//! arguments a handler may take.
//!
//! Written out rather than made by a macro, so that rustc's errors about a handler end at a function
//! and not in the expansion of a table.

use std::fmt::Write as _;

use crate::codegen::MARK_COMMENT;

/// Handlers take at most this many arguments; the macros take another way beyond.
const MOST: usize = 12;

/// The path of the file.
pub(crate) const PATH: &str = "znight-http/src/handler/arities.rs";

/// The text of the file.
pub(crate) fn text() -> String {
    let mut out = format!(
        "//! One trait and two functions for each number of arguments.\n\
         // {MARK_COMMENT}\n\n\
         use std::marker::PhantomData;\n\n\
         use super::{{Answer, Called, Finish, Finishing, OutTag}};\n"
    );
    for count in 0..=MOST {
        arity(&mut out, count);
    }
    out
}

fn arity(out: &mut String, count: usize) {
    let each = |print: &dyn Fn(usize) -> String| (0..count).map(print).collect::<String>();
    let types = each(&|n| format!(", A{n}"));
    let typed = each(&|n| format!(", a{n}: A{n}"));
    let values = each(&|n| format!(", a{n}"));
    // The receiver and the kind count as well.
    let many = |own: usize| {
        if count + own > 7 {
            "#[expect(clippy::too_many_arguments, reason = \"one for each of the handler\")]\n"
        } else {
            ""
        }
    };
    let (call_lint, free_lint) = (many(2), many(3));
    let indented = call_lint.replace('#', "    #");
    let _ = write!(
        out,
        r#"
/// A method of a controller with {count} arguments.
#[diagnostic::on_unimplemented(
    message = "this method cannot be a handler",
    note = "a handler takes `&self` and owned arguments"
)]
pub trait Handler{count}<'a, C: 'a{types}>: Send + 'static {{
    /// What it returns.
    type Out;
    /// Its future.
    type Fut: Future<Output = Self::Out> + 'a;
    /// Calls it.
{indented}    fn call(self, c: &'a C{typed}) -> Self::Fut;
}}

#[diagnostic::do_not_recommend]
impl<'a, C: 'a{types}, F, Fut> Handler{count}<'a, C{types}> for F
where
    F: FnOnce(&'a C{types}) -> Fut + Send + 'static,
    Fut: Future + 'a,
{{
    type Out = Fut::Output;
    type Fut = Fut;

    fn call(self, c: &'a C{typed}) -> Fut {{
        self(c{values})
    }}
}}

/// The return type of a method.
pub fn out{count}<C{types}, Out, F>(_: &F) -> OutTag<Out>
where
    C: 'static,
    F: for<'a> Handler{count}<'a, C{types}, Out = Out>,
{{
    OutTag(PhantomData)
}}

/// Calls a method and answers what it returns.
///
/// # Errors
/// Never: the signature is that of every call.
{free_lint}pub fn call{count}<'a, C{types}, F, K, M>(c: &'a C, method: F{typed}, _: K) -> Called<'a>
where
    F: Handler{count}<'a, C{types}>,
    // Apart from the trait, so that rustc tells what keeps the future on its thread.
    F::Fut: Send,
    F::Out: 'static,
    K: Finish<F::Out, M> + 'static,
    M: 'static,
{{
    Ok(Answer::Later(Box::pin(Finishing::<_, K, M> {{
        future: method.call(c{values}),
        kind: PhantomData,
    }})))
}}
"#
    );
}

#[cfg(test)]
mod tests {
    use super::{MOST, text};

    #[test]
    fn there_is_one_of_each_for_every_number_of_arguments() {
        let text = text();
        for part in ["pub trait Handler", "pub fn out", "pub fn call"] {
            assert_eq!(text.matches(part).count(), MOST + 1, "{part}");
        }
        assert!(text.contains("self(c, a0, a1)"), "{text}");
    }
}
