//! Kinds of signals, and what each brings with it.
//!
//! A message is a [`Fragment`] of kind [`MESSAGE`]. The words of any other fragment hold a [`Signal`]. What each does
//! to its receiver is in `effects::signal_handling`.

use layout::{Fragment, Term};
use term::copy::Owned;
use term::heap;

use super::Process;
use super::relations::{ReferenceNumber, Watcher};
use super::timer_key::TimerKey;

/// [`Fragment::kind`] of a message.
pub const MESSAGE: u32 = 0;
/// [`Fragment::kind`] of a [`Signal`].
pub const OTHER: u32 = 1;
/// [`Fragment::kind`] of a message sent to an alias, which is dropped unless the alias is active. The first two words
/// of the fragment are the alias's number.
pub const ALIAS_MESSAGE: u32 = 2;
/// [`Fragment::kind`] of a removed monitor; the only word is the low part of its number.
pub const DEMONITOR: u32 = 3;
/// [`Fragment::kind`] of a message from another node, which its receiver decodes. Its words and term are for
/// [`Remote::decode`](crate::mail::remote::Remote::decode) alone.
pub const UNDECODED: u32 = 4;
/// [`Fragment::kind`] of a message that the machine sends, not a program: it leaves the receiver's token alone.
pub const OWN_MESSAGE: u32 = 5;
/// As [`ALIAS_MESSAGE`], with a token as in [`TOKEN_MESSAGE`].
pub const ALIAS_TOKEN_MESSAGE: u32 = 6;
/// [`Fragment::kind`] of a message that carries a token of sequential trace: the fragment's last word is a term.
pub const TOKEN_MESSAGE: u32 = 7;
/// [`Fragment::kind`] of an envelope, which has a message of another kind, that message's term, and its sender: see
/// `mail::senders`.
pub const ENVELOPE: u32 = 8;
/// A bit of [`Fragment::kind`] beside these: the message is to be received before those without it ([`priority`]).
///
/// [`priority`]: crate::effects::receive::priority
pub const PRIORITY: u32 = 1 << 31;
/// A bit of [`Fragment::kind`] beside these: it is measured how long the message waits ([`waits`](super::waits)). Only
/// messages for which [`can_be_measured`] is true have it.
pub const MEASURED: u32 = 1 << 30;

// A message in the inner queue whose kind is less than this needs nothing when it is received.
const _: () =
    assert!(MESSAGE < TOKEN_MESSAGE && OWN_MESSAGE < TOKEN_MESSAGE && TOKEN_MESSAGE < MEASURED);

/// The messages among these signals and those that follow.
///
/// # Safety
/// Nobody takes signals out of the list while the result is used. Those that are pushed meanwhile go before the newest,
/// so they do not change the rest of it.
pub unsafe fn messages_from(mut next: *mut Fragment) -> impl Iterator<Item = Term> {
    std::iter::from_fn(move || {
        while !next.is_null() {
            // SAFETY: a fragment of the list, by the caller's promise.
            let (kind, term, following) = unsafe { ((*next).kind, (*next).term, (*next).next) };
            next = following;
            if is_plain_message(kind) {
                return Some(term);
            }
        }
        None
    })
}

/// Whether a fragment of a kind is a message, and has its term.
fn is_plain_message(kind: u32) -> bool {
    matches!(
        kind & !MEASURED,
        MESSAGE | TOKEN_MESSAGE | OWN_MESSAGE | ENVELOPE
    )
}

/// Whether it can be measured how long a message of a kind waits: all of them but those that carry more than a message,
/// a token or its sender, because a program traces them.
#[must_use]
pub fn can_be_measured(kind: u32) -> bool {
    matches!(
        kind & !PRIORITY,
        MESSAGE | OWN_MESSAGE | ALIAS_MESSAGE | UNDECODED
    )
}

/// A function that the receiver runs.
pub type Call = Box<dyn FnOnce(Option<&mut Process>) + Send>;

