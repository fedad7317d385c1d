//! The values that emulator flags have, and how a field of [`FlagValues`](super::FlagValues) stores one.
//!
//! The field's type says what becomes of a value: a number that fits, a word, a text, yes or no, or `None` for the
//! word that stands in place of a number. Plain values, for any thread.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The parsed value of a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// The flag has no value, or its optional value is left out.
    Nothing,
    Text(Vec<u8>),
    Bool(bool),
    /// One of the row's words.
    Word(Word),
    Number(i64),
    /// The word that the row allows in place of a number.
    Instead,
    Pair(Option<i64>, Option<i64>),
    Budget(MemoryBudget),
    Topology(Vec<CpuPlace>),
    Listen(SocketAddr),
}

/// The address in a text, `PORT` or `ADDRESS:PORT`: a port alone is one of 127.0.0.1, as is one of `localhost`.
#[must_use]
pub fn listen_address(text: &[u8]) -> Option<SocketAddr> {
    let text = str::from_utf8(text).ok()?;
    // Rust takes a sign for a part of a number.
    let port = |port: &str| {
        let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| port.parse::<u16>().ok())?
    };
    let here = |text: &str| {
        let address = IpAddr::from(Ipv4Addr::LOCALHOST);
        Some(SocketAddr::new(address, port(text)?))
    };
    match text.strip_prefix("localhost:") {
        Some(rest) => here(rest),
        None => here(text).or_else(|| text.parse().ok()),
    }
}

/// The place of one logical processor: node, processor, node within the processor, core, thread, and the number of the
/// logical processor; -1 where a level does not exist.
pub type CpuPlace = [i64; 6];

/// How much memory the node may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryBudget {
    /// As much as it gets.
    Unlimited,
    Bytes(u64),
    /// A percentage of the memory that there is: what the node's control groups allow, or what the host has.
    Share(u8),
}

/// One of the words that a flag's row allows.
pub type Word = &'static str;

/// A type whose values flags set.
pub(super) trait FlagValue: Sized {
    /// Stores the value of a flag; `default` is the value without the flag.
    ///
    /// # Panics
    /// If the type is not one for the format that the flag's row declares.
    fn store(&mut self, value: &Parsed, default: Self);
}

impl FlagValue for bool {
    /// A flag without a value says the contrary of the default.
    fn store(&mut self, value: &Parsed, default: bool) {
        *self = match value {
            Parsed::Nothing => !default,
            Parsed::Bool(value) => *value,
            other => unfit("a truth value", other),
        };
    }
}

impl FlagValue for Word {
    fn store(&mut self, value: &Parsed, _default: Word) {
        *self = match value {
            Parsed::Word(word) => word,
            other => unfit("a word", other),
        };
    }
}

impl FlagValue for Option<Word> {
    fn store(&mut self, value: &Parsed, _default: Option<Word>) {
        *self = match value {
            Parsed::Word(word) => Some(word),
            other => unfit("a word", other),
        };
    }
}

impl FlagValue for Vec<u8> {
    fn store(&mut self, value: &Parsed, _default: Vec<u8>) {
        *self = match value {
            Parsed::Text(text) => text.clone(),
            other => unfit("a text", other),
        };
    }
}

impl FlagValue for MemoryBudget {
    fn store(&mut self, value: &Parsed, _default: MemoryBudget) {
        *self = match value {
            Parsed::Budget(budget) => *budget,
            other => unfit("a memory budget", other),
        };
    }
}

impl FlagValue for Option<SocketAddr> {
    fn store(&mut self, value: &Parsed, _default: Option<SocketAddr>) {
        *self = match value {
            Parsed::Listen(address) => Some(*address),
            other => unfit("an address", other),
        };
    }
}

impl FlagValue for Option<Vec<CpuPlace>> {
    fn store(&mut self, value: &Parsed, _default: Option<Vec<CpuPlace>>) {
        *self = match value {
            Parsed::Topology(places) => Some(places.clone()),
            other => unfit("a topology", other),
        };
    }
}

impl FlagValue for Option<PathBuf> {
    fn store(&mut self, value: &Parsed, _default: Option<PathBuf>) {
        *self = match value {
            Parsed::Text(text) => Some(OsString::from_vec(text.clone()).into()),
            other => unfit("a path", other),
        };
    }
}

/// Numbers. The word that may stand in place of a number is `None`, or leaves a number as it is.
macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl FlagValue for $number {
            fn store(&mut self, value: &Parsed, _default: $number) {
                *self = match value {
                    Parsed::Instead => return,
                    Parsed::Number(number) => <$number>::try_from(*number)
                        .unwrap_or_else(|_| unfit(stringify!($number), value)),
                    other => unfit(stringify!($number), other),
                };
            }
        }

        impl FlagValue for Option<$number> {
            fn store(&mut self, value: &Parsed, _default: Option<$number>) {
                *self = match value {
                    Parsed::Instead => None,
                    Parsed::Number(number) => Some(<$number>::try_from(*number)
                        .unwrap_or_else(|_| unfit(stringify!($number), value))),
                    other => unfit(stringify!($number), other),
                };
            }
        })*
    };
}

numbers!(i64, u16, u32, u64, usize);

fn unfit<T>(wanted: &str, value: &Parsed) -> T {
    unreachable!("the field of a flag holds {wanted}, not {value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_port_or_both() {
        for (text, address) in [
            ("8080", "127.0.0.1:8080"),
            ("0", "127.0.0.1:0"),
            ("localhost:80", "127.0.0.1:80"),
            ("0.0.0.0:65535", "0.0.0.0:65535"),
            ("[::1]:8080", "[::1]:8080"),
        ] {
            assert_eq!(
                listen_address(text.as_bytes()),
                address.parse().ok(),
                "{text}"
            );
        }
        for bad in [
            "",
            ":",
            "x",
            "65536",
            "-1",
            "+80",
            "80x",
            " 80",
            "127.0.0.1",
            "127.0.0.1:",
            "::1:80",
            "example:80",
            "127.0.0.1:+80",
            "localhost",
            "localhost:",
            "1.2.3.4:5:6",
            "\u{0}",
        ] {
            assert_eq!(listen_address(bad.as_bytes()), None, "{bad}");
        }
    }
}
