//! What is read from the code: the parts of a pattern, and their text.

use std::fmt::Write;

use super::op;

/// A text longer than this is refused: copies of copies could make it long without end.
const MAX_TEXT_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Greedy,
    Lazy,
    Possessive,
}

/// How often: at least and at most; `None` for any number of times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Times {
    pub least: u32,
    pub most: Option<u32>,
    pub mode: Mode,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Plain,
    /// With a number.
    Capturing(u16),
    /// Opened by this text, such as `(?=`.
    Opened(&'static str),
    /// With a condition, which is a text or the first item.
    Conditional(Option<String>),
}

/// A part of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Node {
    /// Written as it is.
    Text(String),
    /// The group whose code begins here, called.
    Call(usize),
    Group {
        kind: Kind,
        alternatives: Vec<Vec<Node>>,
    },
    Repeated(Box<Node>, Times),
}

impl Node {
    fn captures(&self) -> bool {
        match self {
            Node::Text(_) | Node::Call(_) => false,
            Node::Repeated(node, _) => node.captures(),
            Node::Group { kind, alternatives } => {
                matches!(kind, Kind::Capturing(_))
                    || alternatives.iter().flatten().any(Node::captures)
            }
        }
    }

    pub(super) fn repeated(self, times: Times) -> Node {
        match (times.least, times.most) {
            (1, Some(1)) => self,
            _ => Node::Repeated(Box::new(self), times),
        }
    }
}

pub(super) fn times(least: u32, most: Option<u32>, mode: Mode) -> Times {
    Times { least, most, mode }
}

/// A group that may be left out, by the operation before it.
pub(super) fn optional(group: Node, operation: u8) -> Node {
    if operation == op::SKIPZERO {
        return group.repeated(times(0, Some(0), Mode::Greedy));
    }
    match group {
        // Once or more, or not at all.
        Node::Repeated(
            node,
            Times {
                least: 1,
                most: None,
                mode,
            },
        ) => node.repeated(times(0, None, mode)),
        Node::Group {
            kind: Kind::Plain,
            alternatives,
        } if operation != op::BRAPOSZERO => {
            let mode = mode_of(operation);
            nested(alternatives, mode)
        }
        group => group.repeated(times(0, Some(1), mode_of(operation))),
    }
}

fn mode_of(operation: u8) -> Mode {
    match operation {
        op::BRAZERO => Mode::Greedy,
        op::BRAMINZERO => Mode::Lazy,
        _ => Mode::Possessive,
    }
}

/// A plain group that may be left out. `(X){0,3}` stands in the code as `(?:(X)(?:(X)(X)?)?)?`, of which the inner part
/// has been read as `(X){1,3}`.
fn nested(alternatives: Vec<Vec<Node>>, mode: Mode) -> Node {
    if let [items] = &alternatives[..]
        && let [
            Node::Repeated(
                node,
                Times {
                    least: 1,
                    most: Some(most),
                    mode: inner,
                },
            ),
        ] = &items[..]
        && *inner == mode
    {
        return node.clone().repeated(times(0, Some(*most), mode));
    }
    Node::Group {
        kind: Kind::Plain,
        alternatives,
    }
    .repeated(times(0, Some(1), mode))
}

/// Items in which copies of a capturing group, made for a repetition, are one again.
pub(super) fn merged(items: Vec<Node>) -> Vec<Node> {
    let mut merged: Vec<Node> = Vec::new();
    for item in items {
        let joined = merged.last().and_then(|last| joined(last, &item));
        match joined {
            Some(joined) => *merged.last_mut().expect("there is one") = joined,
            None => merged.push(item),
        }
    }
    merged
}

/// Two items as one, if they are repetitions of the same capturing group.
fn joined(first: &Node, second: &Node) -> Option<Node> {
    if !first.captures() {
        return None;
    }
    let (first, before) = parts(first);
    let (second, after) = parts(second);
    if before.most != Some(before.least) {
        return None;
    }
    let both = common(first, second)?;
    let most = after.most.map(|most| most + before.least);
    Some(both.repeated(times(before.least + after.least, most, after.mode)))
}

/// What two copies of a node were made of. PCRE makes a repetition possessive where what follows allows it, which is
/// not the same behind each copy.
fn common(first: &Node, second: &Node) -> Option<Node> {
    if first == second {
        return Some(first.clone());
    }
    match (first, second) {
        (Node::Repeated(a, times_a), Node::Repeated(b, times_b)) => {
            let times = match times_a.mode {
                Mode::Possessive => *times_b,
                _ => *times_a,
            };
            let are_alike = (times_a.least, times_a.most) == (times_b.least, times_b.most)
                && (times_a.mode == times_b.mode
                    || [times_a.mode, times_b.mode].contains(&Mode::Possessive));
            are_alike.then_some(())?;
            Some(Node::Repeated(Box::new(common(a, b)?), times))
        }
        (
            Node::Group {
                kind: a,
                alternatives: of_a,
            },
            Node::Group {
                kind: b,
                alternatives: of_b,
            },
        ) => {
            (a == b && of_a.len() == of_b.len()).then_some(())?;
            let alternatives = of_a.iter().zip(of_b).map(|(a, b)| {
                (a.len() == b.len()).then_some(())?;
                a.iter().zip(b).map(|(a, b)| common(a, b)).collect()
            });
            let alternatives = alternatives.collect::<Option<_>>()?;
            Some(Node::Group {
                kind: a.clone(),
                alternatives,
            })
        }
        _ => None,
    }
}

