//! What is told to a node that lacks a distribution flag.
//!
//! Signals are made in their newest form, perhaps before it is known what the other node is capable of. Here they get
//! the form that it understands; where there is none, they are dropped, or answered in its place.

use layout::{Term, no_gc};
use term::am;
use term::release::{self, Release};

use crate::channel::Channel;
use crate::control::{Control, alternative, code};
use crate::flags::{Flag, Flags};
use crate::spawn;
use runtime::mail::signal;
use runtime::process::signal::Signal;

/// Signals that need none of these have one form only.
const NEWEST: [Flag; 7] = [
    Flag::Monitor,
    Flag::MonitorName,
    Flag::SendSender,
    Flag::ExitPayload,
    Flag::UnlinkId,
    Flag::Spawn,
    Flag::Alias,
];

/// What becomes of a signal.
pub(super) struct Downgraded {
    /// What is sent.
    pub message: Option<(Control, Option<Term>)>,
    /// What the sender would have heard of a newer node.
    pub answer: Option<Answer>,
}

/// See [`Downgraded`].
#[derive(Clone, Copy)]
pub(super) enum Answer {
    /// To the spawn request of this number: the other node cannot do that.
    NotSpawned { number: u64 },
    /// An acknowledgement: the other node needs no number to tell a new link from one that was removed.
    Unlinked { pid: Term, from: Term, number: u64 },
}

/// Whether a node with these flags understands every form that this node sends.
pub(super) fn understands_all(both: Flags) -> bool {
    let knows_alternative = both.has(Flag::AlternativeSend) || !release::has(Release::OTP_28);
    knows_alternative && NEWEST.iter().all(|&flag| both.has(flag))
}

/// The form of a signal that a node with these flags understands; `None` if it is the one that it has.
pub(super) fn translate(both: Flags, control: Term, payload: Option<Term>) -> Option<Downgraded> {
    let no_gc = no_gc!();
    let [code, rest @ ..] = control.as_tuple(no_gc)? else {
        return None;
    };
    let lacks = |flag| !both.has(flag);
    let knows_monitors = both.has(Flag::Monitor) && both.has(Flag::MonitorName);
    let sent = |control| Downgraded {
        message: Some((control, None)),
        answer: None,
    };
    let downgraded = match (code.as_small()?, rest) {
        (code::ALTERNATIVE_SEND, &[flags, from, to, ref token @ ..])
            if lacks(Flag::AlternativeSend) =>
        {
            return Some(before_alternative(
                both,
                flags.as_small()?,
                (from, to),
                token,
                payload,
            ));
        }
        // A monitor of a process there is one of the connection then. This serves nodes that are one process, as those
        // in C.
        (code::MONITOR | code::DEMONITOR | code::DOWN | code::PAYLOAD_DOWN, _)
            if !knows_monitors =>
        {
            Downgraded {
                message: None,
                answer: None,
            }
        }
        (code::SEND_SENDER, &[_, to]) if lacks(Flag::SendSender) => Downgraded {
            message: Some((Control::new(code::SEND, &[am::EMPTY, to]), payload)),
            answer: None,
        },
        (code::ALIAS_SEND, _) if lacks(Flag::Alias) => Downgraded {
            message: None,
            answer: None,
        },
        (code::PAYLOAD_EXIT, &[from, to]) if lacks(Flag::ExitPayload) => {
            sent(Control::new(code::EXIT, &[from, to, payload?]))
        }
        (code::PAYLOAD_EXIT_TRACED, &[from, to, token]) if lacks(Flag::ExitPayload) => sent(
            Control::new(code::EXIT_TRACED, &[from, to, token, payload?]),
        ),
        (code::PAYLOAD_EXIT2, &[from, to]) if lacks(Flag::ExitPayload) => {
            sent(Control::new(code::EXIT2, &[from, to, payload?]))
        }
        (code::PAYLOAD_DOWN, &[from, to, reference]) if lacks(Flag::ExitPayload) => {
            sent(Control::new(code::DOWN, &[from, to, reference, payload?]))
        }
        (code::UNLINK_ID, &[number, pid, from]) if lacks(Flag::UnlinkId) => Downgraded {
            message: Some((Control::new(code::UNLINK, &[pid, from]), None)),
            answer: Some(Answer::Unlinked {
                pid,
                from,
                number: term::integer::uint64(number)?,
            }),
        },
        (code::UNLINK_ID_ACK, _) if lacks(Flag::UnlinkId) => Downgraded {
            message: None,
            answer: None,
        },
        (code::SPAWN_REQUEST, &[reference, ..]) if lacks(Flag::Spawn) => Downgraded {
            message: None,
            answer: Some(Answer::NotSpawned {
                number: term::reference::number(reference)?.0,
            }),
        },
        _ => return None,
    };
    Some(downgraded)
}

