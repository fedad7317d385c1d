//! Tokens of sequential trace, as data: see `trace::sequence`.

use layout::{Fragment, Heap, Term};
use term::build;
use term::copy::{self, Owned};
use term::heap::{self, Scratch};

use super::Process;
use super::signal::{ALIAS_TOKEN_MESSAGE, Signal, TOKEN_MESSAGE};

/// Words of a token as a term: `{Flags, Label, Serial, From, Last}`.
const TUPLE_WORDS: usize = 6;

/// What a process passes on.
pub struct Token {
    pub flags: u32,
    pub label: Owned,
    /// The number of the event that the token was last passed on with, and of the one that had led to it.
    pub serial: i64,
    pub last: i64,
    /// Who has passed it on last: a pid.
    pub from: Owned,
}

impl Token {
    pub fn to_term(&self, heap: &mut Heap) -> Term {
        let label = copy::copy(heap, self.label.term());
        let from = copy::copy(heap, self.from.term());
        let [flags, serial, last] =
            [i64::from(self.flags), self.serial, self.last].map(Term::small);
        build::tuple(heap, &[flags, label, serial, from, last])
    }

    /// A token that was given as a term by this machine or another node.
    #[must_use]
    pub fn of_term(term: Term) -> Option<Token> {
        let [flags, label, serial, from, last] = term.as_tuple_of()?;
        Some(Token {
            flags: u32::try_from(flags.as_small()?).ok()?,
            label: Owned::new(label),
            serial: serial.as_small()?,
            last: last.as_small()?,
            from: Owned::new(from),
        })
    }

    pub(crate) fn is_for(&self, what: u32) -> bool {
        self.flags & what != 0
    }
}

impl Clone for Token {
    fn clone(&self) -> Token {
        Token {
            label: Owned::new(self.label.term()),
            from: Owned::new(self.from.term()),
            ..*self
        }
    }
}

/// What a process has of sequential trace.
#[derive(Default)]
pub struct Sequence {
    pub token: Option<Token>,
    /// The number of its last event, and of the last one that has reached it. They stay when the token goes.
    pub clock: i64,
    pub last: i64,
}

/// The token of a process.
#[must_use]
pub fn of(process: &Process) -> Option<&Token> {
    process.existing_extras()?.sequence.as_ref()?.token.as_ref()
}

/// A message, and a token that it carries. With `alias` it is for whoever has the alias of that number.
pub(crate) fn message_with(
    token: &Token,
    message: Term,
    alias: Option<(u64, u64)>,
) -> *mut Fragment {
    let mut scratch = Scratch::with_room(TUPLE_WORDS);
    let token = token.to_term(scratch.heap());
    let (words, token_words) = (copy::size(message), copy::size(token));
    let before = if alias.is_some() { 2 } else { 0 };
    let fragment = heap::new_fragment(before + words + token_words + 1);
    // SAFETY: the fragment is new and has room for the alias's number, both copies, and one word.
    unsafe {
        (*fragment).kind = TOKEN_MESSAGE;
        let room = Fragment::words_pointer(fragment);
        if let Some(number) = alias {
            (*fragment).kind = ALIAS_TOKEN_MESSAGE;
            room.write(number.0);
            room.add(1).write(number.1);
        }
        let room = room.add(before);
        (*fragment).term = match words {
            0 => message,
            _ => copy::copy_to(room, words, &mut (*fragment).off_heap, message, false),
        };
        let copied = copy::copy_to(
            room.add(words),
            token_words,
            &mut (*fragment).off_heap,
            token,
            false,
        );
        room.add(words + token_words).write(copied.bits());
    }
    fragment
}

/// The exit signal of a broken link, with the token that `trace::sequence::ends` has returned.
#[must_use]
pub fn exit_signal(from: Term, reason: Term, token: &Token) -> Signal {
    let mut scratch = Scratch::new();
    let token = token.to_term(scratch.heap());
    let exit = build::tuple(scratch.heap(), &[reason, token]);
    Signal::TokenExit {
        from,
        exit: Owned::new(exit),
    }
}

/// The message of an exit signal that carries a token: a term as [`exit_signal`] makes it.
pub fn exit_message(message: Term, token: Term) -> *mut Fragment {
    match Token::of_term(token) {
        Some(token) => message_with(&token, message, None),
        None => copy::to_fragment(message),
    }
}

/// A spawn, as it is told: as a message to the child, and one back.
pub struct Spawn {
    pub reference: Term,
    /// `{Module, Function, Arity}`
    pub function: Term,
    pub options: Term,
    pub tag: Term,
    pub arguments: Term,
    /// The parent gets a reply, which carries a token; otherwise it has what it asked for at once.
    pub requested: bool,
    /// It is to get that reply, which is told of here: before anything that the child does.
    pub replied: bool,
}

/// The token that a message of kind [`TOKEN_MESSAGE`] carries.
///
/// # Safety
/// The fragment is live and of that kind.
pub(crate) unsafe fn token_in(message: *mut Fragment) -> Option<Token> {
    // SAFETY: `message_with` has written a term into the last word.
    let term = unsafe {
        let last = (*message).words as usize - 1;
        Term::from_bits(*Fragment::words_pointer(message).add(last))
    };
    Token::of_term(term)
}
