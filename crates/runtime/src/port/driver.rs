//! What is behind a port.

/// How a driver took a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Command {
    Done,
    /// It cannot be: a packet too large, a port only for input.
    Bad,
    /// The other end is gone; the port closes with this reason.
    Failed(&'static str),
}

/// What a driver answers at once: `{Port, {data, Data}}`. The header always comes as a list of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    pub header: Vec<u8>,
    /// A list or a binary behind the header, as the port was opened.
    pub data: Option<Vec<u8>>,
}

/// A driver's part of a port, called with the port's lock held.
pub trait Driver: Send {
    /// Takes output from the program.
    fn output(&mut self, data: &[u8]) -> Command;

    /// What it has to say to the output that it has just taken.
    fn answers(&mut self) -> Vec<Answer> {
        Vec::new()
    }

    /// Too much output is waiting: senders are to wait.
    fn is_busy(&self) -> bool;

    /// Bytes of output that wait.
    fn queued_bytes(&self) -> usize;

    /// `port_control/3`: the answer, or None for badarg.
    fn control(&mut self, _operation: u32, _data: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// The descriptor that input comes from.
    fn input_fd(&self) -> Option<i32> {
        None
    }

    /// Input is at its end.
    fn end_input(&mut self) {}

    /// The descriptor of the output takes more; false when its other end is gone.
    fn output_ready(&mut self) -> bool {
        true
    }

    /// Writes everything that waits, blocking; the node ends.
    fn flush(&mut self) {}

    /// The port is closed.
    fn stop(self: Box<Self>);
}
