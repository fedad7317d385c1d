//! Who is registered, and what each request is answered with.

use std::collections::VecDeque;

/// The most bytes of a name, and of what a node adds to it: 255 characters.
const MOST_NAME_BYTES: usize = 255 * 4;
const MOST_NAME_CHARACTERS: usize = 255;
/// The most bytes of a request.
pub(super) const MOST_REQUEST_BYTES: usize = 3 * MOST_NAME_BYTES - 3;
/// Names whose nodes have gone are remembered, at most so many, for the next creation.
const MOST_FORMER: usize = 1000;
/// Creations below are those of nodes that know small ones only.
const FIRST_CREATION: u32 = 4;
/// The first version of the protocol with large creations.
const LARGE_CREATIONS: u16 = 6;
/// What is told in place of a creation where a name was refused.
const NO_CREATION: u32 = 99;

/// A registered node.
struct Node {
    name: Vec<u8>,
    /// Its connection, which it keeps open as long as it lives.
    connection: u64,
    port: u16,
    /// Its type, protocol and versions, as it has sent them and as they are told.
    properties: [u8; 6],
    extra: Vec<u8>,
    creation: u32,
}

/// The list of names.
pub(super) struct Names {
    port: u16,
    is_relaxed: bool,
    /// The newest first.
    nodes: Vec<Node>,
    /// Names and creations of nodes that have gone, the oldest first.
    former: VecDeque<(Vec<u8>, u32)>,
}

/// What to do after a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// Send this, and close the connection.
    Close(Vec<u8>),
    /// Send this, and keep the connection, on which nothing more comes.
    Keep(Vec<u8>),
    /// As `Close`, and close this other connection too.
    CloseBoth(Vec<u8>, u64),
    /// Send this, and end.
    End(Vec<u8>),
}

impl Names {
    pub(super) fn new(port: u16, is_relaxed: bool) -> Names {
        Names {
            port,
            is_relaxed,
            nodes: Vec::new(),
            former: VecDeque::new(),
        }
    }

    /// Carries out a request that has come on a connection; `is_local`: from this host. `seconds` is the time, from
    /// which the creation of a new name is taken.
    pub(super) fn answer(
        &mut self,
        connection: u64,
        is_local: bool,
        request: &[u8],
        seconds: u32,
    ) -> Reply {
        let nothing = Reply::Close(Vec::new());
        match request.split_first() {
            Some((b'x', node)) if is_local => {
                self.register(connection, node, seconds).unwrap_or(nothing)
            }
            Some((b'z', name)) => {
                let name = name.strip_suffix(b"\0").unwrap_or(name);
                match is_name(name) {
                    true => Reply::Close(self.port_of(name)),
                    false => nothing,
                }
            }
            Some((b'n', _)) => Reply::Close(self.list()),
            Some((b'd', _)) if is_local => Reply::Close(self.dump()),
            Some((b'k', _)) if is_local => match self.is_relaxed || self.nodes.is_empty() {
                true => Reply::End(b"OK".to_vec()),
                false => Reply::Close(b"NO".to_vec()),
            },
            Some((b's', name)) if is_local && self.is_relaxed => {
                let name = name.strip_suffix(b"\0").unwrap_or(name);
                let found = self.nodes.iter().find(|node| node.name == name);
                match found.map(|node| node.connection) {
                    Some(other) => {
                        self.forget(other);
                        Reply::CloseBoth(b"STOPPED".to_vec(), other)
                    }
                    None => Reply::Close(b"NOEXIST".to_vec()),
                }
            }
            _ => nothing,
        }
    }

    /// Takes the node of a connection out of the list.
    pub(super) fn forget(&mut self, connection: u64) {
        let found = self
            .nodes
            .iter()
            .position(|node| node.connection == connection);
        if let Some(place) = found {
            let node = self.nodes.remove(place);
            if self.former.len() >= MOST_FORMER {
                self.former.pop_front();
            }
            self.former.push_back((node.name, node.creation));
        }
    }

