//! Handles of channels as programs hold them: references behind which the channel stands, alone or with its number.
//!
//! All handles of one channel are equal: `net_kernel` finds by that whether a connection is the one that it knows.

use std::sync::Arc;

use layout::kinds::MagicReference;
use layout::{Heap, Term};
use term::build;
use term::off_heap::MagicBlock;

use crate::channel::Channel;

/// `{Number, Handle}` for a connection, which `net_kernel` passes around.
pub fn make(heap: &mut Heap, channel: &Arc<Channel>) -> Term {
    let handle = make_handle(heap, channel);
    let number = Term::small(i64::from(channel.id));
    build::tuple(heap, &[number, handle])
}

/// The reference for `erlang:dist_ctrl_*`.
fn make_handle(heap: &mut Heap, channel: &Arc<Channel>) -> Term {
    let block = MagicBlock::new(Box::new(channel.clone()));
    // SAFETY: a fresh block; its only count goes to the reference.
    unsafe { build::magic_reference(heap, channel.handle_number, term::reference::OBJECT, block) }
}

/// The channel of `{Number, Handle}`.
#[must_use]
pub fn channel(pair: Term) -> Option<Arc<Channel>> {
    let [number, handle] = pair.as_tuple_of()?;
    let block = MagicReference::of(handle)?.block().cast::<MagicBlock>();
    // SAFETY: the reference holds a count of the block, and the moving rule keeps the reference alive meanwhile.
    let channel = unsafe { (*block).get::<Arc<Channel>>() }?;
    (number.as_small() == Some(i64::from(channel.id))).then(|| channel.clone())
}