/// The form of a message or exit signal before OTP 28. Exit signals through aliases have none.
fn before_alternative(
    both: Flags,
    flags: i64,
    (from, to): (Term, Term),
    token: &[Term],
    payload: Option<Term>,
) -> Downgraded {
    let is = |flag| flags & flag != 0;
    let traced = |plain, traced| if token.is_empty() { plain } else { traced };
    let control = if is(alternative::EXIT) {
        to.is_pid()
            .then(|| Control::new(code::PAYLOAD_EXIT2, &[from, to]))
    } else if is(alternative::ALIAS) {
        let code = traced(code::ALIAS_SEND, code::ALIAS_SEND_TRACED);
        Some(Control::with(code, |_| {
            [&[from, to], token].concat().into()
        }))
    } else if is(alternative::NAME) {
        let code = traced(code::REG_SEND, code::REG_SEND_TRACED);
        Some(Control::with(code, |_| {
            [&[from, am::EMPTY, to], token].concat().into()
        }))
    } else {
        let code = traced(code::SEND_SENDER, code::SEND_SENDER_TRACED);
        Some(Control::with(code, |_| {
            [&[from, to], token].concat().into()
        }))
    };
    let Some(control) = control else {
        return Downgraded {
            message: None,
            answer: None,
        };
    };
    // The node may lack what this form needs, too.
    translate(both, control.term(), payload).unwrap_or(Downgraded {
        message: Some((control, payload)),
        answer: None,
    })
}

/// Answers for the other node.
pub(super) fn answer(channel: &Channel, answer: Answer) {
    match answer {
        Answer::NotSpawned { number } => {
            if let Some(handle) = channel.relations.find_spawn(number) {
                spawn::replied(handle, am::NOTSUP, 0, None);
            }
        }
        Answer::Unlinked { pid, from, number } => {
            if let Some(handle) = channel.relations.find_link(pid, from) {
                let from = handle;
                signal::send_or_bounce(pid, Signal::UnlinkAck { from, number });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::DEFAULT;

    fn all_but(flag: Flag) -> Flags {
        Flags(Flags::of(DEFAULT).0 & !(1 << flag as u8))
    }

    fn codes(lacking: Flag, control: &Control) -> (Option<Option<Term>>, bool) {
        match translate(all_but(lacking), control.term(), Some(am::NORMAL)) {
            None => (None, false),
            Some(Downgraded { message, answer }) => {
                let code =
                    message.map(|(control, _)| control.term().as_tuple(no_gc!()).unwrap()[0]);
                (Some(code), answer.is_some())
            }
        }
    }

    /// Each form that needs a flag gets the older one without it, and stays what it is where only others are lacking.
    #[test]
    fn newer_forms_are_translated() {
        let [a, b] = [Term::local_pid(1, 0), Term::local_pid(2, 0)];
        let form = |code| Some(Some(Term::small(code)));
        let number = Term::small(7);
        let cases = [
            (
                code::MONITOR,
                vec![a, b, am::OK],
                Flag::Monitor,
                Some(None),
                false,
            ),
            (
                code::DEMONITOR,
                vec![a, b, am::OK],
                Flag::Monitor,
                Some(None),
                false,
            ),
            (
                code::SEND_SENDER,
                vec![a, b],
                Flag::SendSender,
                form(code::SEND),
                false,
            ),
            (code::ALIAS_SEND, vec![a, b], Flag::Alias, Some(None), false),
            (
                code::PAYLOAD_EXIT,
                vec![a, b],
                Flag::ExitPayload,
                form(code::EXIT),
                false,
            ),
            (
                code::PAYLOAD_EXIT2,
                vec![a, b],
                Flag::ExitPayload,
                form(code::EXIT2),
                false,
            ),
            (
                code::PAYLOAD_DOWN,
                vec![a, b, am::OK],
                Flag::ExitPayload,
                form(code::DOWN),
                false,
            ),
            (
                code::UNLINK_ID,
                vec![number, a, b],
                Flag::UnlinkId,
                form(code::UNLINK),
                true,
            ),
            (
                code::UNLINK_ID_ACK,
                vec![number, a, b],
                Flag::UnlinkId,
                Some(None),
                false,
            ),
        ];
        for (code, rest, lacking, expected, is_answered) in &cases {
            let control = Control::new(*code, rest);
            assert_eq!(
                codes(*lacking, &control),
                (*expected, *is_answered),
                "{code}"
            );
            for (_, _, other, ..) in &cases {
                let is_dropped = *code == code::PAYLOAD_DOWN && *other == Flag::Monitor;
                if other != lacking && !is_dropped {
                    assert_eq!(
                        codes(*other, &control),
                        (None, false),
                        "{code} without {other:?}"
                    );
                }
            }
        }
        let monitor = Control::new(code::MONITOR, &[a, b, am::OK]);
        assert_eq!(codes(Flag::MonitorName, &monitor), (Some(None), false));
        assert!(understands_all(Flags::of(DEFAULT)));
        assert!(!understands_all(all_but(Flag::Spawn)));
    }
}
