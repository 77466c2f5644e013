//! Who a client is behind proxies, and how it reached them.

use std::{fmt, net::IpAddr};

use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

use super::Problems;
use crate::context::Transport;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The proxies in front of the server whose `x-forwarded-for` and `x-forwarded-proto` are believed, for
/// [`HttpOptions::trust_proxy`](crate::HttpOptions::trust_proxy).
///
/// Whoever is believed may choose the address a client appears to have. So nobody is unless said, and
/// there is no way to believe everybody. The header `forwarded` is not read.
#[derive(Debug, Clone)]
#[must_use]
pub struct TrustedProxies(Trusted);

#[derive(Debug, Clone)]
enum Trusted {
    Hops(usize),
    Addresses(Vec<String>),
}

impl TrustedProxies {
    /// So many proxies stand between the clients and the server: 1 for one load balancer. None at all is
    /// ZNIGHT005.
    pub fn hops(count: usize) -> Self {
        Self(Trusted::Hops(count))
    }

    /// The proxies with these addresses: IPv4 and IPv6 addresses, ranges such as `10.0.0.0/8`, and the
    /// names
    ///
    /// - `loopback`: `127.0.0.0/8`, `::1/128`
    /// - `private`: `10.0.0.0/8`, `172.16.0.0/12`, `192.168.0.0/16`, `fc00::/7`
    /// - `linklocal`: `169.254.0.0/16`, `fe80::/10`
    pub fn addresses<A: Into<String>>(addresses: impl IntoIterator<Item = A>) -> Self {
        Self(Trusted::Addresses(
            addresses.into_iter().map(Into::into).collect(),
        ))
    }

    pub(super) fn resolve(&self, problems: &mut Problems) -> Proxies {
        match &self.0 {
            Trusted::Hops(count) => {
                if *count == 0 {
                    problems.add("trust_proxy: 0 hops trust nobody: leave the option out, or count the proxies in front of the server".to_owned());
                }
                Proxies::Hops(*count)
            }
            Trusted::Addresses(addresses) => {
                if addresses.is_empty() {
                    problems.add("trust_proxy: no address is listed".to_owned());
                }
                let mut ranges = Vec::new();
                for address in addresses {
                    match read(address) {
                        Some(read) => ranges.extend(read),
                        None => problems.add(format!(
                            "trust_proxy: `{address}` is no IP address, no range such as 10.0.0.0/8, and none of loopback, private and linklocal"
                        )),
                    }
                }
                Proxies::Ranges(ranges)
            }
        }
    }
}

impl From<usize> for TrustedProxies {
    fn from(count: usize) -> Self {
        Self::hops(count)
    }
}

impl<A: Into<String>, const N: usize> From<[A; N]> for TrustedProxies {
    fn from(addresses: [A; N]) -> Self {
        Self::addresses(addresses)
    }
}

impl<A: Into<String>> From<Vec<A>> for TrustedProxies {
    fn from(addresses: Vec<A>) -> Self {
        Self::addresses(addresses)
    }
}

/// The ranges behind one entry of a list.
fn read(address: &str) -> Option<Vec<IpNet>> {
    let known: &[&str] = match address {
        "loopback" => &["127.0.0.0/8", "::1/128"],
        "private" => &["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
        "linklocal" => &["169.254.0.0/16", "fe80::/10"],
        other => {
            let range = other
                .parse()
                .or_else(|_| other.parse::<IpAddr>().map(IpNet::from));
            return range.ok().map(|range| vec![unmapped(range)]);
        }
    };
    Some(
        known
            .iter()
            .filter_map(|range| range.parse().ok())
            .collect(),
    )
}

/// A range of IPv4-mapped IPv6 addresses as the IPv4 range it is.
fn unmapped(range: IpNet) -> IpNet {
    let canonical = range.addr().to_canonical();
    match range.prefix_len().checked_sub(96) {
        Some(length) if canonical.is_ipv4() && range.addr().is_ipv6() => {
            IpNet::new(canonical, length).unwrap_or(range)
        }
        _ => range,
    }
}

/// [`TrustedProxies`], read.
#[derive(Debug)]
pub(crate) enum Proxies {
    Hops(usize),
    Ranges(Vec<IpNet>),
}

/// How a client speaks to the first proxy it reaches, or to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Without TLS.
    Http,
    /// With TLS.
    Https,
}

