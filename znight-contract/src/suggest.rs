//! "Did you mean": the closest known name to one that is not known.

/// The candidate closest to `wrong`, when it is close enough to be a slip: at most a third of the
/// longer name edited, compared without regard to case. Ties go to the first candidate.
pub fn closest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            let distance = distance(&wrong, &candidate.to_lowercase());
            let longest = wrong.chars().count().max(candidate.chars().count());
            (distance, longest, candidate)
        })
        .filter(|(distance, longest, _)| distance * 3 <= *longest.max(&3))
        .min_by_key(|(distance, ..)| *distance)
        .map(|(.., candidate)| candidate)
}

/// Edits (insert, remove, replace, swap neighbours) that turn one name into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let scopes = ["singleton", "request", "transient"];
        assert_eq!(closest("singelton", scopes), Some("singleton"));
        assert_eq!(closest("Request", scopes), Some("request"));
        assert_eq!(closest("global", scopes), None);
        assert_eq!(closest("x", []), None);
    }
}
