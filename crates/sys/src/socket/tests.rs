use std::os::fd::AsFd;

use super::address::View;
use super::message::Ancillary;
use super::*;

fn room() -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::uninit(); 100]
}

/// The bytes that a call has written.
fn filled(room: &[MaybeUninit<u8>], count: usize) -> Vec<u8> {
    room[..count]
        .iter()
        // SAFETY: the call returned how many bytes it has filled.
        .map(|byte| unsafe { byte.assume_init() })
        .collect()
}

fn readable(socket: &OwnedFd) {
    let poller = crate::poll::Poller::new().unwrap();
    let mut events = crate::poll::Events::with_capacity(1);
    let (token, interest) = (crate::poll::Token(1), crate::poll::Interest::READ);
    poller
        .add(socket.as_fd(), token, interest, crate::poll::Trigger::Level)
        .unwrap();
    poller.wait(&mut events, Some(5_000_000_000)).unwrap();
    assert_eq!(events.len(), 1, "readable within five seconds");
}

#[test]
fn streams_connect_and_carry_bytes() {
    let listener = open(Family::Inet, SocketKind::Stream).unwrap();
    bind(listener.as_fd(), &Address::inet([127, 0, 0, 1], 0)).unwrap();
    listen(listener.as_fd(), 5).unwrap();
    assert_eq!(accept(listener.as_fd()).unwrap_err(), Errno::EAGAIN);
    let at = name(listener.as_fd()).unwrap();
    assert_ne!(at.port(), Some(0));
    let client = open(Family::Inet, SocketKind::Stream).unwrap();
    match connect(client.as_fd(), &at) {
        Ok(()) | Err(Errno::EINPROGRESS) => {}
        Err(error) => panic!("{error}"),
    }
    readable(&listener);
    let (server, from) = accept(listener.as_fd()).unwrap();
    take_error(client.as_fd()).unwrap();
    assert_eq!(from.view(), name(client.as_fd()).unwrap().view());
    assert_eq!(peer(client.as_fd()).unwrap().view(), at.view());
    let mut room = room();
    assert_eq!(
        receive(server.as_fd(), &mut room).unwrap_err(),
        Errno::EAGAIN
    );
    let parts = [IoSlice::new(b"ab"), IoSlice::new(b""), IoSlice::new(b"cde")];
    assert_eq!(send_parts(client.as_fd(), &parts).unwrap(), 5);
    readable(&server);
    let count = receive(server.as_fd(), &mut room).unwrap();
    assert_eq!(filled(&room, count), b"abcde");
    shutdown(client.as_fd(), Half::Write).unwrap();
    readable(&server);
    assert_eq!(receive(server.as_fd(), &mut room).unwrap(), 0);
    assert_eq!(send(client.as_fd(), b"x").unwrap_err(), Errno::EPIPE);
}

#[test]
fn datagrams_carry_addresses_and_ancillary_data() {
    let open_bound = || {
        let socket = open(Family::Inet, SocketKind::Datagram).unwrap();
        bind(socket.as_fd(), &Address::inet([127, 0, 0, 1], 0)).unwrap();
        let at = name(socket.as_fd()).unwrap();
        (socket, at)
    };
    let ((one, one_at), (other, other_at)) = (open_bound(), open_bound());
    send_to(one.as_fd(), b"hello", &other_at).unwrap();
    readable(&other);
    let mut room = room();
    let (count, from) = receive_from(other.as_fd(), &mut room).unwrap();
    assert_eq!(filled(&room, count), b"hello");
    assert_eq!(from.view(), one_at.view());
    option::set_int(other.as_fd(), option::RECEIVE_TYPE_OF_SERVICE, 1).unwrap();
    let tos = Ancillary::number(option::TYPE_OF_SERVICE, 0x10);
    message::send(one.as_fd(), b"tos", Some(&other_at), &[tos]).unwrap();
    readable(&other);
    let received = message::receive(other.as_fd(), &mut room).unwrap();
    assert_eq!(filled(&room, received.count), b"tos");
    assert_eq!(received.ancillary.len(), 1);
    assert_eq!(received.ancillary[0].name, option::TYPE_OF_SERVICE);
    assert_eq!(received.ancillary[0].value(), 0x10);
    connect(one.as_fd(), &other_at).unwrap();
    assert_eq!(peer(one.as_fd()).unwrap().view(), other_at.view());
    disconnect(one.as_fd()).unwrap();
    assert_eq!(peer(one.as_fd()).unwrap_err(), Errno::ENOTCONN);
}