impl Protocol {
    /// `http` or `https`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What proxies tell of a client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forwarded {
    pub(crate) address: IpAddr,
    pub(crate) protocol: Option<Protocol>,
}

impl Proxies {
    #[cold]
    pub(crate) fn forwarded(&self, transport: &Transport, headers: &HeaderMap) -> Forwarded {
        // A request made in memory comes from this machine.
        let this_machine = IpAddr::from([127, 0, 0, 1]);
        let peer = transport.peer.map_or(this_machine, |peer| peer.ip());
        Forwarded {
            address: self.client(peer, headers),
            protocol: self.protocol(peer, headers),
        }
    }

    fn trusts(&self, address: IpAddr) -> bool {
        match self {
            Self::Hops(_) => true,
            Self::Ranges(ranges) => ranges.iter().any(|range| range.contains(&address)),
        }
    }

    /// The address of the client whose connection comes from `peer`.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let mut forwarded = from_the_right(headers);
        let mut walked = 0;
        loop {
            let goes_on = match self {
                Self::Hops(count) => walked < *count,
                Self::Ranges(_) => self.trusts(client),
            };
            // What is malformed ends the walk: what a proxy wrote there cannot be told.
            match forwarded.next().filter(|_| goes_on) {
                Some(Some(next)) => client = next,
                Some(None) | None => return client,
            }
            walked += 1;
        }
    }

    /// What the proxy at the other end of the connection says the client used.
    fn protocol(&self, peer: IpAddr, headers: &HeaderMap) -> Option<Protocol> {
        if !self.trusts(peer.to_canonical()) {
            return None;
        }
        let value = headers.get(X_FORWARDED_PROTO)?.to_str().ok()?;
        let leftmost = value.split(',').next()?.trim();
        [Protocol::Http, Protocol::Https]
            .into_iter()
            .find(|protocol| leftmost.eq_ignore_ascii_case(protocol.as_str()))
    }
}