    /// Registers a node; `None` if the request is damaged.
    fn register(&mut self, connection: u64, node: &[u8], seconds: u32) -> Option<Reply> {
        let (port, rest) = number(node)?;
        let (properties, rest) = rest.split_first_chunk::<6>()?;
        let highest = u16::from_be_bytes([properties[2], properties[3]]);
        let (name, rest) = counted(rest)?;
        let (extra, _) = counted(rest)?;
        if name.is_empty() || name.contains(&0) {
            return None;
        }
        let is_taken = self.nodes.iter().any(|node| node.name == name);
        let is_good = is_name(name) && extra.len() <= MOST_NAME_BYTES && !is_taken;
        let creation = if is_good {
            let creation = self.next_creation(name, seconds);
            self.nodes.insert(
                0,
                Node {
                    name: name.to_vec(),
                    connection,
                    port,
                    properties: *properties,
                    extra: extra.to_vec(),
                    creation,
                },
            );
            creation
        } else {
            NO_CREATION
        };
        let status = u8::from(!is_good);
        let answer = if highest >= LARGE_CREATIONS {
            [&[b'v', status][..], &creation.to_be_bytes()].concat()
        } else {
            let small = if is_good { creation % 3 + 1 } else { creation };
            [&[b'y', status][..], &(small as u16).to_be_bytes()].concat()
        };
        Some(Reply::Keep(answer))
    }

    /// The creation of the next node with this name: another one than the last had.
    fn next_creation(&mut self, name: &[u8], seconds: u32) -> u32 {
        let known = self.former.iter().position(|(former, _)| former == name);
        let before = known.and_then(|place| self.former.remove(place));
        let before = before.map_or(seconds, |(_, creation)| creation);
        before.wrapping_add(1).max(FIRST_CREATION)
    }

    /// Where a node listens.
    fn port_of(&self, name: &[u8]) -> Vec<u8> {
        let Some(node) = self.nodes.iter().find(|node| node.name == name) else {
            return vec![b'w', 1];
        };
        let mut answer = vec![b'w', 0];
        answer.extend(node.port.to_be_bytes());
        answer.extend(node.properties);
        for text in [&node.name, &node.extra] {
            // Lengths of what came with 16 bits of length.
            answer.extend((text.len() as u16).to_be_bytes());
            answer.extend(text);
        }
        answer
    }

    fn list(&self) -> Vec<u8> {
        let mut text = u32::from(self.port).to_be_bytes().to_vec();
        for node in &self.nodes {
            text.extend(b"name ");
            text.extend(&node.name);
            text.extend(format!(" at port {}\n", node.port).as_bytes());
        }
        text
    }

    /// As [`Names::list`], with the connections and those that have gone. Each line ends with a zero byte, too.
    fn dump(&self) -> Vec<u8> {
        let mut text = u32::from(self.port).to_be_bytes().to_vec();
        for node in &self.nodes {
            text.extend(b"active name     <");
            text.extend(&node.name);
            let rest = format!("> at port {}, fd = {}\n\0", node.port, node.connection);
            text.extend(rest.as_bytes());
        }
        for (name, _) in &self.former {
            text.extend(b"old/unused name <");
            text.extend(name);
            text.extend(b">\n\0");
        }
        text
    }
}

/// Whether these bytes can name a node.
fn is_name(bytes: &[u8]) -> bool {
    let characters = std::str::from_utf8(bytes).map_or(0, |text| text.chars().count());
    (1..=MOST_NAME_CHARACTERS).contains(&characters) && !bytes.contains(&0)
}

/// A number of two bytes, and what follows.
fn number(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<2>()?;
    Some((u16::from_be_bytes(*number), rest))
}

