//! How pointers become words and words become pointers: a page to read, without code.
//!
//! A term is a number. Machine code, atomics, `phash2` and the operands of operations all treat it as one, so a pointer
//! loses its provenance when it is tagged. What follows keeps that within the rules of Rust's *exposed provenance*,
//! which Miri checks in its permissive mode (`-Zmiri-permissive-provenance`).
//!
//! **Where pointers are exposed.** [`Term::from_cons_pointer`](crate::Term::from_cons_pointer),
//! [`Term::from_boxed_pointer`](crate::Term::from_boxed_pointer) and [`Term::catch`](crate::Term::catch) cast a pointer
//! to a number, which exposes its provenance. So does whoever stores an address in a plain word of an object: the block
//! and the first byte of a shared binary, the entry of a fun or an export, the next object of an off-heap list, the
//! bytes of a match context.
//!
//! **Where they come back.** [`Cons`](crate::Cons) and [`Boxed`](crate::Boxed) are what a term becomes once its tag was
//! tested; their making takes the tag away and calls `with_exposed_provenance`. Addresses in plain words come back in
//! [`Boxed::address`](crate::Boxed::address) and the functions of the views of the kinds ([`view`](crate::view)), with
//! the same call, or, where a function has the object's address alone, by a cast, which is the same to Miri's
//! permissive mode. A pointer that was never a word (the heap's top, a fragment in a queue,
//! a cell just allocated) keeps the provenance of its allocation and needs neither.
//!
//! **A pointer spans its allocation.** What is exposed comes from the pointer to the whole block or fragment, never
//! from a reference to a part: a pointer that was derived from `&mut fragment.term` may touch that one word only, and
//! an object's later words are then out of its bounds. Therefore headers that words follow (`Fragment`, a counted
//! block, an object of a table) are reached through raw pointers, and their words by
//! [`Fragment::words_pointer`](crate::Fragment::words_pointer) and its like, which go from the raw pointer.
//!
//! **Which memory is shared and changes.** The words of a heap are written by one thread, which owns the process, and
//! read by it; what has been built is not written again, apart from: the off-heap `next` of an object, the position of
//! a match context, flags and size of a writable binary, `set_tuple_element`, and the collector's forwarding marks. All
//! of these are written through raw pointers while no reference to those words lives. Literals and objects in tables
//! are read by many threads and not written while they can be. The bytes of a shared binary are read by many; the one
//! writable binary appends behind the bytes that any other has seen.
//!
//! **Why no reference outlives a safepoint.** A reference to a word promises that it stays and does not change, and a
//! collection breaks both. So references are made late and for a short time: [`Term`](crate::Term), `Cons` and `Boxed`
//! return words by value, `as_tuple_of` returns arrays, and slices borrow a [`NoGc`](crate::NoGc), which no frame holds
//! when something collects. Who builds an object writes it through the raw pointer that the heap gave, and makes no
//! slice of it before it is complete. A reference to a *process* or a *heap* (`&mut Heap`) covers its own fields and
//! none of the words of its block.
