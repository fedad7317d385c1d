//! Who ends when memory runs out, and whose garbage is collected before that.
//!
//! The size of a process is what its end frees: its heap and messages, its share of shared binaries and native
//! resources, the timers that send to it, its ETS tables, and what waits in its ports. The largest ends, and with it
//! others of about its size if it alone does not hold enough. Where that is many, those end first of whose kind,
//! spawned by the same process with the same function, there is most: a crowd, and not who happens to be as large as
//! one of it. The processes that a node cannot do without never end for others' sake; supervisors end only when there
//! is nobody else.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::time::Duration;

use distribution::peers;
use layout::Term;
use runtime::effects::collection::{self, dirty_collection};
use runtime::effects::flood;
use runtime::effects::holdings::{self, Holdings, Reach, Vital};
use runtime::effects::port;
use runtime::effects::signal_handling;
use runtime::mail::timer::bif_timers;
use runtime::mail::{registry, signal, tasks};
use runtime::process::signal::Signal;
use runtime::process::{Flags, Process};
use sys::memory::budget::Marks;
use term::atom;
use term::copy::Owned;

use crate::{events, keeper};

/// At most this many processes are candidates at a time, so that the choice itself takes little memory.
const MOST_CANDIDATES: usize = 8192;
/// The same, before the node is given up: it may be that each of very many holds a little.
const MOST_LAST_CANDIDATES: usize = 1 << 16;

/// Processes that hold less than this part of what is wanted do not end for it.
const LEAST_PART: u64 = 8;

/// How long the lock of a port, or of a part of a table, is waited for.
const PATIENCE: Duration = Duration::from_millis(1);
/// The same, before the node is given up.
const LAST_PATIENCE: Duration = Duration::from_millis(100);

/// Processes that wait are collected from this size on.
const LARGE_HEAP_BYTES: u64 = 256 << 10;

/// What the end of a process frees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    own: Holdings,
    table_bytes: u64,
    port_bytes: u64,
}

impl Size {
    pub(crate) fn bytes(&self) -> u64 {
        self.own.bytes() + self.table_bytes + self.port_bytes
    }
}

/// A process that is ended.
pub(crate) struct Offender {
    pub(crate) pid: Term,
    pub(crate) bytes: u64,
    pub(crate) description: String,
}

impl Offender {
    /// Says that it ends, and why.
    pub(crate) fn tell(&self, marks: &Marks, resident: u64) {
        events::ends(self.pid, self.bytes, &self.description, marks, resident);
    }
}

