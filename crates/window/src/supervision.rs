//! Supervision: which application has which supervisors, and which processes are below these.
//!
//! Nobody is asked: processes that `proc_lib` has started say in their dictionaries who their ancestors are and what
//! they were started as, and the application controller's table says who is the master of which application. So the
//! tree is there when no process answers. What is below a supervisor is cut at some hundreds, with the count of all.

use ets::registry as tables;
use layout::{Term, no_gc};
use runtime::effects::looking::{self, Seen, WorldIsStopped};
use runtime::mail::registry;
use runtime::process::Process;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::time::Duration;
use term::atom;

use crate::listed::PATIENCE;
use crate::printed;
use crate::processes::row::{ancestors, is_supervisor};
use crate::processes::{MOST_RUNNING, Row, unix_ms};

/// The trees of all applications, and of supervisors that belong to none.
#[derive(Clone, Debug, Serialize)]
pub struct Supervision {
    pub as_of_unix_ms: u64,
    /// Rows in all trees, as far as they are shown.
    pub total: u64,
    /// Some are left out: a supervisor has more than [`MOST_CHILDREN`], or there are more than [`MOST_ROWS`].
    pub is_cut: bool,
    pub rows: Vec<Node>,
}

/// A process in a tree.
#[derive(Clone, Debug, Serialize)]
pub struct Node {
    /// `application`, `supervisor` or `worker`.
    pub kind: &'static str,
    /// Of an application.
    pub application: Option<String>,
    #[serde(flatten)]
    pub row: Row,
    /// How many processes are directly below it.
    pub children_total: u64,
    pub children: Vec<Node>,
}

pub const MOST_ROWS: usize = 3_000;
pub const MOST_CHILDREN: usize = 300;
/// Trees are not followed further down.
const MOST_DEPTH: usize = 50;
/// The most processes of which is noted who is below them.
const MOST_PARENTS: usize = 20_000;
/// How long threads that have processes have for an answer.
const ANSWER: Duration = Duration::from_millis(20);

/// What a walk notes of a process.
struct Met {
    pid: Term,
    is_supervisor: bool,
    /// The nearest ancestor.
    ancestor: Option<Term>,
    /// The process that spawned it.
    parent: Term,
}

impl Met {
    fn of(process: &Process) -> Met {
        let ancestor = ancestors(process).first().copied();
        Met {
            pid: process.pid(),
            is_supervisor: is_supervisor(process),
            ancestor: ancestor.and_then(|ancestor| match ancestor.is_atom() {
                true => registry::whereis_process(ancestor),
                false => Some(ancestor),
            }),
            parent: process.parent,
        }
    }
}

#[derive(Default)]
struct Below {
    total: u64,
    first: Vec<Term>,
}

/// All that a walk notes.
struct Tree {
    /// The names of applications, by their masters.
    masters: FxHashMap<Term, Term>,
    /// The processes that masters have spawned to start their applications, with the masters.
    starters: FxHashMap<Term, Term>,
    supervisors: FxHashSet<Term>,
    below: FxHashMap<Term, Below>,
    is_cut: bool,
    left: usize,
}

/// The trees.
///
/// # Errors
/// If the world is stopped for long.
pub fn page() -> Result<Supervision, WorldIsStopped> {
    let mut tree = Tree {
        masters: masters(),
        starters: FxHashMap::default(),
        supervisors: FxHashSet::default(),
        below: FxHashMap::default(),
        is_cut: false,
        left: MOST_ROWS,
    };
    let mut in_hands = Vec::new();
    looking::at_all(|seen| match seen {
        Seen::Still(process) => tree.note(&Met::of(process)),
        Seen::InHands { pid, .. } if in_hands.len() < MOST_RUNNING => in_hands.push(pid),
        Seen::InHands { .. } => {}
    })?;
    for met in looking::ask(&in_hands, ANSWER, Met::of) {
        tree.note(&met);
    }
    let rows = tree.rows()?;
    Ok(Supervision {
        as_of_unix_ms: unix_ms(),
        total: (MOST_ROWS - tree.left) as u64,
        is_cut: tree.is_cut,
        rows,
    })
}

