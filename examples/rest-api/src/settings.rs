//! What the environment tells the service.

use std::{env, path::PathBuf};

use znight::prelude::*;

use crate::ApiKey;

/// What the environment tells the service. Tests put values of their own in its place.
#[derive(Debug)]
pub struct Settings {
    /// The port to listen on, from `PORT`; 0 takes a free one. Default: 3000.
    pub port: u16,
    /// The file of the database, from `BOOKSHELF_DB`. Default: `bookshelf.db` in the directory for
    /// temporary files.
    pub database: PathBuf,
    /// What may change the bookshelf, from `BOOKSHELF_API_KEY`. Default:
    /// [`ApiKey::development`].
    pub api_key: ApiKey,
    /// The web pages that may use the service from a browser, from `BOOKSHELF_ORIGINS`, with commas between
    /// them: `https://shelf.example.com`. Default: none.
    pub origins: Vec<String>,
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{name} is {value:?}: {expected}")]
pub struct SettingsError {
    name: &'static str,
    value: String,
    expected: &'static str,
}

#[injectable]
impl Settings {
    fn new() -> Result<Self, SettingsError> {
        Self::read(|name| env::var(name).ok())
    }

    /// The settings in these variables. An empty one counts as absent.
    fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        let variable = |name| variable(name).filter(|value| !value.is_empty());
        let port = match variable("PORT") {
            None => 3000,
            Some(value) => value.parse().map_err(|_| SettingsError {
                name: "PORT",
                value,
                expected: "a number from 0 to 65535 is expected",
            })?,
        };
        let database = variable("BOOKSHELF_DB")
            .map_or_else(|| env::temp_dir().join("bookshelf.db"), PathBuf::from);
        let api_key = variable("BOOKSHELF_API_KEY").map_or_else(ApiKey::development, ApiKey::new);
        let origins = variable("BOOKSHELF_ORIGINS")
            .map(|origins| {
                origins
                    .split(',')
                    .map(|origin| origin.trim().to_owned())
                    .collect()
            })
            .unwrap_or_default();
        Ok(Self {
            port,
            database,
            api_key,
            origins,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{env, path::Path};

    use super::{Settings, SettingsError};

    fn read(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        Settings::read(|name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn everything_has_a_default_and_empty_variables_count_as_absent() {
        for variables in [
            &[] as &[_],
            &[
                ("PORT", ""),
                ("BOOKSHELF_DB", ""),
                ("BOOKSHELF_API_KEY", ""),
            ],
        ] {
            let settings = read(variables).unwrap();
            assert_eq!(settings.port, 3000);
            assert_eq!(settings.database, env::temp_dir().join("bookshelf.db"));
            assert!(settings.api_key.is_development());
            assert!(settings.origins.is_empty());
        }
    }

    #[test]
    fn variables_win_over_defaults() {
        let settings = read(&[
            ("PORT", "0"),
            ("BOOKSHELF_DB", "shelf.db"),
            ("BOOKSHELF_API_KEY", "secret"),
            ("BOOKSHELF_ORIGINS", "https://a.example, https://b.example"),
        ])
        .unwrap();
        assert_eq!(settings.port, 0);
        assert_eq!(settings.database, Path::new("shelf.db"));
        assert!(settings.api_key.matches("secret"));
        assert_eq!(settings.origins, ["https://a.example", "https://b.example"]);
        assert!(!format!("{settings:?}").contains("secret"));
    }

    #[test]
    fn a_port_that_is_none_is_refused() {
        let error = read(&[("PORT", "http")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"PORT is "http": a number from 0 to 65535 is expected"#
        );
    }
}