/// A text behind its length, and what follows.
fn counted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = number(bytes)?;
    rest.split_at_checked(usize::from(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A registration, as a node of this version sends it.
    fn node(name: &[u8], highest: u16) -> Vec<u8> {
        let mut bytes = b"x\x12\x34\x4d\0".to_vec();
        bytes.extend(highest.to_be_bytes());
        bytes.extend(5_u16.to_be_bytes());
        bytes.extend((name.len() as u16).to_be_bytes());
        bytes.extend(name);
        bytes.extend(*b"\0\x02ex");
        bytes
    }

    fn names() -> Names {
        Names::new(4369, false)
    }

    #[test]
    fn a_node_is_found_as_long_as_its_connection_lives() {
        let mut names = names();
        let answer = names.answer(7, true, &node(b"a", 6), 100);
        assert_eq!(answer, Reply::Keep(b"v\0\0\0\0\x65".to_vec()));
        let known = b"w\0\x12\x34\x4d\0\0\x06\0\x05\0\x01a\0\x02ex".to_vec();
        assert_eq!(
            names.answer(8, false, b"za", 0),
            Reply::Close(known.clone())
        );
        assert_eq!(names.answer(8, false, b"za\0", 0), Reply::Close(known));
        let list = b"\0\0\x11\x11name a at port 4660\n".to_vec();
        assert_eq!(names.answer(8, false, b"n", 0), Reply::Close(list));
        names.forget(8);
        names.forget(7);
        assert_eq!(
            names.answer(8, false, b"za", 0),
            Reply::Close(b"w\x01".to_vec())
        );
    }

    #[test]
    fn a_name_is_given_once_and_then_with_another_creation() {
        let mut names = names();
        names.answer(1, true, &node(b"a", 6), 100);
        let refused = names.answer(2, true, &node(b"a", 6), 100);
        assert_eq!(refused, Reply::Keep(b"v\x01\0\0\0\x63".to_vec()));
        names.forget(1);
        let again = names.answer(3, true, &node(b"a", 6), 500);
        assert_eq!(again, Reply::Keep(b"v\0\0\0\0\x66".to_vec()));
        // An older node gets a small one.
        names.forget(3);
        let old = names.answer(3, true, &node(b"a", 5), 500);
        assert_eq!(old, Reply::Keep(b"y\0\0\x02".to_vec()));
    }

    #[test]
    fn others_may_ask_only_for_ports_and_names() {
        let mut names = names();
        for request in [&node(b"a", 6)[..], b"d", b"k", b"sa"] {
            assert_eq!(names.answer(1, false, request, 0), Reply::Close(Vec::new()));
        }
        assert_eq!(
            names.answer(1, false, b"n", 0),
            Reply::Close(b"\0\0\x11\x11".to_vec())
        );
    }

    #[test]
    fn it_ends_when_nobody_needs_it() {
        let mut names = names();
        names.answer(1, true, &node(b"a", 6), 0);
        assert_eq!(names.answer(2, true, b"k", 0), Reply::Close(b"NO".to_vec()));
        assert_eq!(names.answer(2, true, b"sa", 0), Reply::Close(Vec::new()));
        names.is_relaxed = true;
        assert_eq!(
            names.answer(2, true, b"sb", 0),
            Reply::Close(b"NOEXIST".to_vec())
        );
        assert_eq!(
            names.answer(2, true, b"sa", 0),
            Reply::CloseBoth(b"STOPPED".to_vec(), 1)
        );
        assert_eq!(names.answer(2, true, b"k", 0), Reply::End(b"OK".to_vec()));
    }

    #[test]
    fn damaged_requests_are_not_answered() {
        let mut names = names();
        let whole = node(b"ab", 6);
        for length in 0..whole.len() {
            let reply = names.answer(1, true, &whole[..length], 0);
            assert_eq!(reply, Reply::Close(Vec::new()), "{length}");
        }
        for request in [
            &b"z"[..],
            b"z\0",
            b"z\xff",
            b"z\0a",
            b"?",
            &node(b"", 6),
            &node(b"a\0b", 6),
        ] {
            let reply = names.answer(1, true, request, 0);
            assert_eq!(reply, Reply::Close(Vec::new()), "{request:?}");
        }
        // A name that is none is refused, and the node told so.
        let bad = names.answer(1, true, &node(b"\xff", 6), 0);
        assert_eq!(bad, Reply::Keep(b"v\x01\0\0\0\x63".to_vec()));
        let long = names.answer(1, true, &node("ä".repeat(256).as_bytes(), 6), 0);
        assert_eq!(long, Reply::Keep(b"v\x01\0\0\0\x63".to_vec()));
    }

    #[test]
    fn names_that_have_gone_are_forgotten_in_the_end() {
        let mut names = names();
        for number in 0..MOST_FORMER as u64 + 5 {
            names.answer(number, true, &node(number.to_string().as_bytes(), 6), 0);
            names.forget(number);
        }
        assert_eq!(names.former.len(), MOST_FORMER);
        assert_eq!(names.former[0].0, b"5");
    }
}
