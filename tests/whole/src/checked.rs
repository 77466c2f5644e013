//! Input that is validated: by both validators, and by schemas.

use std::{collections::BTreeMap, sync::LazyLock};

use garde::Validate;
use jiff::{Timestamp, civil};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use znight::{HttpResponse, Issue, Issues, Schema, controller};

/// garde's, with every way a name may change on the way.
#[derive(Debug, Serialize, Deserialize, Validate)]
#[serde(rename_all = "camelCase")]
struct Booking {
    #[garde(length(min = 2))]
    guest_name: String,
    #[serde(rename = "from")]
    #[garde(inner(length(min = 1)))]
    arrives_from: Option<String>,
    #[garde(dive)]
    #[serde(default)]
    room_wishes: Vec<Wish>,
    #[garde(dive)]
    #[serde(flatten)]
    stay: Stay,
    #[garde(dive)]
    #[serde(default)]
    by_day: BTreeMap<String, Option<Wish>>,
}

#[derive(Debug, Serialize, Deserialize, Validate)]
struct Wish {
    #[serde(rename(deserialize = "floorNumber"))]
    #[garde(range(max = 9))]
    floor: u8,
    #[garde(dive)]
    code: Option<Code>,
    #[garde(dive)]
    #[serde(rename = "otherwise")]
    second: Option<Box<Self>>,
}

/// Nothing of it shows on the wire.
#[derive(Debug, Serialize, Deserialize, Validate)]
struct Code(#[garde(length(equal = 3))] String);

#[derive(Debug, Serialize, Deserialize, Validate)]
struct Stay {
    #[serde(rename = "nights")]
    #[garde(range(min = 1))]
    r#for: u8,
}

/// `validator`'s.
#[derive(Debug, Serialize, Deserialize, validator::Validate)]
#[serde(rename_all = "kebab-case")]
struct Filter {
    #[validate(range(min = 1, max = 5))]
    number_of_stars: u8,
    #[validate(length(min = 3))]
    near_to: Option<String>,
}

/// What `#[query(schema = ..)]` makes of a text.
#[derive(Debug, Serialize)]
struct Words(Vec<String>);

struct Split(char);

impl Schema<Words> for Split {
    type Input = String;

    async fn validate(&self, input: String) -> Result<Words, Issues> {
        let words: Vec<String> = input.split(self.0).map(str::to_owned).collect();
        if words.iter().any(String::is_empty) {
            return Err(Issue::of_all("expected no empty words").into());
        }
        Ok(Words(words))
    }
}

impl Checked {
    const COMMAS: Split = Split(',');
}

/// A schema of any JSON that is made once: it knows the keys that there must be.
struct Keys(&'static [&'static str]);

static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys(&["a", "b"]));

impl Schema<usize> for Keys {
    type Input = Value;

    async fn validate(&self, input: Value) -> Result<usize, Issues> {
        let missing = self.0.iter().filter(|key| input.get(key).is_none());
        let issues: Issues = missing.map(|key| Issue::new(*key, "missing")).collect();
        issues.or(self.0.len())
    }
}

struct Checked;

#[controller("/checked")]
impl Checked {
    #[post("/bookings")]
    async fn book(&self, #[body] booking: Booking) -> HttpResponse<Booking> {
        HttpResponse::ok(booking)
    }

    #[put("/bookings")]
    async fn book_all(&self, #[body] bookings: Option<Vec<Booking>>) -> String {
        bookings.map_or(0, |bookings| bookings.len()).to_string()
    }

    #[get("/hotels")]
    async fn hotels(&self, #[query(flatten)] filter: Filter) -> Filter {
        filter
    }

    #[get("/words/{list}")]
    fn words(
        &self,
        #[param(schema = Split('-'))] list: Words,
        #[query("q", default = "one,two".to_owned(), schema = Self::COMMAS)] query: Words,
        #[headers("x-words", schema = Self::COMMAS)] header: Words,
    ) -> [Words; 3] {
        [list, query, header]
    }

    #[post("/keys/{count}")]
    async fn keys(
        &self,
        #[body(schema = KEYS)] keys: usize,
        #[param] count: u8,
    ) -> HttpResponse<usize> {
        HttpResponse::ok(keys + usize::from(count))
    }

    #[get("/days")]
    async fn days(
        &self,
        #[query] at: Timestamp,
        #[query] on: Option<civil::Date>,
        #[query("t")] times: Vec<civil::Time>,
    ) -> String {
        format!("{at} {on:?} {times:?}")
    }
}