/// Signals other than messages.
pub enum Signal {
    /// An exit signal. If `linked`, it comes from a broken link, and has an effect only if the receiver still has that
    /// link.
    Exit {
        from: Term,
        reason: Owned,
        linked: bool,
    },
    /// An exit signal of a broken link that carries a token of sequential trace: `{Reason, Token}`.
    TokenExit {
        from: Term,
        exit: Owned,
    },
    /// An exit signal from another node: `{From, Reason}`, or with a token `{From, Reason, Token}`. If `link` is a
    /// handle, it comes from a broken link.
    RemoteExit {
        exit: Owned,
        link: Option<Term>,
    },
    Link {
        from: Term,
    },
    /// `from` removed its link; `number` distinguishes its unlink signals.
    Unlink {
        from: Term,
        number: u64,
    },
    /// `from` has handled the unlink signal with this number.
    UnlinkAck {
        from: Term,
        number: u64,
    },
    Monitor {
        reference: ReferenceNumber,
        watcher: Watcher,
    },
    /// The target of one of the receiver's monitors is gone.
    Down {
        reference: ReferenceNumber,
        from: Option<Term>,
        reason: Owned,
    },
    /// A receive timer expired.
    Timeout {
        timer: TimerKey,
    },
    /// A function to be called by the owner of the receiver, with access to it; or with `None` if the receiver is gone.
    Call(Call),
}

const _: () = assert!(align_of::<Signal>() <= 8 && size_of::<Signal>().is_multiple_of(8));

/// Signals that their receiver has taken from its queue and not handled yet, the oldest first, linked through `next`.
/// Nobody else refers to them.
pub struct Taken(*mut Fragment);

// SAFETY: whoever has this value owns the signals, which any thread may handle.
unsafe impl Send for Taken {}

impl Taken {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_null()
    }

    /// The oldest one.
    #[must_use]
    pub fn oldest(&self) -> *mut Fragment {
        self.0
    }

    /// Keeps these signals. There are none yet.
    pub(crate) fn keep(&mut self, oldest: *mut Fragment) {
        debug_assert!(self.is_empty(), "signals are forgotten");
        self.0 = oldest;
    }

    pub(crate) fn take(&mut self) -> *mut Fragment {
        std::mem::take(self).0
    }
}

impl Default for Taken {
    fn default() -> Taken {
        Taken(std::ptr::null_mut())
    }
}

/// Words of a term that a signal owns besides its fragment.
///
/// # Safety
/// `fragment` is a live fragment of a signal queue, or one that was taken from it.
#[must_use]
pub unsafe fn owned_words(fragment: *mut Fragment) -> u64 {
    // SAFETY: the caller's promise; `boxed` wrote the signal.
    unsafe {
        if (*fragment).kind != OTHER {
            return 0;
        }
        match &*Fragment::words_pointer(fragment).cast::<Signal>() {
            Signal::Exit { reason: term, .. }
            | Signal::TokenExit { exit: term, .. }
            | Signal::RemoteExit { exit: term, .. }
            | Signal::Down { reason: term, .. } => term.words().into(),
            Signal::Link { .. }
            | Signal::Unlink { .. }
            | Signal::UnlinkAck { .. }
            | Signal::Monitor { .. }
            | Signal::Timeout { .. }
            | Signal::Call(_) => 0,
        }
    }
}

/// Puts a signal into a fragment.
pub(crate) fn boxed(signal: Signal) -> *mut Fragment {
    let fragment = heap::new_fragment(size_of::<Signal>() / 8);
    // SAFETY: the fragment is new; its words have the signal's size and alignment.
    unsafe {
        (*fragment).kind = OTHER;
        Fragment::words_pointer(fragment)
            .cast::<Signal>()
            .write(signal);
    }
    fragment
}

/// Takes the signal out of its fragment and frees the fragment.
///
/// # Safety
/// `fragment` is a live fragment of kind [`OTHER`], in no list.
pub(crate) unsafe fn unboxed(fragment: *mut Fragment) -> Signal {
    // SAFETY: the caller's promise; `boxed` wrote the signal, which is moved out of the fragment before that is freed.
    unsafe {
        let signal = Fragment::words_pointer(fragment).cast::<Signal>().read();
        heap::free_fragment(fragment);
        signal
    }
}
