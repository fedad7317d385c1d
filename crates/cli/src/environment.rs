//! Environment variables as a value: changes by `-env` and the launcher are passed to the VM as part of the
//! configuration, and become the environment of the process just before it starts (`sys::env::begin_with`). Main thread
//! only.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::Command;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Environment {
    /// The environment of this process.
    pub fn inherited() -> Environment {
        std::env::vars_os()
            .map(|(name, value)| (name.into_vec(), value.into_vec()))
            .collect()
    }

    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.variables.get(name.as_bytes()).map(Vec::as_slice)
    }

    /// The value of a variable, if it is set and not empty.
    pub fn get_non_empty(&self, name: &str) -> Option<&[u8]> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// Sets a variable. As with C's `putenv`, a `=` in the name ends the name and starts the value.
    pub fn set(&mut self, name: &[u8], value: &[u8]) {
        match name.iter().position(|&byte| byte == b'=') {
            None => self.variables.insert(name.to_vec(), value.to_vec()),
            Some(end) => {
                let value = [&name[end + 1..], b"=", value].concat();
                self.variables.insert(name[..end].to_vec(), value)
            }
        };
    }

    /// Unsets a variable.
    pub fn remove(&mut self, name: &str) {
        self.variables.remove(name.as_bytes());
    }

    /// Gives a program this environment, and nothing else.
    pub fn give(&self, command: &mut Command) {
        command.env_clear();
        command.envs(
            self.iter()
                .map(|(name, value)| (OsStr::from_bytes(name), OsStr::from_bytes(value))),
        );
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_slice(), value.as_slice()))
    }
}

impl FromIterator<(Vec<u8>, Vec<u8>)> for Environment {
    fn from_iter<I: IntoIterator<Item = (Vec<u8>, Vec<u8>)>>(variables: I) -> Environment {
        Environment {
            variables: variables.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_sign_in_a_name_ends_it() {
        let mut environment = Environment::default();
        environment.set(b"A=b", b"c");
        assert_eq!(environment.get("A"), Some(b"b=c".as_slice()));
    }
}
