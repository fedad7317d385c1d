//! Where logical processors stand in the host: nodes (memory), processors (packages), cores, hardware threads.
//!
//! The system, `+sct` or a program describes them; whoever describes them must not give two the same place. A bind type
//! orders them not by the numbers that they have but by their ranks: a second core is one, whatever its number.
//! Pure data; any thread.

use spec::flags::CpuPlace;
use sys::cpu::topology::LogicalCpu;

/// What is wrong with a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// None is described, or a level is missing that all have.
    Incomplete,
    SameNumber,
    /// A processor stands in two nodes, or in one and has others, or only some have nodes.
    Nodes,
    SamePlace,
}

impl Fault {
    /// What stock says of it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Fault::Incomplete => "missing logical identifier",
            Fault::SameNumber => "not unique logical identifiers",
            Fault::Nodes => "invalid nodes declaration",
            Fault::SamePlace => "not unique entities",
        }
    }
}

/// The part of a place that says where a logical processor stands, the largest unit first. A node that a processor
/// stands in is not part of it: processors have numbers of their own.
fn position(&[_, processor, inner_node, core, thread, _]: &CpuPlace) -> [i64; 4] {
    [processor, inner_node, core, thread]
}

/// Sorts the places, and tells what is wrong with them.
pub fn check(places: &mut [CpuPlace]) -> Result<(), Fault> {
    let is_complete = |&[_, processor, _, core, thread, number]: &CpuPlace| {
        processor.min(core).min(thread).min(number) >= 0
    };
    if places.is_empty() || !places.iter().all(is_complete) {
        return Err(Fault::Incomplete);
    }
    places.sort_unstable_by_key(|place| place[5]);
    if places.windows(2).any(|pair| pair[0][5] == pair[1][5]) {
        return Err(Fault::SameNumber);
    }
    places.sort_unstable_by_key(position);
    let has_node = |place: &CpuPlace| place[0].max(place[2]) >= 0;
    let all_alike = places
        .iter()
        .all(|place| has_node(place) == has_node(&places[0]));
    let is_torn = |pair: &[CpuPlace]| {
        let [one, other] = [pair[0], pair[1]];
        one[1] == other[1] && (one[0] != other[0] || (one[2] < 0) != (other[2] < 0))
    };
    if !all_alike || places.windows(2).any(is_torn) {
        return Err(Fault::Nodes);
    }
    match places
        .windows(2)
        .any(|pair| position(&pair[0]) == position(&pair[1]))
    {
        true => Err(Fault::SamePlace),
        false => Ok(()),
    }
}

/// The places of the processors that the system reports, in order. Nodes count only where there are several, and are
/// parts of a processor that spans some.
#[must_use]
pub fn of_system(cpus: &[LogicalCpu]) -> Vec<CpuPlace> {
    let first_node = cpus.first().map(|cpu| cpu.node);
    let has_nodes = cpus.iter().any(|cpu| Some(cpu.node) != first_node);
    let spans_nodes = |processor: u32| {
        let mut nodes = cpus
            .iter()
            .filter(|cpu| cpu.processor == processor)
            .map(|cpu| cpu.node);
        let first = nodes.next();
        nodes.any(|node| Some(node) != first)
    };
    let mut places: Vec<CpuPlace> = Vec::with_capacity(cpus.len());
    for cpu in cpus {
        let node = cpu.node.filter(|_| has_nodes).map_or(-1, i64::from);
        let [outer, inner] = match spans_nodes(cpu.processor) {
            true => [-1, node],
            false => [node, -1],
        };
        let [processor, core, thread] = [cpu.processor, cpu.core, cpu.thread].map(i64::from);
        places.push([outer, processor, inner, core, thread, cpu.logical as i64]);
    }
    places.sort_unstable_by_key(position);
    places
}