fn parts(node: &Node) -> (&Node, Times) {
    match node {
        Node::Repeated(node, times) => (node, *times),
        node => (node, times(1, Some(1), Mode::Greedy)),
    }
}

/// Writes a pattern, and counts its groups.
pub(super) struct Writer<'a> {
    pub text: String,
    pub last_group: u16,
    pub groups: &'a [(usize, u16)],
    pub names: &'a [(u16, &'a str)],
}

impl Writer<'_> {
    pub(super) fn alternatives(&mut self, alternatives: &[Vec<Node>]) -> Option<()> {
        for (number, items) in alternatives.iter().enumerate() {
            if number > 0 {
                self.text.push('|');
            }
            for item in items {
                self.node(item)?;
            }
        }
        (self.text.len() <= MAX_TEXT_BYTES).then_some(())
    }

    fn node(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Text(text) => self.text.push_str(text),
            // In PCRE 8, what a call has matched stays as it is.
            Node::Call(0) => self.text.push_str("(?>(?R))"),
            Node::Call(at) => {
                let (_, number) = self.groups.iter().find(|(start, _)| start == at)?;
                let _ = write!(self.text, "(?>(?{number}))");
            }
            Node::Group { kind, alternatives } => self.group(kind, alternatives)?,
            Node::Repeated(node, times) => {
                // A group stands for itself, a text is one item.
                self.node(node)?;
                self.times(*times);
            }
        }
        Some(())
    }

    fn times(&mut self, Times { least, most, mode }: Times) {
        let _ = match (least, most) {
            (0, None) => write!(self.text, "*"),
            (1, None) => write!(self.text, "+"),
            (0, Some(1)) => write!(self.text, "?"),
            (least, None) => write!(self.text, "{{{least},}}"),
            (least, Some(most)) if least == most => write!(self.text, "{{{least}}}"),
            (least, Some(most)) => write!(self.text, "{{{least},{most}}}"),
        };
        match mode {
            Mode::Greedy => {}
            Mode::Lazy => self.text.push('?'),
            Mode::Possessive => self.text.push('+'),
        }
    }

    fn group(&mut self, kind: &Kind, alternatives: &[Vec<Node>]) -> Option<()> {
        match kind {
            Kind::Plain if begin_alike(alternatives) => return self.branch_reset(alternatives),
            Kind::Plain => self.text.push_str("(?:"),
            Kind::Opened(text) => self.text.push_str(text),
            Kind::Conditional(condition) => {
                self.text.push_str("(?");
                self.text.push_str(condition.as_deref().unwrap_or_default());
            }
            Kind::Capturing(number) => {
                if *number != self.last_group.checked_add(1)? {
                    return None;
                }
                self.last_group = *number;
                match self.names.iter().find(|(of, _)| of == number) {
                    Some((_, name)) => {
                        let _ = write!(self.text, "(?<{name}>");
                    }
                    None => self.text.push('('),
                }
            }
        }
        self.alternatives(alternatives)?;
        self.text.push(')');
        Some(())
    }

    /// A group whose alternatives number their groups from the same number on.
    fn branch_reset(&mut self, alternatives: &[Vec<Node>]) -> Option<()> {
        let (first, mut last) = (self.last_group, self.last_group);
        for (number, items) in alternatives.iter().enumerate() {
            self.text.push_str(if number == 0 { "(?|" } else { "|" });
            self.last_group = first;
            for item in items {
                self.node(item)?;
            }
            last = last.max(self.last_group);
        }
        self.last_group = last;
        self.text.push(')');
        Some(())
    }
}

/// Whether two alternatives contain a group of the same number.
fn begin_alike(alternatives: &[Vec<Node>]) -> bool {
    let firsts: Vec<u16> = alternatives
        .iter()
        .filter_map(|items| items.iter().find_map(first_number))
        .collect();
    (1..firsts.len()).any(|at| firsts[..at].contains(&firsts[at]))
}

fn first_number(node: &Node) -> Option<u16> {
    match node {
        Node::Text(_) | Node::Call(_) => None,
        Node::Repeated(node, _) => first_number(node),
        Node::Group {
            kind: Kind::Capturing(number),
            ..
        } => Some(*number),
        Node::Group { alternatives, .. } => alternatives.iter().flatten().find_map(first_number),
    }
}
