//! The options of `spawn_opt` and `spawn_request`, and those of a monitor.
//!
//! Pure functions of terms. An option that is not understood refuses the whole list.

use std::sync::atomic::Ordering;

use layout::{Term, no_gc};
use term::copy::Owned;
use term::release::{self, Release};
use term::{am, list};

use crate::mail::bound;
use crate::process::Priority;
use crate::process::extras::HeapOptions;
use crate::process::heap_limit::{DEFAULTS, HeapLimit, binary_words, heap_words, size};
use crate::process::rank::Rank;
use crate::process::relations::{AliasKind, MonitorOptions};

/// The options of `spawn_opt` and `spawn_request`.
#[derive(Default)]
pub struct SpawnOptions {
    /// Link it, and the rank that the exit message has at the parent.
    pub link: Option<Rank>,
    pub monitor: Option<MonitorOptions>,
    pub priority: Option<Priority>,
    pub min_heap_words: Option<u32>,
    pub fullsweep_after: Option<u16>,
    pub off_heap_messages: Option<bool>,
    pub heap: HeapOptions,
    /// Whether it waits for a busy connection to another node, if the options say so.
    pub async_dist: Option<bool>,
    pub system: bool,
    /// The number of the scheduler that it must run on; 0 for any.
    pub scheduler: u16,
    /// `spawn_request` has asked for it, which shows in what is told of it to a tracer.
    pub requested: bool,
    /// The tag of the reply to a request, if it is not `spawn_reply`.
    pub reply_tag: Option<Term>,
    /// The parent gets a reply to its request.
    pub replied: bool,
    /// The options as the program has listed them, if it has.
    pub listed: Option<Term>,
}

/// Whether the options of a request (`reply`, `reply_tag`) are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Replies {
    Accepted,
    Refused,
}

/// Which replies a request's caller wants, and their tag.
pub struct Reply {
    pub tag: Term,
    pub on_success: bool,
    pub on_error: bool,
}

pub struct Parsed {
    pub options: SpawnOptions,
    pub reply: Reply,
}

/// Why options are invalid.
pub enum BadOptions {
    /// They are not a proper list.
    NoList,
    /// One of them is invalid; the replies that the caller wants.
    Unknown(Reply),
}

/// Reads the options of `spawn_opt` or `spawn_request`.
///
/// # Errors
/// See [`BadOptions`].
pub fn parse(list: Term, replies: Replies) -> Result<Parsed, BadOptions> {
    let mut options = SpawnOptions::default();
    let mut reply = Reply {
        tag: am::SPAWN_REPLY,
        on_success: true,
        on_error: true,
    };
    let mut all_good = true;
    for option in list::items(list) {
        let option = option.map_err(|_| BadOptions::NoList)?;
        let good = match option.as_tuple(no_gc!()) {
            Some(&[am::REPLY, when]) if replies == Replies::Accepted => {
                set_reply(&mut reply, when).is_some()
            }
            Some(&[am::REPLY_TAG, tag]) if replies == Replies::Accepted => {
                reply.tag = tag;
                true
            }
            Some(&[name, value]) => set_option(&mut options, name, value).is_some(),
            Some(_) => false,
            None => set_flag(&mut options, option).is_some(),
        };
        all_good &= good;
    }
    let least = options
        .min_heap_words
        .unwrap_or_else(|| DEFAULTS.min_heap_words.load(Ordering::Relaxed));
    if let Some(most) = options.heap.max_heap_words
        && most != 0
        && most < u64::from(least)
    {
        all_good = false;
    }
    options.listed = Some(list);
    if all_good {
        Ok(Parsed { options, reply })
    } else {
        Err(BadOptions::Unknown(reply))
    }
}

/// The value of `reply`: who is told.
pub fn set_reply(reply: &mut Reply, when: Term) -> Option<()> {
    (reply.on_success, reply.on_error) = match when {
        am::YES => (true, true),
        am::NO => (false, false),
        am::ERROR_ONLY => (false, true),
        am::SUCCESS_ONLY => (true, false),
        _ => return None,
    };
    Some(())
}

fn set_flag(options: &mut SpawnOptions, flag: Term) -> Option<()> {
    match flag {
        am::LINK => options.link = Some(Rank::Ordinary),
        am::MONITOR => options.monitor = Some(MonitorOptions::default()),
        _ => return None,
    }
    Some(())
}

fn set_option(options: &mut SpawnOptions, name: Term, value: Term) -> Option<()> {
    match name {
        am::MONITOR => options.monitor = Some(monitor_options(value)?),
        am::LINK if release::has(Release::OTP_28) => {
            options.link = Some(rank(value)?);
        }
        am::PRIORITY => options.priority = Some(Priority::from_atom(value)?),
        am::MESSAGE_QUEUE_DATA => options.off_heap_messages = Some(is_off_heap(value)?),
        am::MIN_HEAP_SIZE => {
            options.min_heap_words = Some(heap_words(value)?);
        }
        am::MIN_BIN_VHEAP_SIZE => options.heap.min_binary_words = Some(binary_words(value)?),
        am::FULLSWEEP_AFTER => {
            options.fullsweep_after = Some(u16::try_from(size(value)?).unwrap_or(u16::MAX));
        }
        am::MAX_HEAP_SIZE => {
            let limit = HeapLimit::parse(value)?;
            options.heap.max_heap_words = Some(limit.words);
            options.heap.max_heap_kill = Some(limit.kill);
            options.heap.max_heap_log = Some(limit.log);
            options.heap.max_heap_binaries = Some(limit.binaries);
        }
        am::SCHEDULER => options.scheduler = bound::number_of(value)?,
        am::ASYNC_DIST if release::has(Release::OTP_26) => {
            options.async_dist = Some(am::to_boolean(value)?);
        }
        _ => return None,
    }
    Some(())
}

/// The rank that a list of options gives of which there is one, `priority`.
#[must_use]
pub fn rank(options: Term) -> Option<Rank> {
    let mut rank = Rank::Ordinary;
    for option in list::items(options) {
        match option {
            Ok(am::PRIORITY) => rank = Rank::Priority,
            _ => return None,
        }
    }
    Some(rank)
}

/// The options of a monitor: `{alias, Kind}`, `{tag, Term}`, and from OTP 28 on `priority`.
pub fn monitor_options(list: Term) -> Option<MonitorOptions> {
    let mut options = MonitorOptions::default();
    for option in list::items(list) {
        let option = option.ok()?;
        match option.as_tuple_of() {
            None if option == am::PRIORITY && release::has(Release::OTP_28) => {
                options.rank = Rank::Priority;
            }
            Some([am::ALIAS, kind]) => {
                options.alias = Some(match kind {
                    am::EXPLICIT_UNALIAS => AliasKind::ExplicitUnalias,
                    am::DEMONITOR => AliasKind::Demonitor,
                    am::REPLY_DEMONITOR => AliasKind::ReplyDemonitor,
                    _ => return None,
                });
            }
            Some([am::TAG, tag]) => options.tag = Some(Owned::new(tag)),
            _ => return None,
        }
    }
    Some(options)
}

/// The value of `message_queue_data`: whether messages stay off the heap.
pub fn is_off_heap(value: Term) -> Option<bool> {
    match value {
        am::OFF_HEAP => Some(true),
        am::ON_HEAP => Some(false),
        _ => None,
    }
}