/// How many of its kind come before a unit, of all or of those within the next larger unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    /// Of all nodes, whether they have processors or processors have them.
    pub node: usize,
    /// Of all processors.
    pub processor: usize,
    /// Of the processors that follow each other in one node, or in none.
    pub processor_in_node: usize,
    pub node_in_processor: usize,
    /// Within the node of its processor, if that has some.
    pub core: usize,
    pub thread: usize,
}

/// The ranks of each of some sorted places.
#[must_use]
pub fn ranks(places: &[CpuPlace]) -> Vec<Ranks> {
    let mut ranks = Ranks::default();
    let mut all = Vec::with_capacity(places.len());
    for (index, place) in places.iter().enumerate() {
        if let Some(before) = index.checked_sub(1) {
            ranks = following(ranks, &places[before], place);
        }
        all.push(ranks);
    }
    all
}

/// The ranks of the place that follows `before`, whose ranks these are.
fn following(ranks: Ranks, before: &CpuPlace, place: &CpuPlace) -> Ranks {
    let node = |place: &CpuPlace| place[0].max(place[2]);
    let next_node = ranks.node + usize::from(node(before) != node(place));
    if before[1] != place[1] {
        let stays_in_node = before[0] == place[0];
        return Ranks {
            node: next_node,
            processor: ranks.processor + 1,
            processor_in_node: if stays_in_node {
                ranks.processor_in_node + 1
            } else {
                0
            },
            ..Ranks::default()
        };
    }
    if before[2] != place[2] {
        return Ranks {
            node: next_node,
            node_in_processor: ranks.node_in_processor + 1,
            core: 0,
            thread: 0,
            ..ranks
        };
    }
    match before[3] == place[3] {
        true => Ranks {
            thread: ranks.thread + 1,
            ..ranks
        },
        false => Ranks {
            core: ranks.core + 1,
            thread: 0,
            ..ranks
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(node: Option<u32>, processor: u32, core: u32, logical: usize) -> LogicalCpu {
        LogicalCpu {
            node,
            processor,
            core,
            thread: 0,
            logical,
        }
    }

    #[test]
    fn nodes_of_the_system_are_around_processors_or_in_them() {
        let one = [cpu(Some(0), 0, 0, 0), cpu(Some(0), 0, 1, 1)];
        assert_eq!(
            of_system(&one),
            [[-1, 0, -1, 0, 0, 0], [-1, 0, -1, 1, 0, 1]]
        );
        let around = [cpu(Some(0), 0, 0, 0), cpu(Some(1), 1, 0, 1)];
        assert_eq!(
            of_system(&around),
            [[0, 0, -1, 0, 0, 0], [1, 1, -1, 0, 0, 1]]
        );
        let inside = [cpu(Some(0), 0, 0, 0), cpu(Some(1), 0, 1, 1)];
        assert_eq!(
            of_system(&inside),
            [[-1, 0, 0, 0, 0, 0], [-1, 0, 1, 1, 0, 1]]
        );
    }

    #[test]
    fn ranks_count_within_the_next_larger_unit() {
        let mut places = [
            [4, 1, -1, 3, 0, 0],
            [4, 1, -1, 3, 5, 1],
            [4, 2, -1, 9, 0, 2],
            [-1, 7, 5, 0, 0, 3],
            [-1, 7, 6, 1, 0, 4],
            [-1, 7, 6, 2, 0, 5],
        ];
        assert_eq!(check(&mut places), Ok(()));
        let found: Vec<[usize; 6]> = ranks(&places)
            .iter()
            .map(|ranks| {
                [
                    ranks.node,
                    ranks.processor,
                    ranks.processor_in_node,
                    ranks.node_in_processor,
                    ranks.core,
                    ranks.thread,
                ]
            })
            .collect();
        assert_eq!(
            found,
            [
                [0, 0, 0, 0, 0, 0],
                [0, 0, 0, 0, 0, 1],
                [0, 1, 1, 0, 0, 0],
                [1, 2, 0, 0, 0, 0],
                [2, 2, 0, 1, 0, 0],
                [2, 2, 0, 1, 1, 0],
            ]
        );
    }
}
