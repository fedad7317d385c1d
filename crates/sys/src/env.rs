//! Environment variables, as bytes.
//!
//! The program works on its own copy, made at the first use: the C library's table cannot be changed
//! while other threads may read it, and the C library itself reads it (for `TZ`) without a lock that we
//! could take. So changes are visible to [`get`] and to child programs, not to C code in this process. OTP's
//! `os:putenv/2` behaves the same. What is known before there are other threads C code sees too ([`begin_with`]).
//!
//! Invariant: the environment of the process itself is written only while it has one thread.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::errno::{Errno, Result};
use crate::path;

/// An environment as the system passes it to programs: entries of the form `KEY=value`.
pub type Entries = Arc<Vec<CString>>;

struct Table {
    variables: BTreeMap<Vec<u8>, Vec<u8>>,
    /// All of them in the system's form; discarded when one changes.
    entries: Option<Entries>,
}

fn table() -> &'static RwLock<Table> {
    static TABLE: OnceLock<RwLock<Table>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let variables = std::env::vars_os().map(|(key, value)| (key.into_vec(), value.into_vec()));
        RwLock::new(Table {
            variables: variables.collect(),
            entries: None,
        })
    })
}

fn read() -> RwLockReadGuard<'static, Table> {
    table().read().unwrap_or_else(PoisonError::into_inner)
}

/// The table for a change, which discards the prepared entries.
fn write() -> RwLockWriteGuard<'static, Table> {
    let mut table = table().write().unwrap_or_else(PoisonError::into_inner);
    table.entries = None;
    table
}

/// The value of a variable.
pub fn get(key: &[u8]) -> Option<Vec<u8>> {
    read().variables.get(key).cloned()
}

/// As [`get`], but without waiting for the lock: `None` while another thread changes the variables.
pub fn get_now(key: &[u8]) -> Option<Vec<u8>> {
    table().try_read().ok()?.variables.get(key).cloned()
}

/// Sets a variable. `einval` if the key has `=` or a zero byte, or the value a zero byte.
pub fn put(key: &[u8], value: &[u8]) -> Result<()> {
    check_key(key)?;
    check_value(value)?;
    write().variables.insert(key.to_vec(), value.to_vec());
    Ok(())
}

/// Sets variables as a program begins, for C code in it too: the time zone is in one, and libraries have theirs. Those
/// whose name or value the system rejects are left out, since other programs could not be given them either. Where the
/// program has other threads already, or no `/proc` tells that it has none, this is [`put`].
pub fn begin_with<'a>(variables: impl Iterator<Item = (&'a [u8], &'a [u8])>) {
    let is_alone = fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1);
    for (key, value) in variables {
        let is_put = put(key, value).is_ok();
        let (key, value) = (OsStr::from_bytes(key), OsStr::from_bytes(value));
        let is_new = std::env::var_os(key).is_none_or(|inherited| inherited != value);
        if is_put && is_alone && is_new && !key.is_empty() {
            // SAFETY: no other thread reads or writes the environment, because there is none.
            unsafe { std::env::set_var(key, value) };
        }
    }
}

/// Removes a variable, if it exists. `einval` as for [`put`].
pub fn unset(key: &[u8]) -> Result<()> {
    check_key(key)?;
    write().variables.remove(key);
    Ok(())
}

/// All variables, ordered by key.
pub fn list() -> Vec<(Vec<u8>, Vec<u8>)> {
    read()
        .variables
        .iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// One change to the environment that a child program gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets a variable: key and value.
    Put(Vec<u8>, Vec<u8>),
    /// Removes a variable: its key.
    Unset(Vec<u8>),
}

/// The current environment with these changes, later ones overriding earlier ones, for [`crate::child::Command`].
pub fn for_child(changes: &[Change]) -> Result<Entries> {
    if changes.is_empty() {
        return unchanged();
    }
    let mut variables = read().variables.clone();
    for change in changes {
        match change {
            Change::Put(key, value) => {
                check_key(key)?;
                check_value(value)?;
                variables.insert(key.clone(), value.clone());
            }
            Change::Unset(key) => {
                check_key(key)?;
                variables.remove(key);
            }
        }
    }
    entries(&variables)
}

/// The current environment, prepared once for all children until it changes.
fn unchanged() -> Result<Entries> {
    if let Some(entries) = &read().entries {
        return Ok(Arc::clone(entries));
    }
    let mut table = write();
    let made = entries(&table.variables)?;
    table.entries = Some(Arc::clone(&made));
    Ok(made)
}

fn entries(variables: &BTreeMap<Vec<u8>, Vec<u8>>) -> Result<Entries> {
    let entries = variables
        .iter()
        .map(|(key, value)| path::owned(&[&key[..], b"=", value].concat()));
    Ok(Arc::new(entries.collect::<Result<_>>()?))
}

fn check_key(key: &[u8]) -> Result<()> {
    if key.contains(&b'=') {
        Err(Errno::EINVAL)
    } else {
        check_value(key)
    }
}

fn check_value(value: &[u8]) -> Result<()> {
    if value.contains(&0) {
        Err(Errno::EINVAL)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_set_found_listed_and_removed() {
        let key = b"FERL_ENV_TEST\xff";
        assert_eq!(get(key), None);
        put(key, b"one").unwrap();
        put(key, b"t\xfeo=").unwrap();
        assert_eq!(get(key), Some(b"t\xfeo=".to_vec()));
        assert!(list().contains(&(key.to_vec(), b"t\xfeo=".to_vec())));
        unset(key).unwrap();
        unset(key).unwrap();
        assert_eq!(get(key), None);
        assert_eq!(
            get(b"PATH"),
            std::env::var_os("PATH").map(OsStringExt::into_vec)
        );
    }

    #[test]
    fn keys_and_values_the_system_cannot_hold_are_refused() {
        for (key, value) in [
            (&b"a=b"[..], &b""[..]),
            (b"=", b""),
            (b"a\0", b""),
            (b"a", b"\0"),
        ] {
            assert_eq!(put(key, value), Err(Errno::EINVAL));
            let change = Change::Put(key.to_vec(), value.to_vec());
            assert_eq!(for_child(&[change]).unwrap_err(), Errno::EINVAL);
        }
        assert_eq!(unset(b"a=b"), Err(Errno::EINVAL));
    }

    #[test]
    fn a_child_gets_the_changes_and_this_program_does_not() {
        put(b"FERL_CHILD_OLD", b"1").unwrap();
        let changes = [
            Change::Put(b"FERL_CHILD_NEW".to_vec(), b"2".to_vec()),
            Change::Unset(b"FERL_CHILD_OLD".to_vec()),
            Change::Put(b"FERL_CHILD_NEW".to_vec(), b"3".to_vec()),
        ];
        let entries = for_child(&changes).unwrap();
        let with = |prefix: &[u8]| {
            entries
                .iter()
                .filter(|entry| entry.to_bytes().starts_with(prefix))
                .count()
        };
        assert!(entries.contains(&c"FERL_CHILD_NEW=3".to_owned()));
        assert_eq!((with(b"FERL_CHILD_NEW="), with(b"FERL_CHILD_OLD=")), (1, 0));
        assert_eq!(
            (get(b"FERL_CHILD_NEW"), get(b"FERL_CHILD_OLD")),
            (None, Some(b"1".to_vec()))
        );
    }
}
