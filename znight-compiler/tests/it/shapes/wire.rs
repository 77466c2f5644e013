//! Types that serde derives its traits for, each in one of the ways serde knows. The compiler reads this
//! file as well.

use std::{
    borrow::Cow,
    cell::Cell,
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    marker::PhantomData,
    num::NonZeroU16,
};

use serde::{Deserialize, Serialize};

pub(crate) const COUNT: usize = 1 + 1;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Book {
    pub(crate) first_title: String,
    #[serde(rename = "ISBN")]
    pub(crate) isbn: Isbn,
    pub(crate) sub_title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) note_text: Option<String>,
    #[serde(skip)]
    pub(crate) cached: u8,
    #[serde(skip_serializing, default = "default_secret")]
    pub(crate) secret: String,
    #[serde(skip_deserializing)]
    pub(crate) page_count: u32,
    #[cfg_attr(unix, serde(rename = "on-unix"))]
    #[cfg_attr(not(unix), serde(rename = "elsewhere"))]
    pub(crate) platform: bool,
    #[cfg(all(unix, not(unix)))]
    pub(crate) never: Never,
    pub(crate) r#type: char,
}

pub(crate) fn default_secret() -> String {
    "s".to_owned()
}

pub(crate) type Isbn = String;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Numbers<'a> {
    pub(crate) small: u8,
    pub(crate) large: i128,
    pub(crate) size: usize,
    pub(crate) real: f32,
    pub(crate) text: Cow<'a, str>,
    pub(crate) shared: Box<Cell<u64>>,
    pub(crate) array: [i16; COUNT],
    pub(crate) nested: Vec<[bool; 3]>,
    pub(crate) queue: VecDeque<Option<u8>>,
    pub(crate) set: BTreeSet<String>,
    pub(crate) map: HashMap<String, Vec<u8>>,
    pub(crate) keyed: BTreeMap<u8, ()>,
    pub(crate) pair: (u8, String),
    pub(crate) single: (u8,),
    pub(crate) unit: (),
    pub(crate) marker: PhantomData<u8>,
    pub(crate) non_zero: Option<NonZeroU16>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Newtype(pub(crate) Vec<u16>);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Point(
    pub(crate) i32,
    #[serde(skip)] pub(crate) u8,
    pub(crate) String,
);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Nothing;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Empty {}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct NoneInside();

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Transparent {
    #[serde(skip)]
    pub(crate) other: u8,
    pub(crate) inner: Option<i64>,
    pub(crate) marker: PhantomData<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "the-tagged")]
pub(crate) struct Tagged {
    pub(crate) value: u8,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
pub(crate) enum Plain {
    InStock,
    #[serde(rename = "gone", alias = "away")]
    SoldOut,
    #[serde(skip)]
    Secret,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "kebab-case")]
pub(crate) enum External {
    NoContent,
    OneValue(Newtype),
    SkippedValue(#[serde(skip)] u8),
    TwoValues(u8, String),
    #[serde(rename_all = "PascalCase")]
    OwnRule {
        first_field: u8,
    },
    NamedValues {
        first_field: u8,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        empty_list: Vec<u8>,
    },
    #[serde(untagged)]
    Anything(String),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Internal {
    Nothing,
    Wrapped(Tagged),
    Named { value: u8 },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
pub(crate) enum Adjacent {
    Nothing,
    One(u8),
    Two(u8, u8),
    Named { value: Box<Self> },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Untagged {
    Number(i64),
    Text(String),
    Pair(u8, u8),
    Named { value: u8 },
    Nothing,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) first: Option<Box<T>>,
    #[serde(flatten)]
    pub(crate) meta: Meta<T>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Meta<T> {
    pub(crate) total: u64,
    pub(crate) example: Option<T>,
    #[serde(flatten)]
    pub(crate) rest: BTreeMap<String, u8>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Tree {
    pub(crate) name: String,
    pub(crate) children: Vec<Tree>,
    pub(crate) parent: Option<Box<Self>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Flattened {
    pub(crate) id: u8,
    #[serde(flatten)]
    pub(crate) tagged: Tagged,
    #[serde(flatten)]
    pub(crate) internal: Internal,
    #[serde(flatten)]
    pub(crate) maybe: Option<Empty>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Email {
    pub(crate) address: String,
}

impl From<Email> for String {
    fn from(email: Email) -> Self {
        email.address
    }
}

impl TryFrom<String> for Email {
    type Error = &'static str;

    fn try_from(address: String) -> Result<Self, Self::Error> {
        if address.contains('@') {
            Ok(Self { address })
        } else {
            Err("no address")
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all(serialize = "camelCase", deserialize = "kebab-case"))]
pub(crate) struct Directions {
    pub(crate) first_name: String,
    #[serde(rename(serialize = "out", deserialize = "in"), alias = "inside")]
    pub(crate) last_name: String,
    #[serde(rename(deserialize = "second", deserialize = "third"))]
    pub(crate) given_name: String,
}

/// Behind a type that none of the conditions lets exist.
#[cfg(all(unix, not(unix)))]
pub(crate) struct Never;
