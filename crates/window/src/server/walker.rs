//! The thread that makes answers which take longer than microseconds: one at a time, in the order in which they were
//! asked for. So whatever is asked for, at most one processor is busy with it, and the server goes on answering.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use hyper::StatusCode;
use hyper::header::RETRY_AFTER;
use tokio::sync::oneshot;

use super::answer::Answer;
use super::api::{Asked, Make};

/// Answers that wait to be made.
const MOST_WAITING: usize = 16;
/// It formats terms, which may be nested.
const STACK_BYTES: usize = 2 << 20;

struct Task {
    make: Make,
    asked: Asked,
    answer: oneshot::Sender<Answer>,
}

/// See the module's documentation. The thread ends when this is dropped, and what it does is done.
pub(super) struct Walker(SyncSender<Task>);

impl Walker {
    pub(super) fn start() -> sys::Result<Walker> {
        let (sender, tasks) = sync_channel(MOST_WAITING);
        sys::thread::spawn("ferl_window_2", STACK_BYTES, move || work(&tasks))?;
        Ok(Walker(sender))
    }

    /// The answer, when it is made; at once one that says so if too many wait.
    pub(super) async fn make(&self, make: Make, asked: Asked) -> Answer {
        let (answer, made) = oneshot::channel();
        let task = Task {
            make,
            asked,
            answer,
        };
        let busy = || {
            let why = "too many requests wait; ask again";
            Answer::fault(StatusCode::SERVICE_UNAVAILABLE, why).with(RETRY_AFTER, "1")
        };
        match self.0.try_send(task) {
            Ok(()) => made.await.unwrap_or_else(|_| busy()),
            Err(_) => busy(),
        }
    }
}

fn work(tasks: &Receiver<Task>) {
    for task in tasks {
        // Whoever asked may be gone.
        if !task.answer.is_closed() {
            let _ = task.answer.send((task.make)(&task.asked));
        }
    }
}
