//! Which objects a match specification can match at all: those with certain keys, a range of an ordered set, or all.

use std::collections::HashMap;

use layout::{Term, no_gc};

use term::release::{self, Release};
use term::{compare, hash};

use crate::match_spec::Source;
use crate::match_spec::pattern::{self, Contents};

/// Which objects can match.
pub(super) enum Scope {
    Nothing,
    /// Those with one of these keys.
    Keys(Vec<Term>),
    All,
    /// Those of an ordered set whose keys match this pattern.
    Matching(Term),
}

/// Which objects the heads can match at all.
pub(super) fn scope(sources: &[Source], keypos: usize, ordered: bool) -> Scope {
    let mut keys: Vec<Term> = Vec::new();
    let mut patterns: Vec<Term> = Vec::new();
    for [head, ..] in sources {
        if pattern::is_wildcard(*head) {
            return Scope::All;
        }
        let no_gc = no_gc!();
        let Some(key) = head
            .as_tuple(no_gc)
            .and_then(|elements| elements.get(keypos - 1))
        else {
            continue;
        };
        // A map in a key is a pattern as elsewhere: each map with at least these associations matches. Up to OTP 25 the
        // key was looked up as a value.
        let contents = match pattern::contents(*key) {
            Contents::GroundMaps if release::has(Release::OTP_26) => Contents::Wildcards,
            contents => contents,
        };
        match contents {
            Contents::Wildcards if ordered && !pattern::is_wildcard(*key) && !key.is_map() => {
                patterns.push(*key)
            }
            Contents::Wildcards => return Scope::All,
            Contents::Ground | Contents::GroundMaps => keys.push(*key),
        }
    }
    match (&patterns[..], &keys[..]) {
        ([], []) => Scope::Nothing,
        ([pattern], []) => Scope::Matching(*pattern),
        ([], _) => {
            if ordered {
                keys.sort_by(|a, b| compare::compare(*a, *b));
                keys.dedup_by(|a, b| compare::eq(*a, *b));
            } else if keys.len() > 1 {
                let mut known: HashMap<u32, Vec<Term>> = HashMap::default();
                keys.retain(|key| {
                    let alike = known.entry(hash::internal(*key, 0)).or_default();
                    let is_new = !alike.iter().any(|known| compare::eq_exact(*known, *key));
                    if is_new {
                        alike.push(*key);
                    }
                    is_new
                });
            }
            Scope::Keys(keys)
        }
        _ => Scope::All,
    }
}
