//! Facts that are kept: a file whose text is the same says the same.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    path::Path,
    rc::Rc,
};

use super::{
    FileFacts, Names,
    flat::{self, Flat as _, Input},
    read,
};
use crate::{
    extension::Extensions,
    source::{self, Sources},
};

/// What the bytes of a cache start with: the format belongs to this version alone.
const HEAD: &str = concat!("znight facts ", env!("CARGO_PKG_VERSION"), " 6");

/// The facts of files by their paths, each with the text it was read from.
#[derive(Debug, Default, Clone)]
pub struct Cache {
    /// The extensions that have read them.
    readers: String,
    files: BTreeMap<String, Rc<Kept>>,
}

/// What is kept of one file.
#[derive(Debug)]
struct Kept {
    text: String,
    facts: Vec<u8>,
    /// That of the facts: a disk that was full or a build that was killed may leave others.
    sum: u64,
}

/// A number that another text of bytes hardly has, and none that differs in one place. It is quick without
/// optimisation, as build scripts are.
fn sum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| (sum.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    let mut words = bytes.chunks_exact(8);
    let mut found = bytes.len() as u64;
    for word in &mut words {
        found = mix(found, word.try_into().map_or(0, u64::from_le_bytes));
    }
    words
        .remainder()
        .iter()
        .fold(found, |sum, byte| mix(sum, u64::from(*byte)))
}

impl Cache {
    /// What these bytes hold; nothing when another version wrote them.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Input::new(bytes)).unwrap_or_default()
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        if input.text()? != HEAD {
            return None;
        }
        let readers = input.text()?.to_owned();
        let mut files = BTreeMap::new();
        while !input.is_empty() {
            let path = input.text()?.to_owned();
            let text = input.text()?.to_owned();
            let length = usize::read(input)?;
            let facts = input.bytes(length)?.to_vec();
            let sum = u64::read(input)?;
            files.insert(path, Rc::new(Kept { text, facts, sum }));
        }
        Some(Self { readers, files })
    }

    /// The bytes to keep.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        flat::text(HEAD, &mut out);
        flat::text(&self.readers, &mut out);
        for (path, kept) in &self.files {
            flat::text(path, &mut out);
            flat::text(&kept.text, &mut out);
            kept.facts.len().write(&mut out);
            out.extend_from_slice(&kept.facts);
            kept.sum.write(&mut out);
        }
        out
    }
}

/// Reads files and their facts, by way of a cache.
#[derive(Debug)]
pub struct Files<'a> {
    sources: &'a dyn Sources,
    names: Names,
    before: Option<&'a Cache>,
    after: RefCell<Cache>,
    parsed: Cell<usize>,
}

impl<'a> Files<'a> {
    /// The files of these sources, with what an earlier analysis kept of them.
    pub fn new(sources: &'a dyn Sources, before: &'a Cache, extensions: &Extensions) -> Self {
        let readers = extensions.key();
        Self {
            sources,
            names: Names::new(extensions),
            // What other extensions have read is of no use.
            before: Some(before).filter(|before| before.readers == readers),
            after: RefCell::new(Cache {
                readers,
                files: BTreeMap::new(),
            }),
            parsed: Cell::default(),
        }
    }

    /// Where the files come from.
    pub fn sources(&self) -> &'a dyn Sources {
        self.sources
    }

    /// What a file says; none when there is no such file.
    pub fn facts(&self, path: &Path) -> Option<FileFacts> {
        let text = self.sources.read(path)?;
        let key = source::display(path);
        let is_same = |kept: &&Rc<Kept>| kept.text == text && kept.sum == sum(&kept.facts);
        let known = self.before.and_then(|before| before.files.get(&key));
        let known = known.filter(is_same);
        if let Some(kept) = known
            && let Some(facts) = FileFacts::from_bytes(&kept.facts)
        {
            self.after.borrow_mut().files.insert(key, Rc::clone(kept));
            return Some(facts);
        }
        self.parsed.set(self.parsed.get() + 1);
        let facts = read(&text, &self.names);
        let bytes = facts.to_bytes();
        let kept = Kept {
            text,
            sum: sum(&bytes),
            facts: bytes,
        };
        self.after.borrow_mut().files.insert(key, Rc::new(kept));
        Some(facts)
    }

    /// The names attributes are taken by.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// What a file says when further names are taken for attributes of ours.
    pub fn read_again(&self, path: &Path, names: &Names) -> Option<FileFacts> {
        Some(read(&self.sources.read(path)?, names))
    }

    /// How many files had to be parsed.
    pub fn parsed(&self) -> usize {
        self.parsed.get()
    }

    /// What to keep for the next analysis: the files of this one.
    pub fn into_cache(self) -> Cache {
        self.after.into_inner()
    }
}
