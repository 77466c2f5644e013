//! Types of other crates that are read in ways of their own: what is expected of them can be said
//! better than their crates say it.

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
mod iso;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "time")]
mod time;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{FromParam, ParamError};

macro_rules! parsed {
    ($($(#[$meta:meta])* $ty:ty: $expected:literal;)*) => {
        $(
            $(#[$meta])*
            impl FromParam for $ty {
                fn from_param(text: &str) -> Result<Self, ParamError> {
                    text.parse().map_err(|_| ParamError::expected($expected))
                }
            }
        )*
    };
}

parsed! {
    IpAddr: "an IP address";
    Ipv4Addr: "an IPv4 address";
    Ipv6Addr: "an IPv6 address";
    #[cfg(feature = "uuid")]
    ::uuid::Uuid: "a UUID";
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    use crate::FromParam;

    fn refused<T: FromParam + std::fmt::Debug>(text: &str) -> String {
        T::from_param(text).unwrap_err().to_string()
    }

    #[test]
    fn addresses_and_uuids_are_told_by_name() {
        assert_eq!(IpAddr::from_param("::1").unwrap(), Ipv6Addr::LOCALHOST);
        assert_eq!(
            Ipv4Addr::from_param("127.0.0.1").unwrap(),
            Ipv4Addr::LOCALHOST
        );
        assert_eq!(refused::<IpAddr>("secret"), "expected an IP address");
        assert_eq!(refused::<Ipv4Addr>("::1"), "expected an IPv4 address");
        assert_eq!(refused::<Ipv6Addr>("127.0.0.1"), "expected an IPv6 address");
        #[cfg(feature = "uuid")]
        {
            let text = "67e55044-10b1-426f-9247-bb680e5fe0c8";
            assert_eq!(uuid::Uuid::from_param(text).unwrap().to_string(), text);
            assert_eq!(refused::<uuid::Uuid>("67e55044"), "expected a UUID");
        }
    }
}
