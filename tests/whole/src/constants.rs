//! Arguments that are constants, from this module and from others.

use std::sync::Arc;

use znight::prelude::*;

/// Rings at an hour.
#[derive(Debug)]
pub struct Bell(pub u32);

mod names {
    pub(super) const BELLS: [&str; 2] = ["noon", "night"];
    pub(super) const PER_REQUEST: &str = "request";
    pub(super) const ID: &str = concat!("/", "{id}");
}

/// Two bells by the names of a list.
struct Bells;

#[factory]
impl Bells {
    #[provides(name = names::BELLS[0])]
    fn noon() -> Bell {
        Bell(12)
    }

    #[provides(name = concat!(names::BELLS[1], "-", 1 + 1))]
    fn night() -> Bell {
        Bell(24)
    }
}

#[injectable(scope = names::PER_REQUEST)]
struct Times {
    #[inject(names::BELLS[0])]
    noon: Arc<Bell>,
    #[inject("night-2")]
    night: Arc<Bell>,
}

impl Times {
    /// Where they are told.
    const PATH: &'static str = if cfg_of_tests::ON { "/tests" } else { "/times" };
}

mod cfg_of_tests {
    #[cfg(test)]
    pub(super) const ON: bool = true;
    #[cfg(not(test))]
    pub(super) const ON: bool = false;
}

#[controller(Self::PATH)]
impl Times {
    #[get(names::ID)]
    async fn get(&self, id: u64) -> String {
        format!("{id}: {} and {}", self.noon.0, self.night.0)
    }
}

#[cfg(test)]
mod tests {
    use znight::HttpPlugin;
    use znight_testing::TestApp;

    #[tokio::test]
    async fn a_constant_of_the_tests_has_its_value_in_the_tests() -> Result<(), znight::BoxError> {
        let app = TestApp::builder(crate::graph())
            .plugin(HttpPlugin::default())
            .start()
            .await?;
        assert_eq!(app.get("/tests/7").await?.text(), "7: 12 and 24");
        assert_eq!(app.get("/times/7").await?.status(), 404);
        app.close().await?;
        Ok(())
    }
}
