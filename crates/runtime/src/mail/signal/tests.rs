//! Tests the signal queue with real threads.

use crate::process::signal_queue::SignalQueue;
use layout::Term;
use term::heap::{free_fragment, new_fragment};

#[test]
fn signals_of_one_sender_keep_their_order() {
    const SENDERS: i64 = 4;
    const EACH: i64 = if cfg!(miri) { 50 } else { 20_000 };
    let queue = SignalQueue::new();
    std::thread::scope(|scope| {
        for sender in 0..SENDERS {
            let queue = &queue;
            scope.spawn(move || {
                for number in 0..EACH {
                    let fragment = new_fragment(0);
                    // SAFETY: the fragment is new, so it is in no list.
                    unsafe {
                        (*fragment).term = Term::small(sender * EACH + number);
                        queue.push(fragment);
                    }
                }
            });
        }
        let mut next = [0; SENDERS as usize];
        let mut taken = 0;
        while taken < SENDERS * EACH {
            let mut fragment = queue.take();
            while !fragment.is_null() {
                // SAFETY: taken from the queue, so this thread owns it.
                unsafe {
                    let value = (*fragment).term.small_value();
                    assert_eq!(next[(value / EACH) as usize], value % EACH);
                    next[(value / EACH) as usize] += 1;
                    let following = (*fragment).next;
                    free_fragment(fragment);
                    fragment = following;
                }
                taken += 1;
            }
        }
    });
    assert!(queue.is_empty());
}
