//! All [`Owned`](super::Owned) terms, for debug builds alone: whether one of them points into a literal area that is
//! about to be freed. They own all that they point to, so none may. Any thread may call.

#[cfg(not(debug_assertions))]
use none as body;
#[cfg(debug_assertions)]
use some as body;

pub use body::check;
pub(super) use body::{begins, ends};

#[cfg(debug_assertions)]
mod some {
    use std::ops::Range;
    use std::sync::LazyLock;

    use layout::Fragment;
    use parking_lot::Mutex;
    use rustc_hash::FxHashSet;

    use crate::copy::holds_none;

    const PARTS: usize = 64;

    /// The addresses of their fragments, in parts so that threads seldom wait for each other.
    static KEPT: LazyLock<[Mutex<FxHashSet<usize>>; PARTS]> =
        LazyLock::new(|| std::array::from_fn(|_| Mutex::default()));

    fn part(fragment: usize) -> &'static Mutex<FxHashSet<usize>> {
        &KEPT[(fragment >> 6) % PARTS]
    }

    pub(in crate::copy) fn begins(fragment: *mut Fragment) {
        let address = fragment.expose_provenance();
        part(address).lock().insert(address);
    }

    pub(in crate::copy) fn ends(fragment: *mut Fragment) {
        let address = fragment.addr();
        let was_there = part(address).lock().remove(&address);
        assert!(was_there, "a term that is not kept any more is given up");
    }

    /// Looks at all of them.
    ///
    /// # Panics
    /// If one points to these addresses.
    pub fn check(area: &Range<usize>) {
        for part in KEPT.iter() {
            // Whoever gives a term up waits for the lock, so the fragments stay.
            for &address in part.lock().iter() {
                let fragment = std::ptr::with_exposed_provenance_mut::<Fragment>(address);
                // SAFETY: it is live, and full of the objects that were copied there.
                let owns_all = unsafe {
                    let start = Fragment::words_pointer(fragment);
                    let end = start.add((*fragment).words as usize);
                    !area.contains(&((*fragment).term.bits() as usize))
                        && holds_none(start, end, |address| area.contains(&address))
                };
                assert!(
                    owns_all,
                    "a term kept outside a process points to literals of {area:x?}"
                );
            }
        }
    }
}

#[cfg(not(debug_assertions))]
mod none {
    use std::ops::Range;

    use layout::Fragment;

    #[inline(always)]
    pub(in crate::copy) fn begins(_fragment: *mut Fragment) {}

    #[inline(always)]
    pub(in crate::copy) fn ends(_fragment: *mut Fragment) {}

    #[inline(always)]
    pub fn check(_area: &Range<usize>) {}
}
