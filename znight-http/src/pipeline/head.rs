//! What keeps a request from being answered before its path is looked at.

use http::{Method, Version, header::HOST, request::Parts};

use super::Pipeline;
use crate::{context::Transport, routing::Matched};

impl Pipeline {
    /// What is wrong with the head of a request that came over a connection.
    #[inline]
    pub(super) fn refused(&self, parts: &Parts, transport: Transport) -> Option<Matched> {
        if transport.in_memory {
            return None;
        }
        match parts.version {
            Version::HTTP_11 if !has_host(parts) => Some(Matched::BadHost),
            // The server counts those of HTTP/1 itself, while it reads them.
            Version::HTTP_2 if parts.headers.len() > self.settings.max_headers => {
                Some(Matched::TooManyHeaders)
            }
            _ => None,
        }
    }
}

/// Whether a request of HTTP/1.1 says once which host it is for, as it must: proxies in front of the server
/// may have understood another one otherwise. A target that names a host names the same.
fn has_host(parts: &Parts) -> bool {
    let mut hosts = parts.headers.get_all(HOST).iter();
    let Some(host) = hosts.next().filter(|_| hosts.next().is_none()) else {
        return false;
    };
    host.as_bytes()
        .iter()
        .all(|byte| IN_HOST[usize::from(*byte)])
        && parts.uri.authority().is_none_or(|authority| {
            let authority = authority.as_str().as_bytes();
            authority.eq_ignore_ascii_case(host.as_bytes()) || parts.method == Method::CONNECT
        })
}

/// What a host may have: visible ASCII, without what would make it more than a host.
static IN_HOST: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        table[byte as usize] = !matches!(byte, b'/' | b'\\' | b'?' | b'#' | b'@');
        byte += 1;
    }
    table
};
