//! TLS with rustls.

use std::{fmt, path::PathBuf, sync::Arc};

use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use tokio_rustls::rustls::{ServerConfig, crypto::ring};

use crate::policy::Problems;

/// The certificate the server shows, for [`HttpOptions::tls`](crate::HttpOptions::tls).
///
/// ```
/// use znight_http::{HttpOptions, Tls};
///
/// HttpOptions::new().port(8443).tls(Tls::pem_files("tls/chain.pem", "tls/key.pem"));
/// ```
///
/// TLS 1.2 and 1.3 with the cipher suites rustls thinks safe, HTTP/2 and HTTP/1.1 as the client prefers.
/// What cannot be read is ZNIGHT005 when the application boots.
#[derive(Clone)]
#[must_use]
pub struct Tls(Source);

#[derive(Clone)]
enum Source {
    Files { chain: PathBuf, key: PathBuf },
    Texts { chain: Vec<u8>, key: Vec<u8> },
    Config(Arc<ServerConfig>),
}

impl Tls {
    /// A chain of certificates, the server's own first, and its private key, in files of PEM.
    pub fn pem_files(chain: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        Self(Source::Files {
            chain: chain.into(),
            key: key.into(),
        })
    }

    /// The same as texts, from a store of secrets for instance.
    pub fn pem(chain: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        Self(Source::Texts {
            chain: chain.into(),
            key: key.into(),
        })
    }

    /// A configuration of rustls: certificates of clients, certificates that change while the server runs.
    /// Without protocols of its own it gets `h2` and `http/1.1`.
    pub fn config(config: impl Into<Arc<ServerConfig>>) -> Self {
        Self(Source::Config(config.into()))
    }

    pub(crate) fn resolve(&self, problems: &mut Problems) -> Option<Arc<ServerConfig>> {
        let (chain, key) = match &self.0 {
            Source::Config(config) => {
                let mut config = Arc::clone(config);
                if config.alpn_protocols.is_empty() {
                    Arc::make_mut(&mut config).alpn_protocols = protocols();
                }
                return Some(config);
            }
            Source::Texts { chain, key } => (Some(chain.clone()), Some(key.clone())),
            Source::Files { chain, key } => {
                let mut read = |what: &str, path: &PathBuf| {
                    let read = std::fs::read(path);
                    read.map_err(|error| {
                        problems.add(format!(
                            "tls: {what}, {}, cannot be read: {error}",
                            path.display()
                        ));
                    })
                    .ok()
                };
                (
                    read("the chain of certificates", chain),
                    read("the private key", key),
                )
            }
        };
        let (chain, key) = (chain?, key?);
        let chain: Option<Vec<CertificateDer<'static>>> = CertificateDer::pem_slice_iter(&chain)
            .collect::<Result<_, _>>()
            .ok()
            .filter(|chain: &Vec<_>| !chain.is_empty());
        if chain.is_none() {
            problems.add("tls: the chain has no certificate in PEM".to_owned());
        }
        let key = PrivateKeyDer::from_pem_slice(&key).ok();
        if key.is_none() {
            problems.add("tls: the private key is none in PEM".to_owned());
        }
        let (chain, key) = (chain?, key?);
        let provider = Arc::new(ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
        match config {
            Ok(mut config) => {
                config.alpn_protocols = protocols();
                Some(Arc::new(config))
            }
            Err(error) => {
                problems.add(format!(
                    "tls: the certificate and the key cannot be used: {error}"
                ));
                None
            }
        }
    }
}

fn protocols() -> Vec<Vec<u8>> {
    vec![b"h2".to_vec(), b"http/1.1".to_vec()]
}

/// Without what is in the key.
impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Files { chain, .. } => write!(f, "Tls({})", chain.display()),
            Source::Texts { .. } | Source::Config(_) => f.write_str("Tls(..)"),
        }
    }
}