/// A process that may be ended: those that the keeper has given up are first, supervisors are last, and of the others
/// the largest first.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Candidate {
    is_given_up: bool,
    is_no_supervisor: bool,
    /// Its bytes, divided by what it is worth.
    weight: u64,
    bytes: u64,
    pid: Term,
    parent: Option<Term>,
    begun_with: u64,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        let key = |each: &Candidate| {
            let rank = (each.is_given_up, each.is_no_supervisor);
            (rank, each.weight, each.pid.bits())
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Ends the largest processes until `wanted` bytes are to be freed, and returns how many were ended. If more than any
/// process holds waits to be sent to another node, the connection to that is closed instead, which counts as one. The
/// last attempt waits for whoever works on a table, and closes a connection whatever waits: while there is none yet,
/// the binaries of its messages are not counted.
pub(crate) fn end_largest(wanted: u64, marks: &Marks, resident: u64, is_last: bool) -> u64 {
    let patience = match is_last {
        true => LAST_PATIENCE,
        false => PATIENCE,
    };
    let apart = Apart::within(patience);
    let most = match is_last {
        true => MOST_LAST_CANDIDATES,
        false => MOST_CANDIDATES,
    };
    let candidates = candidates(&apart, most);
    let largest = candidates.iter().map(|candidate| candidate.bytes).max();
    let least = match is_last {
        true => 0,
        false => largest.unwrap_or(0).max(wanted / LEAST_PART),
    };
    if let Some((channel, bytes)) = peers::fullest_within(patience)
        && bytes as u64 > least
    {
        channel.give_up();
        events::closes(channel.node, bytes as u64, marks, resident);
        return 1;
    }
    end(
        &enough(&candidates, wanted, is_last),
        &apart,
        marks,
        resident,
    )
}

/// Ends the processes that hold most, for a process that wants `wanted` bytes more and would have this weight then, but
/// only those of a larger one, and those that the keeper has given up. Returns how many were ended.
pub(crate) fn end_larger(weight: u64, wanted: u64, marks: &Marks, resident: u64) -> u64 {
    let apart = Apart::within(PATIENCE);
    let mut candidates = candidates(&apart, MOST_CANDIDATES);
    candidates.retain(|candidate| candidate.is_given_up || candidate.weight > weight);
    end(&enough(&candidates, wanted, false), &apart, marks, resident)
}

/// Whether the guard must not end this process.
pub(crate) fn is_kept(process: &Process) -> bool {
    let vital = Vital::now();
    vital.has(&holdings::standing(process)) || vital.has_helper(process)
}

/// The weight of a process that holds so many bytes.
pub(crate) fn weight(process: &Process, bytes: u64) -> u64 {
    match keeper::first().contains(&process.pid().bits()) {
        true => u64::MAX,
        false => bytes / holdings::standing(process).worth,
    }
}

/// A process that ends because there is no memory for what it wants.
pub(crate) fn about(process: &Process) -> Offender {
    let size = size_of(process, &Apart::default());
    Offender {
        pid: process.pid(),
        bytes: size.bytes(),
        description: holdings::describe(process, &size.own),
    }
}

/// Of how many that end at once it is told what each held: what is told of one takes more memory than many a process.
const MOST_TOLD: usize = 16;

fn end(chosen: &[Candidate], apart: &Apart, marks: &Marks, resident: u64) -> u64 {
    let (told, others) = chosen.split_at(chosen.len().min(MOST_TOLD));
    let offenders = describe(told, apart);
    for candidate in chosen {
        let end = |process: Option<&mut Process>| {
            if let Some(process) = process {
                let reason = Owned::new(atom::known("memory_guard"));
                signal_handling::die(process, reason);
            }
        };
        // One that has ended by itself meanwhile is as good.
        let _ = signal::send(candidate.pid, Signal::Call(Box::new(end)));
    }
    for offender in offenders {
        offender.tell(marks, resident);
    }
    let sizes = others.iter().map(|other| (other.pid, other.bytes));
    events::others_end(sizes, marks, resident);
    chosen.len() as u64
}

/// Those that may be ended, at most so many, the one that ends first in front.
fn candidates(apart: &Apart, most: usize) -> Vec<Candidate> {
    let vital = Vital::now();
    let given_up = keeper::first();
    // The least of the candidates is at the top, to be replaced.
    let mut largest: BinaryHeap<Reverse<Candidate>> = BinaryHeap::with_capacity(most + 1);
    let measure = |process: &Process, reach: &mut Reach| size_within(process, apart, reach).bytes();
    holdings::look_into_all(measure, |process, bytes| {
        let standing = holdings::standing(process);
        if vital.has(&standing) {
            return;
        }
        largest.push(Reverse(Candidate {
            is_given_up: given_up.contains(&standing.pid.bits()),
            is_no_supervisor: !standing.is_supervisor,
            weight: bytes / standing.worth,
            bytes,
            pid: standing.pid,
            parent: standing.parent,
            begun_with: holdings::begun_with(process),
        }));
        if largest.len() > most {
            largest.pop();
        }
    });
    let mut candidates: Vec<Candidate> = largest.into_iter().map(|Reverse(each)| each).collect();
    let children = candidates
        .iter()
        .filter_map(|each| Some((each.pid, each.parent?)));
    let helpers = vital.helpers(&children.collect::<Vec<_>>());
    candidates.retain(|each| !helpers.contains(&each.pid));
    candidates.sort_unstable_by(|one, other| other.cmp(one));
    candidates
}

/// The first candidates that hold `wanted` bytes together: those that were given up, then others, and supervisors only
/// if the others hold next to nothing of what is wanted.
fn enough(candidates: &[Candidate], wanted: u64, is_last: bool) -> Vec<Candidate> {
    let (given_up, rest) = split(candidates, |candidate| candidate.is_given_up);
    let (others, supervisors) = split(rest, |candidate| candidate.is_no_supervisor);
    let mut chosen = first_of(given_up, wanted).to_vec();
    let missing = wanted.saturating_sub(bytes_of(&chosen));
    if missing == 0 {
        return chosen;
    }
    for candidates in [others, supervisors] {
        let largest = largest(candidates, missing, wanted, is_last);
        if largest.len() > FEW {
            chosen.extend(crowd(candidates, bytes_of(largest)));
        } else {
            chosen.extend(largest);
        }
        if !largest.is_empty() {
            break;
        }
    }
    chosen
}

/// More than this are a crowd.
const FEW: usize = 8;

/// A kind that holds less than this part of what is to be freed is spared, as far as others hold enough.
const LEAST_PART_OF_KIND: u64 = 64;

/// Of these candidates those that hold so many bytes together: first of the kind that holds most, of each kind the
/// largest first. They are of one kind if one process has spawned them with the same function; where these hold too
/// little, as when each has spawned the next one, if they began with the same function.
fn crowd(candidates: &[Candidate], bytes: u64) -> Vec<Candidate> {
    let by_parent = of_large_kinds(candidates, bytes, |each| {
        let parent = each.parent.map_or(0, Term::bits);
        (parent, each.begun_with)
    });
    if bytes_of(&by_parent) >= bytes / 2 {
        return by_parent;
    }
    let by_function = of_large_kinds(candidates, bytes, |each| (0, each.begun_with));
    match bytes_of(&by_function) >= bytes / 2 {
        true => by_function,
        false => first_of(candidates, bytes).to_vec(),
    }
}

fn of_large_kinds(
    candidates: &[Candidate],
    bytes: u64,
    kind: impl Fn(&Candidate) -> (u64, u64),
) -> Vec<Candidate> {
    let mut held: HashMap<(u64, u64), u64> = HashMap::new();
    for candidate in candidates {
        *held.entry(kind(candidate)).or_default() += candidate.bytes;
    }
    let mut chosen = candidates.to_vec();
    chosen.retain(|each| held[&kind(each)] >= bytes / LEAST_PART_OF_KIND);
    chosen.sort_by_key(|each| Reverse((held[&kind(each)], kind(each))));
    chosen.truncate(first_of(&chosen, bytes).len());
    chosen
}

fn split(
    candidates: &[Candidate],
    is_before: impl Fn(&Candidate) -> bool,
) -> (&[Candidate], &[Candidate]) {
    candidates.split_at(candidates.partition_point(is_before))
}

fn bytes_of(candidates: &[Candidate]) -> u64 {
    candidates.iter().map(|candidate| candidate.bytes).sum()
}

/// The first of these that hold so many bytes together, or all.
fn first_of(candidates: &[Candidate], bytes: u64) -> &[Candidate] {
    let mut held = 0;
    let count = candidates.iter().take_while(|candidate| {
        let is_needed = held < bytes;
        held += candidate.bytes;
        is_needed
    });
    &candidates[..count.count()]
}

/// The first of these, of about the size of the very first, until they hold the missing bytes: what is much smaller
/// does not matter beside it. If they hold next to nothing of what is wanted their end would not help. Then it may be
/// many small ones that hold it, which end if they hold the half of it, or, before the node is given up, anything of
/// it.
fn largest(candidates: &[Candidate], missing: u64, wanted: u64, is_last: bool) -> &[Candidate] {
    let Some(first) = candidates.first() else {
        return &[];
    };
    let alike = candidates.partition_point(|candidate| candidate.weight >= first.weight / 4);
    let alike = first_of(&candidates[..alike], missing);
    if bytes_of(alike) >= wanted / LEAST_PART {
        return alike;
    }
    let least = match is_last {
        true => wanted / LEAST_PART,
        false => wanted / 2,
    };
    let small = first_of(candidates, missing);
    match bytes_of(small) >= least {
        true => small,
        false => &[],
    }
}

/// Looks at those that were chosen once more: what is told of them takes memory, so it is made for them alone.
fn describe(chosen: &[Candidate], apart: &Apart) -> Vec<Offender> {
    let mut offenders = Vec::new();
    let pids = chosen.iter().map(|candidate| candidate.pid);
    holdings::look_at(pids, |process| {
        let size = size_of(process, apart);
        let mut description = holdings::describe(process, &size.own);
        description.push_str(&format!(
            "     ETS tables:       {} bytes\n     Ports:            {} bytes\n",
            size.table_bytes, size.port_bytes
        ));
        offenders.push(Offender {
            pid: process.pid(),
            bytes: size.bytes(),
            description,
        });
    });
    for offender in &mut offenders {
        offender.description.push_str(&senders(offender.pid));
    }
    offenders.sort_by_key(|offender| Reverse(offender.bytes));
    offenders
}

/// The most senders to an offender that are told of.
const MOST_SENDERS: usize = 3;

/// Lines that tell who has filled the message queue of a process; none if it was not large, or if nobody has seen it.
fn senders(pid: Term) -> String {
    let senders = flood::largest_senders(pid, MOST_SENDERS);
    let mut about: HashMap<u64, String> = HashMap::new();
    holdings::look_at(senders.iter().map(|(sender, _)| *sender), |process| {
        let place = holdings::place(process);
        let text = format!("{}, in {place}", holdings::name_of(process));
        about.insert(process.pid().bits(), text);
    });
    let line = |(sender, percent): &(Term, u64)| {
        let about = about.get(&sender.bits()).map_or("", String::as_str);
        let sender = term::print::display(*sender);
        format!("     Messages from:    {percent} % {sender}{about}\n")
    };
    senders.iter().map(line).collect()
}

fn size_of(process: &Process, apart: &Apart) -> Size {
    size_within(process, apart, &mut Reach::full())
}

fn size_within(process: &Process, apart: &Apart, reach: &mut Reach) -> Size {
    let of = |bytes: &HashMap<u64, u64>| bytes.get(&process.pid().bits()).copied().unwrap_or(0);
    let mut own = holdings::within(process, reach);
    own.timer_bytes += of(&apart.timer_bytes);
    Size {
        own,
        table_bytes: of(&apart.table_bytes),
        port_bytes: of(&apart.port_bytes),
    }
}

/// What belongs to processes, but lies apart from them: bytes by their owners' pids.
#[derive(Default)]
struct Apart {
    table_bytes: HashMap<u64, u64>,
    port_bytes: HashMap<u64, u64>,
    /// Of the timers that send to their names.
    timer_bytes: HashMap<u64, u64>,
}

impl Apart {
    fn within(patience: Duration) -> Apart {
        Apart {
            table_bytes: table_bytes(patience),
            port_bytes: port::waiting_bytes_within(patience),
            timer_bytes: timer_bytes(),
        }
    }
}

/// Parts of tables that somebody is writing to for long do not count.
fn table_bytes(patience: Duration) -> HashMap<u64, u64> {
    let mut bytes = HashMap::new();
    for table in ets::registry::all_within(PATIENCE * 20).unwrap_or_default() {
        let of_owner: &mut u64 = bytes.entry(table.owner().bits()).or_default();
        table.each_part_within(patience, |part| *of_owner += part.bytes() as u64);
    }
    bytes
}

fn timer_bytes() -> HashMap<u64, u64> {
    let by_name = bif_timers::bytes_by_name().into_iter();
    let by_pid = by_name.filter_map(|(name, bytes)| {
        let pid = registry::whereis_process(name)?;
        Some((pid.bits(), bytes))
    });
    by_pid.collect()
}

/// Has the garbage of processes that wait with a large heap collected.
pub(crate) fn collect_those_that_wait() {
    let mut waiting = Vec::with_capacity(MOST_CANDIDATES);
    holdings::look_at_all(|process| {
        let is_large = term::gc::total_words(&process.head.heap) as u64 * 8 >= LARGE_HEAP_BYTES;
        let waits =
            process.flags.contains(Flags::WAITING) && !process.flags.contains(Flags::HIBERNATED);
        if is_large && waits && waiting.len() < MOST_CANDIDATES {
            waiting.push(process.pid());
        }
    });
    for pid in waiting {
        let body = |process: Option<&mut Process>| {
            if let Some(process) = process {
                // SAFETY: between two slices the registers are saved on the stack, so there are no other roots.
                unsafe { collection::collect_all(process, &mut []) };
            }
        };
        tasks::ask_to_collect(pid, dirty_collection::is_wanted_for_all, Box::new(body));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(sizes: &[(bool, u64)]) -> Vec<Candidate> {
        let candidate = |(number, &(is_no_supervisor, bytes)): (usize, &(bool, u64))| Candidate {
            is_given_up: false,
            is_no_supervisor,
            weight: bytes,
            bytes,
            pid: Term::local_pid(number as u32, 0),
            parent: None,
            begun_with: 0,
        };
        let mut candidates: Vec<Candidate> = sizes.iter().enumerate().map(candidate).collect();
        candidates.sort_unstable_by(|one, other| other.cmp(one));
        candidates
    }

    #[track_caller]
    fn check(sizes: &[(bool, u64)], wanted: u64, expected: &[u64]) {
        check_at(sizes, wanted, false, expected);
    }

    #[track_caller]
    fn check_at(sizes: &[(bool, u64)], wanted: u64, is_last: bool, expected: &[u64]) {
        let candidates = candidates(sizes);
        let chosen: Vec<u64> = enough(&candidates, wanted, is_last)
            .iter()
            .map(|each| each.bytes)
            .collect();
        assert_eq!(chosen, expected);
    }

    #[test]
    fn the_largest_end_until_they_hold_enough() {
        let sizes = [(true, 100), (true, 60), (true, 40), (true, 2)];
        check(&sizes, 10, &[100]);
        check(&sizes, 120, &[100, 60]);
        check(&sizes, 900, &[100, 60, 40]);
        check(&[], 10, &[]);
        check(&[(true, 10), (true, 9)], 1000, &[]);
    }

    #[test]
    fn many_small_ones_end_if_they_hold_what_is_wanted_together() {
        let mut sizes = vec![(true, 30)];
        sizes.extend([(true, 2); 200]);
        let all: Vec<u64> = sizes.iter().map(|(_, bytes)| *bytes).collect();
        check(&sizes, 300, &all[..136]);
        check(&sizes, 800, &all);
        check(&sizes, 1000, &[]);
        check_at(&sizes, 1000, true, &all);
        check_at(&sizes, 4000, true, &[]);
    }

    #[test]
    fn of_a_crowd_those_end_first_of_whose_kind_there_is_most() {
        let mut all = candidates(&[(true, 30); 400]);
        for (number, candidate) in all.iter_mut().enumerate() {
            candidate.begun_with = [1, 2, 1, 3][number % 4];
        }
        // One that happens to be as large.
        all[4].begun_with = 4;
        let chosen = |all: &[Candidate], count| {
            let chosen = enough(all, 30 * count, false);
            assert_eq!(chosen.len() as u64, count);
            chosen
                .iter()
                .map(|each| each.begun_with)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            chosen(&all, 8),
            [1, 2, 1, 3, 4, 2, 1, 3],
            "few are no crowd"
        );
        assert_eq!(chosen(&all, 199), [1; 199]);
        assert_eq!(chosen(&all, 299)[199..], [3; 100][..]);
        let most = enough(&all, 30 * 400, false);
        assert!(most.len() == 399 && most.iter().all(|each| each.begun_with != 4));
        // Each has spawned the next one.
        for (number, candidate) in all.iter_mut().enumerate() {
            candidate.parent = Some(Term::local_pid(1000 + number as u32, 0));
        }
        assert_eq!(chosen(&all, 199), [1; 199]);
        for (number, candidate) in all.iter_mut().enumerate() {
            candidate.begun_with = number as u64;
        }
        assert_eq!(chosen(&all, 400).len(), 400);
    }

    #[test]
    fn supervisors_end_when_there_is_nobody_else() {
        check(&[(false, 1000), (true, 100), (true, 80)], 500, &[100, 80]);
        check(&[(false, 1000), (true, 9), (true, 8)], 500, &[1000]);
        check(&[(false, 1000), (false, 900)], 500, &[1000]);
    }

    #[test]
    fn those_that_were_given_up_end_first_and_those_of_worth_last() {
        let chosen = |sizes: &[(bool, u64, u64)], wanted| {
            let candidate = |(number, &(is_given_up, worth, bytes))| Candidate {
                is_given_up,
                is_no_supervisor: true,
                weight: bytes / worth,
                bytes,
                pid: Term::local_pid(number as u32, 0),
                parent: None,
                begun_with: 0,
            };
            let mut candidates: Vec<Candidate> = sizes.iter().enumerate().map(candidate).collect();
            candidates.sort_unstable_by(|one, other| other.cmp(one));
            let chosen = enough(&candidates, wanted, false);
            chosen.iter().map(|each| each.bytes).collect::<Vec<_>>()
        };
        let sizes = [
            (false, 10, 900),
            (false, 1, 100),
            (true, 1, 5),
            (true, 1, 7),
        ];
        assert_eq!(chosen(&sizes, 6), [7]);
        assert_eq!(chosen(&sizes, 50), [7, 5, 100]);
        assert_eq!(chosen(&sizes, 800), [7, 5, 100, 900]);
        assert_eq!(chosen(&[(true, 1, 5), (false, 1, 9)], 1000), [5]);
        assert_eq!(chosen(&[(false, 1000, 900), (false, 1, 100)], 90), [100]);
    }
}