#[test]
fn addresses_say_what_they_were_made_of() {
    let view = |address: Address| format!("{:?}", address.view());
    assert_eq!(
        view(Address::inet([1, 2, 3, 4], 5)),
        "Inet { ip: [1, 2, 3, 4], port: 5 }"
    );
    let ip: [u8; 16] = std::array::from_fn(|index| index as u8);
    assert_eq!(
        Address::inet6(ip, 80, 1, 2).view(),
        View::Inet6 {
            ip,
            port: 80,
            flow: 1,
            scope: 2
        }
    );
    assert_eq!(Address::local(b"a/b").unwrap().view(), View::Local(b"a/b"));
    assert_eq!(
        Address::local(b"\0ab").unwrap().view(),
        View::Local(b"\0ab")
    );
    assert_eq!(Address::local(b"").unwrap().view(), View::Local(b""));
    assert!(Address::local(&[b'x'; 107]).is_ok());
    assert_eq!(Address::local(&[b'x'; 108]).unwrap_err(), Errno::EINVAL);
    let mut abstract_name = [b'x'; 108];
    abstract_name[0] = 0;
    assert!(Address::local(&abstract_name).is_ok());
    assert_eq!(Address::unspecified().view(), View::Unspecified);
}

#[test]
fn options_are_read_back() {
    let socket = open(Family::Inet, SocketKind::Stream).unwrap();
    let fd = socket.as_fd();
    assert_eq!(option::get_int(fd, option::KEEP_ALIVE), Ok(0));
    option::set_int(fd, option::KEEP_ALIVE, 1).unwrap();
    assert_eq!(option::get_int(fd, option::KEEP_ALIVE), Ok(1));
    let unknown = option::Name {
        level: 6,
        number: 9999,
    };
    assert_eq!(
        option::set_int(fd, unknown, 1).unwrap_err(),
        Errno::ENOPROTOOPT
    );
}

#[test]
fn the_loopback_interface_is_found() {
    let entries = interface::entries().unwrap();
    let loopback = entries
        .iter()
        .find(|entry| entry.flags.is_loopback() && entry.address.is_some())
        .unwrap();
    assert_eq!(loopback.name, b"lo");
    let socket = open(Family::Inet, SocketKind::Datagram).unwrap();
    let address = interface::ask(socket.as_fd(), b"lo", interface::Question::Address);
    assert_eq!(address, Ok([127, 0, 0, 1]));
    assert!(interface::flags(socket.as_fd(), b"lo").unwrap().is_up());
    assert_eq!(
        interface::flags(socket.as_fd(), b"nosuch0").unwrap_err(),
        Errno::ENODEV
    );
}

#[test]
fn services_are_listed_by_name_and_port() {
    // Small systems have no list; then neither lookup finds anything.
    match service::port(b"http", Some(b"tcp")) {
        Some(port) => {
            assert_eq!(port, 80);
            assert_eq!(service::name(80, Some(b"tcp")).unwrap(), b"http");
        }
        None => assert_eq!(service::name(80, Some(b"tcp")), None),
    }
    assert_eq!(service::port(b"no such service", Some(b"tcp")), None);
}

#[test]
fn bad_ancillary_buffers_are_safe() {
    for length in 0..64 {
        for byte in [0, 1, 16, 24, 255] {
            let _ = message::entries(&vec![byte; length]);
        }
    }
    assert_eq!(message::entries(&[0; 64]), []);
}
