//! Short names of types and tokens for messages.

/// The display name of a token or a type: every path in it reduced to its last segment.
///
/// `shop::repo::Repository<shop::users::User>` becomes `Repository<User>`. For a method of a
/// factory the last two segments are its name: see [`method`].
pub fn short(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut segment_start = 0;
    let mut in_version = false;
    let mut chars = path.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_path = c == ':' && path[at..].starts_with("::");
        // A crate may have its version beside it: `auth@1.2.0-rc.1::Jwt`.
        in_version = !is_path && (in_version || c == '@');
        let part_of_name = c.is_alphanumeric() || c == '_' || c == '#';
        if is_path {
            chars.next();
            if out.ends_with('>') {
                // What stands before is no path: `<T as Iterator>::Item`.
                out.push_str("::");
                segment_start = out.len();
            } else {
                out.truncate(segment_start);
            }
        } else if part_of_name || in_version {
            out.push(c);
        } else {
            out.push(c);
            segment_start = out.len();
        }
    }
    out
}

/// The display name of a method: type and method, `DbFactory::create_pool`.
pub fn method(path: &str) -> String {
    match path.rsplit_once("::") {
        Some((owner, method)) => format!("{}::{method}", short(owner)),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{method, short};

    #[test]
    fn paths_are_reduced_inside_arguments_too() {
        assert_eq!(short("shop::users::UserService"), "UserService");
        assert_eq!(
            short("a::Repository<b::User, alloc::vec::Vec<c::Id>>"),
            "Repository<User, Vec<Id>>"
        );
        assert_eq!(short("dyn shop::users::Repo"), "dyn Repo");
        assert_eq!(
            short("<a::T as b::Iterator>::Item"),
            "<T as Iterator>::Item"
        );
        assert_eq!(short("plain"), "plain");
        assert_eq!(
            short("auth@1.2.0-rc.1+a::Keys<auth@2.0.0::k::Key, u8>"),
            "Keys<Key, u8>"
        );
        assert_eq!(method("shop::db::DbFactory::pool"), "DbFactory::pool");
    }
}
