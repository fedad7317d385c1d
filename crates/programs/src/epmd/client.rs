//! Asking the port mapper that runs on this host.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpStream};

use crate::complaint;

/// What to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Who is registered.
    Names,
    /// Only whether it runs.
    Started,
    /// Who is and was registered.
    Dump,
    /// Whether it would end.
    Kill,
    /// Whether it takes this name out of its list.
    Stop(String),
}

/// Asks, and prints the answer. Returns the exit status.
pub(super) fn ask(port: u16, question: &Question) -> u8 {
    let is_quiet = *question == Question::Started;
    let (request, name) = match question {
        Question::Names | Question::Started => (b'n', ""),
        Question::Dump => (b'd', ""),
        Question::Kill => (b'k', ""),
        Question::Stop(name) => (b's', name.as_str()),
    };
    let Ok(length) = u16::try_from(name.len() + 1) else {
        complaint::say("epmd: Name too long!\n");
        return 1;
    };
    let found = TcpStream::connect((Ipv6Addr::LOCALHOST, port))
        .or_else(|_| TcpStream::connect((Ipv4Addr::LOCALHOST, port)));
    let Ok(mut stream) = found else {
        if !is_quiet {
            complaint::say("epmd: Cannot connect to local epmd\n");
        }
        return 1;
    };
    let words = [&length.to_be_bytes()[..], &[request], name.as_bytes()].concat();
    let mut answer = Vec::new();
    let read = stream
        .write_all(&words)
        .and_then(|()| stream.read_to_end(&mut answer));
    let (text, status) = match (question, answer.as_slice()) {
        _ if read.is_err() => (b"epmd: failed to read answer from local epmd\n".to_vec(), 1),
        (Question::Names | Question::Dump, [a, b, c, d, rest @ ..]) => {
            let port = u32::from_be_bytes([*a, *b, *c, *d]);
            let begin = format!("epmd: up and running on port {port} with data:\n");
            ([begin.as_bytes(), rest].concat(), 0)
        }
        (Question::Started, [_, _, _, _, ..]) => (Vec::new(), 0),
        (Question::Started, _) => (Vec::new(), 1),
        (Question::Names | Question::Dump, _) => {
            (b"epmd: no response from local epmd\n".to_vec(), 1)
        }
        (Question::Kill, b"OK") => (b"Killed\n".to_vec(), 0),
        (Question::Kill, b"NO") => (
            b"Killing not allowed - living nodes in database.\n".to_vec(),
            1,
        ),
        (Question::Stop(_), b"STOPPED" | b"NOEXIST") => ([&answer[..], b"\n"].concat(), 0),
        (Question::Kill | Question::Stop(_), other) => (
            [b"epmd: local epmd responded with <", other, b">\n"].concat(),
            1,
        ),
    };
    let _ = io::stdout().write_all(&text);
    status
}
