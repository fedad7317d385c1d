//! Cuts input into messages, and makes the lengths that precede output.
//!
//! A cutter belongs to a driver and is used under the port's lock.

use term::am;

use super::driver::Access;

/// How data is cut into messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Framing {
    #[default]
    Stream,
    /// `{packet, N}`: a big-endian length of N bytes in front.
    Packet(u8),
    /// `{line, MaxBytes}`
    Line(usize),
}

impl Framing {
    /// The length that precedes this many bytes of output: it begins at the returned index of the array. None if they
    /// are too many for it.
    #[must_use]
    pub fn header(self, bytes: usize) -> Option<([u8; 4], usize)> {
        let Framing::Packet(size) = self else {
            return Some(([0; 4], 4));
        };
        let size = usize::from(size);
        let max = u32::MAX >> (32 - 8 * size);
        let length = u32::try_from(bytes).ok().filter(|length| *length <= max)?;
        Some((length.to_be_bytes(), 4 - size))
    }
}

/// Cuts input into messages.
pub struct Cutter {
    framing: Framing,
    /// Input that is not a whole message yet.
    rest: Vec<u8>,
}

impl Cutter {
    #[must_use]
    pub fn new(framing: Framing) -> Cutter {
        Cutter {
            framing,
            rest: Vec::new(),
        }
    }

    /// Sends the messages that these bytes complete.
    pub fn feed(&mut self, port: &mut Access<'_>, bytes: &[u8]) {
        port.count_input(bytes.len());
        if self.framing == Framing::Stream {
            port.send_counted_data(None, bytes);
            return;
        }
        if self.rest.is_empty() {
            let used = self.cut(port, bytes);
            self.rest.extend_from_slice(&bytes[used..]);
            return;
        }
        let mut rest = std::mem::take(&mut self.rest);
        rest.extend_from_slice(bytes);
        let used = self.cut(port, &rest);
        rest.drain(..used);
        self.rest = rest;
    }

    /// Sends the whole messages at the front; returns how many bytes they took.
    fn cut(&self, port: &mut Access<'_>, bytes: &[u8]) -> usize {
        let mut start = 0;
        match self.framing {
            Framing::Stream => {}
            Framing::Packet(size) => {
                let size = usize::from(size);
                while let Some(length) = packet_length(&bytes[start..], size)
                    && let Some(packet) = bytes[start + size..].get(..length)
                {
                    port.send_counted_data(None, packet);
                    start += size + length;
                }
            }
            Framing::Line(max) => {
                while let Some(line) = next_line(&bytes[start..], max) {
                    send_line(port, &bytes[start..start + line.length], line.whole);
                    start += line.taken;
                }
            }
        }
        start
    }

    /// Input is over: sends an incomplete line, but not an incomplete packet.
    pub fn end(&mut self, port: &mut Access<'_>) {
        let rest = std::mem::take(&mut self.rest);
        if let Framing::Line(max) = self.framing {
            // May be one byte too long, if a "\r" at its end could have been half of a line end.
            for part in rest.chunks(max.max(1)) {
                send_line(port, part, false);
            }
        }
    }
}

fn packet_length(bytes: &[u8], size: usize) -> Option<usize> {
    let head = bytes.get(..size)?;
    Some(
        head.iter()
            .fold(0, |length, byte| length << 8 | usize::from(*byte)),
    )
}

#[derive(PartialEq, Eq, Debug)]
struct Line {
    length: usize,
    /// Number of its bytes, including those of its end.
    taken: usize,
    whole: bool,
}

fn next_line(bytes: &[u8], max: usize) -> Option<Line> {
    // A line end is "\n" or "\r\n", neither of which counts.
    let window = &bytes[..bytes.len().min(max.saturating_add(2))];
    if let Some(end) = memchr::memchr(b'\n', window) {
        let length = match end > 0 && bytes[end - 1] == b'\r' {
            true => end - 1,
            false => end,
        };
        if length <= max {
            return Some(Line {
                length,
                taken: end + 1,
                whole: true,
            });
        }
    }
    let may_become_line_end = bytes.len() == max + 1 && bytes[max] == b'\r';
    if bytes.len() <= max || may_become_line_end {
        return None;
    }
    Some(Line {
        length: max,
        taken: max,
        whole: false,
    })
}

fn send_line(port: &Access<'_>, line: &[u8], whole: bool) {
    port.send_counted_data(Some(if whole { am::EOL } else { am::NOEOL }), line);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_newlines_or_when_they_are_too_long() {
        let line = |length, taken, whole| {
            Some(Line {
                length,
                taken,
                whole,
            })
        };
        assert_eq!(next_line(b"", 5), None);
        assert_eq!(next_line(b"12345", 5), None);
        assert_eq!(next_line(b"12345\nx", 5), line(5, 6, true));
        assert_eq!(next_line(b"123456\n", 5), line(5, 5, false));
        assert_eq!(next_line(b"12\r\n", 5), line(2, 4, true));
        assert_eq!(next_line(b"12\r\n", 2), line(2, 4, true));
        assert_eq!(next_line(b"12\r\n", 1), line(1, 1, false));
        assert_eq!(next_line(b"12\r", 2), None);
        assert_eq!(next_line(b"12\rx", 2), line(2, 2, false));
        assert_eq!(next_line(b"\r\n", 5), line(0, 2, true));
        assert_eq!(next_line(b"\n", usize::MAX), line(0, 1, true));
    }

    #[test]
    fn headers_hold_the_length_or_refuse_it() {
        assert_eq!(Framing::Stream.header(1 << 40), Some(([0; 4], 4)));
        assert_eq!(Framing::Packet(1).header(255), Some(([0, 0, 0, 255], 3)));
        assert_eq!(Framing::Packet(1).header(256), None);
        assert_eq!(Framing::Packet(2).header(256), Some(([0, 0, 1, 0], 2)));
        assert_eq!(Framing::Packet(2).header(65536), None);
        assert_eq!(Framing::Packet(4).header(65536), Some(([0, 1, 0, 0], 0)));
        assert_eq!(Framing::Packet(4).header(1 << 32), None);
    }
}