/// The entries of `x-forwarded-for`, the last one first; `None` for what is no address.
fn from_the_right(headers: &HeaderMap) -> impl Iterator<Item = Option<IpAddr>> {
    let lines = headers.get_all(X_FORWARDED_FOR).iter().rev();
    lines.flat_map(|line| {
        let line = line.to_str().unwrap_or("?");
        line.rsplit(',').map(|entry| {
            let address: IpAddr = entry.trim().parse().ok()?;
            Some(address.to_canonical())
        })
    })
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use http::{HeaderMap, HeaderValue};

    use super::{Problems, Protocol, TrustedProxies, X_FORWARDED_FOR, X_FORWARDED_PROTO};

    fn client(trusted: &TrustedProxies, peer: &str, forwarded: &[&'static str]) -> String {
        let mut problems = Problems::default();
        let proxies = trusted.resolve(&mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_static(line));
        }
        let peer: IpAddr = peer.parse().unwrap();
        proxies.client(peer, &headers).to_string()
    }

    #[test]
    fn a_number_of_hops_counts_from_the_right() {
        let chain = &["1.1.1.1, 2.2.2.2", "3.3.3.3"];
        for (hops, expected) in [
            (1, "3.3.3.3"),
            (2, "2.2.2.2"),
            (3, "1.1.1.1"),
            (9, "1.1.1.1"),
        ] {
            assert_eq!(
                client(&TrustedProxies::hops(hops), "10.0.0.1", chain),
                expected
            );
        }
        assert_eq!(
            client(&TrustedProxies::hops(1), "10.0.0.1", &[]),
            "10.0.0.1"
        );
    }

    #[test]
    fn a_list_goes_on_while_addresses_are_trusted() {
        let trusted = || TrustedProxies::addresses(["10.0.0.0/8", "loopback"]);
        let of = |peer, chain| client(&trusted(), peer, chain);
        assert_eq!(of("10.0.0.1", &["6.6.6.6, 1.1.1.1, 10.9.9.9"]), "1.1.1.1");
        // The leftmost, when all are trusted.
        assert_eq!(of("127.0.0.1", &["10.1.1.1, 10.2.2.2"]), "10.1.1.1");
        // Nobody is believed who is not trusted.
        assert_eq!(of("8.8.8.8", &["1.1.1.1"]), "8.8.8.8");
    }

    #[test]
    fn a_malformed_entry_ends_the_walk_at_the_last_valid_address() {
        for malformed in [
            "1.1.1.1, unknown",
            "1.1.1.1, 2.2.2.2:80",
            "1.1.1.1, ",
            "1.1.1.1, [::1]:9",
        ] {
            assert_eq!(
                client(&TrustedProxies::hops(2), "10.0.0.1", &[malformed]),
                "10.0.0.1"
            );
        }
        let chain = &["1.1.1.1, x, 10.0.0.2"];
        assert_eq!(
            client(&TrustedProxies::addresses(["private"]), "10.0.0.1", chain),
            "10.0.0.2"
        );
    }

    #[test]
    fn mapped_addresses_are_those_they_map() {
        let trusted = TrustedProxies::addresses(["10.0.0.0/8"]);
        let found = client(&trusted, "::ffff:10.0.0.1", &["::ffff:1.1.1.1"]);
        assert_eq!(found, "1.1.1.1");
        let trusted = TrustedProxies::addresses(["::ffff:10.0.0.0/104"]);
        assert_eq!(client(&trusted, "10.0.0.1", &["1.1.1.1"]), "1.1.1.1");
    }

    #[test]
    fn names_stand_for_ranges() {
        for (name, inside, outside) in [
            ("loopback", "127.1.2.3", "128.0.0.1"),
            ("loopback", "::1", "::2"),
            ("private", "172.31.255.255", "172.32.0.0"),
            ("private", "fdff::1", "fe00::1"),
            ("linklocal", "169.254.9.9", "169.255.0.0"),
            ("linklocal", "febf::1", "fec0::1"),
        ] {
            let of = |peer| client(&TrustedProxies::addresses([name]), peer, &["1.1.1.1"]);
            assert_eq!(of(inside), "1.1.1.1", "{name} {inside}");
            assert_eq!(of(outside), outside, "{name} {outside}");
        }
    }

    #[test]
    fn the_protocol_is_the_leftmost_of_a_trusted_proxy() {
        let of = |trusted: TrustedProxies, peer: &str, value: &'static str| {
            let proxies = trusted.resolve(&mut Problems::default());
            let mut headers = HeaderMap::new();
            headers.append(X_FORWARDED_PROTO, HeaderValue::from_static(value));
            proxies.protocol(peer.parse().unwrap(), &headers)
        };
        let trusted = || TrustedProxies::addresses(["loopback"]);
        assert_eq!(of(trusted(), "127.0.0.1", "https"), Some(Protocol::Https));
        assert_eq!(
            of(trusted(), "127.0.0.1", "HTTPS, http"),
            Some(Protocol::Https)
        );
        assert_eq!(
            of(trusted(), "127.0.0.1", "http,https"),
            Some(Protocol::Http)
        );
        assert_eq!(of(trusted(), "127.0.0.1", "ftp"), None);
        assert_eq!(of(trusted(), "9.9.9.9", "https"), None);
        assert_eq!(
            of(TrustedProxies::hops(1), "9.9.9.9", "https"),
            Some(Protocol::Https)
        );
    }

    #[test]
    fn what_names_no_proxy_is_refused() {
        let refused = |trusted: TrustedProxies| {
            let mut problems = Problems::default();
            trusted.resolve(&mut problems);
            problems.texts().len()
        };
        assert_eq!(refused(TrustedProxies::hops(0)), 1);
        assert_eq!(refused(TrustedProxies::addresses(Vec::<String>::new())), 1);
        let wrong = [
            "10.0.0.0/33",
            "localhost",
            "",
            "1.2.3",
            "::1/129",
            "10.0.0.1:80",
        ];
        assert_eq!(refused(TrustedProxies::addresses(wrong)), wrong.len());
    }
}
