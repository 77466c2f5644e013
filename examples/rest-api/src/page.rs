//! Lists, one page at a time.

use garde::Validate;
use serde::{Deserialize, Serialize};

/// Which page a query asks for.
#[derive(Debug, Deserialize, Validate)]
#[serde(default)]
pub(crate) struct PageQuery {
    #[garde(range(min = 1))]
    page: u32,
    #[garde(range(min = 1, max = PageRequest::LARGEST))]
    per_page: u32,
}

impl Default for PageQuery {
    fn default() -> Self {
        Self {
            page: 1,
            per_page: 20,
        }
    }
}

/// One page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    page: u32,
    per_page: u32,
}

impl PageRequest {
    /// The most items on one page.
    pub const LARGEST: u32 = 100;

    /// How many items come before the page.
    pub fn offset(self) -> u64 {
        u64::from(self.page.saturating_sub(1)) * u64::from(self.per_page)
    }

    /// How many items the page has at most.
    pub fn limit(self) -> u32 {
        self.per_page
    }

    /// The page with these items, of a list of `total`.
    pub fn of<T>(self, items: Vec<T>, total: u64) -> Page<T> {
        Page {
            items,
            page: self.page,
            per_page: self.per_page,
            total,
        }
    }
}

impl From<PageQuery> for PageRequest {
    fn from(PageQuery { page, per_page }: PageQuery) -> Self {
        Self { page, per_page }
    }
}

/// One page of a list, and how long the list is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Page<T> {
    /// The items of the page.
    pub items: Vec<T>,
    /// The number of the page, from 1.
    pub page: u32,
    /// How many items a page has at most.
    pub per_page: u32,
    /// How many items the whole list has.
    pub total: u64,
}

#[cfg(test)]
mod tests {
    use garde::Validate as _;

    use super::{PageQuery, PageRequest};

    fn request(page: u32, per_page: u32) -> Option<PageRequest> {
        let query = PageQuery { page, per_page };
        query.validate().is_ok().then(|| query.into())
    }

    #[test]
    fn pages_count_from_one_and_are_limited() {
        assert!(request(0, 20).is_none());
        assert!(request(1, 0).is_none());
        assert!(request(1, 101).is_none());
        let third = request(3, 100).unwrap();
        assert_eq!((third.offset(), third.limit()), (200, 100));
        let last = request(u32::MAX, 100).unwrap();
        assert_eq!(last.offset(), 429_496_729_400);
    }
}
