//! What is wrong with an item, collected rather than returned: all problems are reported at once.

use proc_macro2::Span;
use quote::ToTokens;
use znight_contract::{ErrorCode, codes::Severity};

use crate::check::Finding;

/// One problem, at a run of tokens.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Its code.
    pub code: ErrorCode,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, one phrase in lower case without the code.
    pub message: String,
    /// What to do about it, each a phrase.
    pub hints: Vec<String>,
    /// The first token that is wrong.
    pub first: Span,
    /// The last token that is wrong.
    pub last: Span,
}

impl Problem {
    /// Adds a way out.
    pub fn hint(&mut self, hint: impl Into<String>) -> &mut Self {
        self.hints.push(hint.into());
        self
    }
}

/// The problems of one item, in the order they were found.
#[derive(Debug, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// No problems yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports an error at the tokens of a node.
    pub fn error(
        &mut self,
        code: ErrorCode,
        at: &impl ToTokens,
        message: impl Into<String>,
    ) -> &mut Problem {
        let (first, last) = ends(at);
        self.push(Problem {
            code,
            severity: Severity::Error,
            message: message.into(),
            hints: Vec::new(),
            first,
            last,
        })
    }

    /// Reports a misuse of an attribute (ZNIGHT005).
    pub fn misuse(&mut self, at: &impl ToTokens, message: impl Into<String>) -> &mut Problem {
        self.error(ErrorCode::InvalidAttribute, at, message)
    }

    /// Reports what a rule finds wrong with a value.
    pub fn finding(&mut self, at: &impl ToTokens, finding: Finding) {
        self.error(finding.code, at, finding.message).hints = finding.hints;
    }

    /// Reports what syn could not read of an attribute's arguments.
    pub fn syntax(&mut self, error: &syn::Error) {
        for error in error.clone() {
            self.push(Problem {
                code: ErrorCode::InvalidAttribute,
                severity: Severity::Error,
                message: error.to_string(),
                hints: Vec::new(),
                first: error.span(),
                last: error.span(),
            });
        }
    }

    /// Takes them all.
    pub fn into_vec(self) -> Vec<Problem> {
        self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn push(&mut self, problem: Problem) -> &mut Problem {
        self.0.push(problem);
        self.0.last_mut().expect("invariant: just pushed")
    }
}

/// The spans of the first and the last token of a node; the call site when it has none.
pub fn ends(node: &impl ToTokens) -> (Span, Span) {
    let mut tokens = node.to_token_stream().into_iter();
    let Some(first) = tokens.next() else {
        return (Span::call_site(), Span::call_site());
    };
    let last = tokens.last().unwrap_or_else(|| first.clone());
    let open = |tree: &proc_macro2::TokenTree| match tree {
        proc_macro2::TokenTree::Group(group) => group.span_open(),
        other => other.span(),
    };
    let close = |tree: &proc_macro2::TokenTree| match tree {
        proc_macro2::TokenTree::Group(group) => group.span_close(),
        other => other.span(),
    };
    (open(&first), close(&last))
}
