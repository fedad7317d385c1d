//! Which system calls fail, and with which errors: the kinds that `fail.c` knows.

use anyhow::{Context, Result, bail};
use std::fmt;
use std::str::FromStr;

/// A kind of calls, or several with commas between them that fail together, and the errors that they may return.
pub(super) struct Kind {
    pub name: &'static str,
    pub errors: &'static [&'static str],
}

/// What a full disk, a lack of descriptors, threads, programs or memory, and a broken disk do.
pub(super) const KINDS: &[Kind] = &[
    kind("open", &["EMFILE", "ENFILE", "EIO"]),
    kind("read", &["EIO"]),
    kind("write", &["ENOSPC", "EIO"]),
    kind("space", &["ENOSPC", "EIO"]),
    kind("names", &["ENOSPC", "EIO"]),
    kind("write,space,names", &["ENOSPC"]),
    kind("looks", &["EIO"]),
    kind("sockets", &["EMFILE", "ENOBUFS"]),
    kind("accept", &["EMFILE", "ENFILE"]),
    kind("pipes", &["EMFILE", "ENFILE"]),
    kind("events", &["EMFILE", "ENFILE"]),
    kind("copies", &["EMFILE"]),
    kind("open,sockets,accept,pipes,events,copies", &["EMFILE"]),
    kind("watches", &["ENOSPC", "ENOMEM"]),
    kind("threads", &["EAGAIN"]),
    kind("programs", &["EAGAIN", "ENOMEM"]),
    kind("memory", &["ENOMEM"]),
    kind("pages", &["ENOMEM"]),
];

/// Their numbers, which `fail.c` wants.
const ERRORS: &[(&str, u32)] = &[
    ("EIO", 5),
    ("EAGAIN", 11),
    ("ENOMEM", 12),
    ("ENFILE", 23),
    ("EMFILE", 24),
    ("ENOSPC", 28),
    ("ENOBUFS", 105),
];

const fn kind(name: &'static str, errors: &'static [&'static str]) -> Kind {
    Kind { name, errors }
}

impl Kind {
    /// The calls that are of this kind, in a count of the calls of each single kind.
    pub(super) fn calls(&self, of: impl Fn(&str) -> u64) -> u64 {
        self.name.split(',').map(of).sum()
    }
}

/// All single kinds, with commas between them.
pub(super) fn all() -> String {
    let single = KINDS.iter().filter(|kind| !kind.name.contains(','));
    single.map(|kind| kind.name).collect::<Vec<_>>().join(",")
}

/// `count` calls of a kind fail, from the one with the number `from` on; the first call is number 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Fault {
    pub kind: String,
    pub error: String,
    pub from: u64,
    /// None: all until the end.
    pub count: Option<u64>,
}

impl Fault {
    /// No call fails.
    pub(super) fn none() -> Fault {
        Fault {
            kind: all(),
            error: "EIO".to_owned(),
            from: 1,
            count: Some(0),
        }
    }

    /// The arguments of `fail` that say so.
    pub(super) fn arguments(&self) -> Result<[String; 4]> {
        let number = ERRORS.iter().find(|(name, _)| *name == self.error);
        let (_, number) =
            number.with_context(|| format!("{} is no error known here", self.error))?;
        let count = self.count.unwrap_or(u64::MAX);
        Ok([
            self.kind.clone(),
            self.from.to_string(),
            count.to_string(),
            number.to_string(),
        ])
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:", self.kind, self.from)?;
        match self.count {
            Some(count) => write!(f, "{count}:{}", self.error),
            None => write!(f, "all:{}", self.error),
        }
    }
}

impl FromStr for Fault {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Fault> {
        let &[kind, from, count, error] = text.split(':').collect::<Vec<_>>().as_slice() else {
            bail!("{text} is not KIND:FROM:COUNT:ERROR");
        };
        Ok(Fault {
            kind: kind.to_owned(),
            error: error.to_owned(),
            from: from.parse()?,
            count: if count == "all" {
                None
            } else {
                Some(count.parse()?)
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_read_as_it_is_written() {
        for text in ["open,pipes:17:3:EMFILE", "names:1:all:ENOSPC"] {
            let fault: Fault = text.parse().unwrap();
            assert_eq!(fault.to_string(), text);
            assert_eq!(fault.arguments().unwrap()[1], fault.from.to_string());
        }
        assert!("open:x:1:EIO".parse::<Fault>().is_err());
        assert!("open:1:EIO".parse::<Fault>().is_err());
    }

    #[test]
    fn all_errors_have_numbers() {
        for kind in KINDS {
            for error in kind.errors {
                assert!(ERRORS.iter().any(|(name, _)| name == error), "{error}");
            }
        }
    }
}