/// The names of running applications by their masters: `{{application_master, Name}, Pid}` in the controller's table.
fn masters() -> FxHashMap<Term, Term> {
    let [table, key] = ["ac_tab", "application_master"].map(atom::known);
    let mut masters = FxHashMap::default();
    let tables = tables::all_within(PATIENCE).unwrap_or_default();
    for table in tables
        .iter()
        .filter(|found| found.options.named && found.name() == table)
    {
        table.each_part_within(PATIENCE, |part| {
            part.each(|object| {
                let opened = object.open();
                if let [name, master] = opened.elements()
                    && let Some([kind, name]) = name.as_tuple(no_gc!())
                    && *kind == key
                    && name.is_atom()
                    && master.is_local_pid()
                {
                    masters.insert(*master, *name);
                }
            });
        });
    }
    masters
}

impl Tree {
    fn note(&mut self, met: &Met) {
        if met.is_supervisor && self.supervisors.len() < MOST_PARENTS {
            self.supervisors.insert(met.pid);
        }
        let Some(ancestor) = met.ancestor else {
            if self.masters.contains_key(&met.parent) {
                self.starters.insert(met.pid, met.parent);
            }
            return;
        };
        if self.below.len() >= MOST_PARENTS && !self.below.contains_key(&ancestor) {
            self.is_cut = true;
            return;
        }
        let below = self.below.entry(ancestor).or_default();
        below.total += 1;
        if below.first.len() < MOST_CHILDREN {
            below.first.push(met.pid);
        }
    }

    fn rows(&mut self) -> Result<Vec<Node>, WorldIsStopped> {
        let mut shown = FxHashSet::default();
        let mut masters: Vec<(Term, Term)> = self
            .masters
            .iter()
            .map(|(pid, name)| (*pid, *name))
            .collect();
        masters.sort_by_key(|(_, name)| atom::text(*name));
        let mut rows = Vec::new();
        for (master, name) in masters {
            let starters = self.starters.iter().filter(|(_, of)| **of == master);
            let starters: Vec<Term> = starters.map(|(starter, _)| *starter).collect();
            let Some(mut node) = self.node(master, &mut shown, 0)? else {
                continue;
            };
            node.kind = "application";
            node.application = Some(printed::name(name));
            for starter in starters {
                shown.insert(starter);
                let (total, children) = self.children(starter, &mut shown, 1)?;
                node.children_total += total;
                node.children.extend(children);
            }
            rows.push(node);
        }
        let mut supervisors: Vec<Term> = self.supervisors.iter().copied().collect();
        supervisors.sort_unstable_by_key(|pid| pid.bits());
        // Those above come first: they were there before the others.
        for supervisor in supervisors {
            rows.extend(self.node(supervisor, &mut shown, 0)?);
        }
        Ok(rows)
    }

    /// A process, and what is below it; `None` if it is shown already, is gone, or there are too many.
    fn node(
        &mut self,
        pid: Term,
        shown: &mut FxHashSet<Term>,
        depth: usize,
    ) -> Result<Option<Node>, WorldIsStopped> {
        if !shown.insert(pid) {
            return Ok(None);
        }
        if self.left == 0 || depth > MOST_DEPTH {
            self.is_cut = true;
            return Ok(None);
        }
        let Some(row) = looking::at(pid, Row::seen)? else {
            return Ok(None);
        };
        self.left -= 1;
        let (children_total, children) = self.children(pid, shown, depth + 1)?;
        let is_supervisor = self.supervisors.contains(&pid);
        Ok(Some(Node {
            kind: if is_supervisor {
                "supervisor"
            } else {
                "worker"
            },
            application: None,
            row,
            children_total,
            children,
        }))
    }

    fn children(
        &mut self,
        pid: Term,
        shown: &mut FxHashSet<Term>,
        depth: usize,
    ) -> Result<(u64, Vec<Node>), WorldIsStopped> {
        let Below { total, first } = self.below.remove(&pid).unwrap_or_default();
        self.is_cut |= total > first.len() as u64;
        let mut children = Vec::new();
        for child in first {
            children.extend(self.node(child, shown, depth)?);
        }
        Ok((total, children))
    }
}
