//! Accepting connections, few at a time, and ending each in time.
//!
//! Where all places are taken, a new connection takes the place of one that has not asked anything yet, or else of the
//! one that is idle for longest: so connections that are only opened, by the thousand, keep nobody out who asks at
//! once.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use super::routes;
use super::served::Served;
use super::stream::{Activity, Stream};
use super::timer::Timer;

/// Connections at a time.
const MOST: usize = 64;
/// How long the head of a request may take to come, also the first one, and how long a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long a connection lives: then it is closed between two answers. Clients open another one.
const LIFE: Duration = Duration::from_secs(600);
/// How long its last answer may take then.
const LAST_ANSWER: Duration = Duration::from_secs(30);
/// The bytes of a request's head, and its headers.
const MOST_HEAD_BYTES: usize = 16 << 10;
const MOST_HEADERS: usize = 64;
/// How long is waited after a connection could not be accepted: there are no descriptors left.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

struct Place {
    number: u64,
    activity: Rc<Activity>,
    task: AbortHandle,
}

/// Accepts connections, each of which becomes a task of the thread's set of tasks.
pub(super) async fn serve(listener: TcpListener, served: Served) {
    let served = Rc::new(served);
    let places: Rc<RefCell<Vec<Place>>> = Rc::default();
    let mut number = 0;
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_AGAIN).await;
            continue;
        };
        if places.borrow().len() >= MOST && !make_room(&mut places.borrow_mut()) {
            continue;
        }
        number += 1;
        let activity = Rc::new(Activity::new());
        let (shared, own, all) = (Rc::clone(&served), Rc::clone(&activity), Rc::clone(&places));
        let task = tokio::task::spawn_local(async move {
            run(stream, &shared, &own).await;
            all.borrow_mut().retain(|place| place.number != number);
        });
        places.borrow_mut().push(Place {
            number,
            activity,
            task: task.abort_handle(),
        });
    }
}

/// Closes the connection that can be missed most; false if all are being answered.
fn make_room(places: &mut Vec<Place>) -> bool {
    let idle = places
        .iter()
        .enumerate()
        .filter(|(_, place)| !place.activity.is_working.get());
    let longest =
        idle.min_by_key(|(_, place)| (place.activity.has_asked.get(), place.activity.moved.get()));
    let Some((index, _)) = longest else {
        return false;
    };
    places.swap_remove(index).task.abort();
    true
}

/// Serves one connection until it ends, or has lived long enough.
async fn run(stream: TcpStream, served: &Served, activity: &Rc<Activity>) {
    // Answers are written whole, so there is nothing to wait for.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| async {
        activity.has_asked.set(true);
        activity.is_working.set(true);
        let response = routes::respond(served, request).await;
        activity.is_working.set(false);
        Ok::<_, Infallible>(response)
    });
    let connection = http1::Builder::new()
        .timer(Timer)
        .header_read_timeout(HEAD_TIME)
        .max_headers(MOST_HEADERS)
        .max_buf_size(MOST_HEAD_BYTES)
        .serve_connection(Stream::new(stream, Rc::clone(activity)), service);
    tokio::pin!(connection);
    let ended = tokio::time::timeout(LIFE, connection.as_mut()).await;
    if ended.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = tokio::time::timeout(LAST_ANSWER, connection).await;
    }
}
