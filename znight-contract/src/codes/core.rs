//! The pages of `ZNIGHT001` to `ZNIGHT029`.

macro_rules! pages {
    ($($name:ident = $file:literal;)*) => {
        $(pub(super) const $name: &str = include_str!(concat!("pages/", $file, ".md"));)*
    };
}

pages! {
    MISSING_PROVIDER = "znight001";
    CIRCULAR_DEPENDENCY = "znight002";
    SCOPE_MISMATCH = "znight003";
    DUPLICATE_PROVIDER = "znight004";
    INVALID_ATTRIBUTE = "znight005";
    INVALID_ROUTE = "znight007";
    AMBIGUOUS_INJECTION = "znight008";
    INVALID_LIFECYCLE = "znight009";
    UNRESOLVABLE_INJECTION = "znight010";
    OUTSIDE_REQUEST_SCOPE = "znight013";
    ASYNC_NON_SINGLETON = "znight014";
    INSTANTIATION_FAILED = "znight015";
    CONTAINER_SEALED = "znight016";
    UNVALIDATED_INPUT = "znight017";
    VERSION_MISMATCH = "znight018";
    UNUSED_PROVIDER = "znight019";
    RESERVED = "znight020";
    LIFECYCLE_FAILED = "znight021";
    SYNTAX_ERROR = "znight022";
    MISSING_DECISION = "znight023";
}
