//! Which process answers.

use znight::prelude::*;

struct Process;

#[controller("/process")]
impl Process {
    #[get]
    async fn id(&self) -> u32 {
        std::process::id()
    }
}
