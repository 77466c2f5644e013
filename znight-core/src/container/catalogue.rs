//! The providers of a graph, to be found without a container.

use std::any::TypeId;

use znight_contract::{ErrorCode, suggest};

use super::{
    Container,
    slot::Slot,
    types::{Candidates, Choice, ambiguous, by_token},
};
use crate::{error::Error, graph::Graph, names};

/// The providers of a graph by type, name and token; each is told by its index in the graph.
#[derive(Debug)]
pub struct Catalogue {
    slots: Vec<Slot>,
    candidates: Candidates,
}

impl Catalogue {
    /// Of a graph.
    ///
    /// # Errors
    /// ZNIGHT018 when the graph was written by a compiler of another release line.
    pub fn new(graph: Graph) -> Result<Self, Error> {
        Container::new(graph)?;
        let slots: Vec<Slot> = graph.data().providers.iter().map(Slot::of_entry).collect();
        Ok(Self {
            candidates: Candidates::new(graph, &slots),
            slots,
        })
    }

    /// The provider for a type, of that name if one is given: what the container would hand out.
    ///
    /// # Errors
    /// ZNIGHT001 without a provider, ZNIGHT008 with several of which none is primary.
    pub fn find(&self, type_id: TypeId, type_name: &str, name: Option<&str>) -> Result<u32, Error> {
        let choice = match name {
            Some(name) => self.candidates.choose_named(&self.slots, type_id, name),
            None => self.candidates.choose(&self.slots, type_id),
        };
        let short = names::short(type_name);
        let wanted = match name {
            Some(name) => format!("{short} named {name:?}"),
            None => short.clone(),
        };
        match choice {
            Choice::One(id) => Ok(id),
            Choice::Several(several) => Err(ambiguous(&self.slots, &wanted, &several)),
            Choice::Nobody => Err(self.unknown(&wanted, &short)),
        }
    }

    /// Every provider for a type, of that name if one is given.
    pub fn all(&self, type_id: TypeId, name: Option<&str>) -> Vec<u32> {
        let mut all = self.candidates.all(type_id);
        all.retain(|id| name.is_none() || self.slots[*id as usize].name == name);
        all
    }

    /// The provider with a token, or with a display name that only one has, which has to be handed
    /// out as a type.
    ///
    /// # Errors
    /// ZNIGHT001 without a provider or with one of another type, ZNIGHT008 with several.
    pub fn find_by_token(
        &self,
        token: &str,
        type_id: TypeId,
        type_name: &str,
    ) -> Result<u32, Error> {
        let id = by_token(&self.slots, token)?.ok_or_else(|| self.unknown(token, token))?;
        self.slots[id as usize].handed_out_as(type_id, type_name)?;
        Ok(id)
    }

    fn unknown(&self, wanted: &str, short: &str) -> Error {
        let error = Error::new(
            ErrorCode::MissingProvider,
            format!("no provider for {wanted} in the graph"),
        );
        let names = self.slots.iter().map(|slot| &*slot.display);
        match suggest::closest(short, names) {
            Some(close) if close != short => error.with_hint(format!("there is {close}")),
            _ => error,
        }
    }
}
