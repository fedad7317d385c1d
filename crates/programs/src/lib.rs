//! OTP's small programs that ferl is itself when it is called by their names: [`epmd`], the port mapper, and
//! [`inet_gethost`], which asks the system for addresses of hosts.
//!
//! A program in one file starts them out of its own file, so it needs no copies of OTP's, which are made for one C
//! library. They follow OTP's: the same words, protocols and answers.
//!
//! A program runs in a process of its own, on the main thread, instead of a node.

#![forbid(unsafe_code)]

mod complaint;
mod epmd;
mod inet_gethost;

/// One of the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// The port mapper.
    Epmd,
    /// The one that asks for addresses.
    InetGethost,
}

/// All of them, with the names by which they are called.
pub const PROGRAMS: [(&str, Program); 2] = [
    ("epmd", Program::Epmd),
    ("inet_gethost", Program::InetGethost),
];

impl Program {
    /// The program with this name.
    #[must_use]
    pub fn named(name: &[u8]) -> Option<Program> {
        let found = PROGRAMS
            .iter()
            .find(|(known, _)| known.as_bytes() == name)?;
        Some(found.1)
    }

    /// Runs it to its end with the words behind its name. Returns the exit status.
    #[must_use]
    pub fn run(self, words: &[Vec<u8>]) -> u8 {
        match self {
            Program::Epmd => epmd::run(words),
            Program::InetGethost => inet_gethost::run(words),
        }
    }
}
