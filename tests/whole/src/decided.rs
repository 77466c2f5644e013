//! Routes with decisions, and the guards that enforce them.

use znight::prelude::*;

/// Open to these people.
pub(crate) const FOR: Decision<&[&str]> = Decision::new("for").group("entry");

impl House {
    /// Open to everybody.
    pub(crate) const OPEN: Decision = Decision::flag("open").group("entry");
    /// What the house is for.
    const FRIENDS: &'static [&'static str] = &["ada", "grace"];
}

/// How many may come, enforced by a guard in front of the house.
pub(crate) const CROWD: Decision<u32> = Decision::new("house:crowd");

/// Asks who comes.
#[injectable]
struct Porter;

impl Guard for Porter {
    const ENFORCES: &'static [&'static dyn AnyDecision] = &[&FOR, &House::OPEN, &CROWD];

    async fn allow(&self, ctx: &HttpContext) -> Result<(), HttpError> {
        if CROWD.get(ctx).is_some_and(|most| *most == 0) {
            return Err(HttpError::too_many_requests("it is full"));
        }
        if House::OPEN.is_set(ctx) {
            return Ok(());
        }
        let names = FOR.get(ctx).copied().unwrap_or_default();
        match ctx.header("x-name") {
            Some(name) if names.contains(&name) => Ok(()),
            _ => Err(HttpError::forbidden(format!("for {}", names.join(", ")))),
        }
    }
}

struct House;

#[controller("/house")]
#[guard(Porter)]
#[decide(FOR = House::FRIENDS, CROWD = 1 + 1)]
impl House {
    #[get]
    async fn inside(&self) -> &'static str {
        "inside"
    }

    #[get("/garden")]
    #[head("/garden/gate")]
    #[decide(Self::OPEN)]
    async fn garden(&self) -> &'static str {
        "garden"
    }

    #[get("/attic")]
    #[decide(FOR = &["ada"])]
    #[decide(crate::decided::CROWD = 1)]
    fn attic(&self) -> &'static str {
        "attic"
    }

    #[get("/cellar")]
    #[decide(CROWD = u32::MIN)]
    fn cellar(&self) -> &'static str {
        "cellar"
    }
}
