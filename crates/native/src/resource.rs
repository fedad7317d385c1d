//! Resources: objects of a library, behind references that programs hold.
//!
//! An object lies in memory that C sees by its address; the words before it lead to the counted block that references
//! hold. When nobody holds the block any more, the destructor of the object's type is called at a safe place
//! ([`deferred`]), since whoever drops the last reference may be in the middle of a collection, or be the library with
//! a lock that the destructor takes. A process that has collected its garbage finds the destructors called.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use layout::kinds::{MagicReference, SharedBinary};
use layout::{Heap, NoGc, Term};
use parking_lot::{Mutex, RwLock};
use runtime::mail::deferred;
use runtime::process::table;
use term::off_heap::{self, Counted, MagicBlock};
use term::release::{self, Release};
use term::{Allocate, build, reference};

use crate::abi::{CREATE, Destructor, Down, DynamicCall, Identifier, Monitor, Stop, TAKEOVER};
use crate::env::Env;
use crate::library::Library;

/// A type of resources (`ErlNifResourceType`).
pub(crate) struct ResourceType {
    pub module: Term,
    pub name: Term,
    callbacks: RwLock<Callbacks>,
}

/// What is called for the objects of a type.
#[derive(Clone, Default)]
pub(crate) struct Callbacks {
    pub destructor: Option<Destructor>,
    pub stop: Option<Stop>,
    pub down: Option<Down>,
    pub dynamic_call: Option<DynamicCall>,
    /// The library that these functions are in; `None` if there are none.
    owner: Option<Arc<Library>>,
    /// The address of the library that opened the type last, which may be gone.
    opened_by: usize,
}

impl Callbacks {
    fn any(&self) -> bool {
        self.destructor.is_some()
            || self.stop.is_some()
            || self.down.is_some()
            || self.dynamic_call.is_some()
    }

    fn library(&self) -> *const Library {
        self.owner.as_ref().map_or(ptr::null(), Arc::as_ptr)
    }
}

/// A type that a library opens in `load` or `upgrade`, and its functions for it.
pub(crate) struct Opened {
    kind: Arc<ResourceType>,
    callbacks: Callbacks,
}

/// The types of all libraries that are loaded.
static TYPES: Mutex<Vec<Arc<ResourceType>>> = Mutex::new(Vec::new());

impl ResourceType {
    /// The functions of the library that the type belongs to now.
    pub(crate) fn callbacks(&self) -> Callbacks {
        self.callbacks.read().clone()
    }
}

/// Opens a type for a library that is being loaded; returns it, and what was tried, as `ErlNifResourceFlags`. What one
/// opens that was loaded is refused from OTP 27 on, and before it is a type of that call alone.
pub(crate) fn open(
    library: &Library,
    name: Term,
    callbacks: Callbacks,
    flags: c_int,
) -> (Option<*const ResourceType>, c_int) {
    if !library.is_loading() && release::has(Release::OTP_27) {
        return (None, flags);
    }
    let types = TYPES.lock();
    let mut known = types.iter();
    let known = known.find(|kind| (kind.module, kind.name) == (library.module, name));
    let (kind, tried) = match known {
        Some(kind) if flags & TAKEOVER != 0 => (Some(Arc::clone(kind)), TAKEOVER),
        Some(_) => (None, flags),
        None if flags & CREATE != 0 => {
            let kind = ResourceType {
                module: library.module,
                name,
                callbacks: RwLock::default(),
            };
            (Some(Arc::new(kind)), CREATE)
        }
        None => (None, flags),
    };
    let pointer = kind.map(|kind| {
        let pointer = Arc::as_ptr(&kind);
        library.opened.lock().push(Opened { kind, callbacks });
        pointer
    });
    (pointer, tried)
}

/// Gives a library the types that it has opened: it was loaded.
pub(crate) fn commit(library: &Arc<Library>) {
    let opened = std::mem::take(&mut *library.opened.lock());
    let mut types = TYPES.lock();
    let mut before = Vec::new();
    for Opened {
        kind,
        mut callbacks,
    } in opened
    {
        callbacks.opened_by = Arc::as_ptr(library) as usize;
        callbacks.owner = callbacks.any().then(|| Arc::clone(library));
        before.push(std::mem::replace(&mut *kind.callbacks.write(), callbacks));
        if !types.iter().any(|known| Arc::ptr_eq(known, &kind)) {
            types.push(kind);
        }
    }
    // Another library may have had them, and be unloaded now.
    drop(types);
    drop(before);
}

/// Removes the types that still belong to a library whose module was purged. Those of which there are objects live on,
/// and keep the library.
pub(crate) fn forget(library: &Library) {
    let address = ptr::from_ref(library) as usize;
    let is_own = |kind: &mut Arc<ResourceType>| kind.callbacks.read().opened_by == address;
    let gone: Vec<_> = TYPES.lock().extract_if(.., is_own).collect();
    drop(gone);
}

/// An object of a library.
struct Resource {
    kind: Arc<ResourceType>,
    memory: Memory,
    /// The number of its references.
    number: u64,
    /// Its monitors, by their number.
    monitors: Mutex<HashMap<u64, Arc<Watch>>>,
}

/// The memory of an object: a [`Head`], then what the library sees.
struct Memory(*mut u8);

// SAFETY: the library is responsible for what its threads do with its objects.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

/// What lies before an object.
#[repr(C, align(16))]
struct Head {
    block: *mut MagicBlock,
    size: usize,
}

/// An object of a type, uninitialised, counted once for the caller; `None` if there is not enough memory.
///
/// # Safety
/// `kind` is a type that [`open`] returned.
pub(crate) unsafe fn allocate(kind: *const ResourceType, size: usize) -> Option<*mut c_void> {
    // SAFETY: the type is alive, as the caller promises, and the count is taken over.
    let kind = unsafe {
        Arc::increment_strong_count(kind);
        Arc::from_raw(kind)
    };
    let bytes = size.checked_add(size_of::<Head>())?;
    // SAFETY: the size is not zero.
    let memory = unsafe { libc::malloc(bytes) }.cast::<u8>();
    if memory.is_null() {
        return None;
    }
    let resource = Box::new(Resource {
        kind,
        memory: Memory(memory),
        number: reference::fresh_number(),
        monitors: Mutex::default(),
    });
    let block = MagicBlock::holding(resource, bytes);
    // SAFETY: just allocated with room for the head; `malloc` aligns to 16 bytes.
    unsafe {
        memory.cast::<Head>().write(Head { block, size });
        Some(memory.add(size_of::<Head>()).cast())
    }
}

/// # Safety
/// `object` is a live object of a library.
unsafe fn head_of<'a>(object: *mut c_void) -> &'a Head {
    // SAFETY: `allocate` put it there.
    unsafe { &*object.cast::<Head>().sub(1) }
}

/// # Safety
/// `object` is a live object of a library.
unsafe fn resource_of<'a>(object: *mut c_void) -> &'a Resource {
    // SAFETY: the block of a live object is live, and holds a resource.
    unsafe { (*head_of(object).block).get::<Resource>() }.expect("the block of an object")
}

/// The size that the object was allocated with.
///
/// # Safety
/// `object` is a live object of a library.
pub(crate) unsafe fn size_of_object(object: *mut c_void) -> usize {
    // SAFETY: the caller's promise.
    unsafe { head_of(object).size }
}

/// The type of an object.
///
/// # Safety
/// `object` is a live object of a library.
pub(crate) unsafe fn type_of<'a>(object: *mut c_void) -> &'a ResourceType {
    // SAFETY: the caller's promise.
    unsafe { &resource_of(object).kind }
}

/// Counts one more holder of an object; returns its block.
///
/// # Safety
/// `object` is a live object of a library.
pub(crate) unsafe fn keep(object: *mut c_void) -> *mut Counted {
    // SAFETY: the caller's promise.
    unsafe {
        let block = head_of(object).block.cast();
        off_heap::retain(block);
        block
    }
}

/// Drops one holder of an object, for the library.
///
/// # Safety
/// `object` is a live object of a library, and the caller is one of its holders.
pub(crate) unsafe fn release(object: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { off_heap::drop_reference(head_of(object).block.cast()) };
}

/// A reference that holds an object.
///
/// # Safety
/// `object` is a live object of a library.
pub(crate) unsafe fn make_reference<A: Allocate + ?Sized>(
    heap: &mut A,
    object: *mut c_void,
) -> Term {
    // SAFETY: the caller's promise; the count that `keep` adds goes to the reference.
    unsafe {
        let number = resource_of(object).number;
        build::magic_reference(heap, number, reference::OBJECT, keep(object).cast())
    }
}

/// The object that a term holds, and its type. Both live as long as the term, which only a collection drops.
pub(crate) fn get(term: Term, _no_gc: &NoGc) -> Option<(*mut c_void, &ResourceType)> {
    let block = match SharedBinary::of(term) {
        Some(binary) => binary.block(),
        None => MagicReference::of(term)?.block(),
    }
    .cast::<Counted>();
    // SAFETY: the term holds a count of the block.
    let resource = unsafe { MagicBlock::of(block) }?;
    // SAFETY: the block stays as long as somebody counts, and the term does so until a collection finds it dead.
    let resource = unsafe { &*resource }.get::<Resource>()?;
    let object = resource.memory.0.wrapping_add(size_of::<Head>());
    Some((object.cast(), &resource.kind))
}

/// The memory of an object that nobody holds any more.
struct Doomed {
    kind: Arc<ResourceType>,
    memory: Memory,
}

impl Drop for Resource {
    fn drop(&mut self) {
        for (_, watch) in self.monitors.get_mut().drain() {
            watch.cancel();
        }
        let doomed = Doomed {
            kind: Arc::clone(&self.kind),
            memory: Memory(self.memory.0),
        };
        deferred::soon(move || doomed.destroy());
    }
}

impl Doomed {
    fn destroy(self) {
        let callbacks = self.kind.callbacks();
        if let Some(destructor) = callbacks.destructor {
            let object = self.memory.0.wrapping_add(size_of::<Head>());
            let mut env = Env::independent(callbacks.library());
            // SAFETY: the library's function, and `callbacks` keeps the library; nobody else holds the object.
            unsafe { destructor(&mut env, object.cast()) };
        }
        // SAFETY: allocated in `allocate`; nobody knows it any more.
        unsafe { libc::free(self.memory.0.cast()) };
    }
}

/// A monitor of a process by an object.
struct Watch {
    number: u64,
    pid: Term,
    /// The object's block, as long as the monitor is active. It is not counted; the object takes it out before it is
    /// freed.
    block: Mutex<Option<Block>>,
    /// The number of the action at the process's exit; 0 while there is none.
    action: AtomicU64,
}

struct Block(*mut MagicBlock);

// SAFETY: any thread may count holders of a block.
unsafe impl Send for Block {}

/// What [`monitor`] returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Monitored {
    Yes(Monitor),
    /// The object's type has no function for it.
    NoCallback,
    NoProcess,
}

/// Monitors a process of this node.
///
/// # Safety
/// `object` is a live object of a library.
pub(crate) unsafe fn monitor(object: *mut c_void, pid: Term) -> Monitored {
    // SAFETY: the caller's promise.
    let (resource, block) = unsafe { (resource_of(object), head_of(object).block) };
    if resource.kind.callbacks.read().down.is_none() {
        return Monitored::NoCallback;
    }
    if !table::exists(pid) {
        return Monitored::NoProcess;
    }
    let number = reference::fresh_number();
    let watch = Arc::new(Watch {
        number,
        pid,
        block: Mutex::new(Some(Block(block))),
        action: AtomicU64::new(0),
    });
    resource.monitors.lock().insert(number, Arc::clone(&watch));
    runtime::mail::tasks::ask(
        pid,
        Box::new(move |process| {
            let Some(process) = process else {
                // Not from here, which is inside the library's call: it may hold locks that its function takes.
                deferred::soon(move || watch.fire());
                return;
            };
            // Locked until the action's number is there: whoever ends the monitor later removes the action.
            let known = watch.block.lock();
            if known.is_some() {
                let at_exit = &mut process.extras().at_exit;
                let (fired, shown) = (Arc::clone(&watch), Arc::clone(&watch));
                let fire = move |_| deferred::now_or_soon(move || fired.fire());
                let number = at_exit.add(|number| (number, Box::new(fire)));
                watch.action.store(number + 1, Ordering::Release);
                let show =
                    move |heap: &mut Heap, terms: &mut Vec<Term>| terms.extend(shown.object(heap));
                at_exit.set_watcher(number, Box::new(show));
            }
        }),
    );
    Monitored::Yes(Monitor {
        words: [number, reference::OBJECT, 0, 0],
    })
}

/// Ends a monitor; returns whether it was active.
///
/// # Safety
/// `object` is a live object of a library.
pub(crate) unsafe fn demonitor(object: *mut c_void, monitor: &Monitor) -> bool {
    // SAFETY: the caller's promise.
    let resource = unsafe { resource_of(object) };
    let watch = resource.monitors.lock().remove(&monitor.words[0]);
    watch.is_some_and(|watch| watch.cancel())
}

impl Watch {
    /// Ends the monitor; returns whether it was active.
    fn cancel(&self) -> bool {
        if self.block.lock().take().is_none() {
            return false;
        }
        let action = self.action.load(Ordering::Acquire);
        if action > 0 {
            let remove = move |process: Option<&mut runtime::process::Process>| {
                if let Some(extras) = process.and_then(|process| process.existing_extras_mut()) {
                    extras.at_exit.remove(action - 1);
                }
            };
            runtime::mail::tasks::ask(self.pid, Box::new(remove));
        }
        true
    }

    /// A reference that holds the object, if the monitor is active.
    fn object(&self, heap: &mut Heap) -> Option<Term> {
        let known = self.block.lock();
        let block = known.as_ref()?.0;
        // SAFETY: the object takes the block out, for which it needs the lock, before it is freed. The count goes to
        // the reference.
        unsafe {
            if !off_heap::retain_if_held(block.cast()) {
                return None;
            }
            let number = (*block).get::<Resource>()?.number;
            Some(build::magic_reference(
                heap,
                number,
                reference::OBJECT,
                block.cast(),
            ))
        }
    }

    /// The process has ended: calls the object's type, unless the monitor or the object is gone.
    fn fire(&self) {
        let block = {
            let mut known = self.block.lock();
            let Some(Block(block)) = known.take() else {
                return;
            };
            // SAFETY: as in `object`.
            if !unsafe { off_heap::retain_if_held(block.cast()) } {
                return;
            }
            block
        };
        // SAFETY: counted just now.
        let resource = unsafe { &*block }
            .get::<Resource>()
            .expect("the block of an object");
        resource.monitors.lock().remove(&self.number);
        let callbacks = resource.kind.callbacks();
        if let Some(down) = callbacks.down {
            let object = resource.memory.0.wrapping_add(size_of::<Head>());
            let mut env = Env::independent(callbacks.library());
            let mut monitor = Monitor {
                words: [self.number, reference::OBJECT, 0, 0],
            };
            let mut pid = Identifier(self.pid);
            // SAFETY: the library's function, and `callbacks` keeps the library; the object is counted.
            unsafe { down(&mut env, object.cast(), &mut pid, &mut monitor) };
        }
        // SAFETY: counted above.
        unsafe { off_heap::drop_reference(block.cast()) };
    }
}

/// Calls the object's type because the library's use of a descriptor is over.
///
/// # Safety
/// `object` is a live object of a library.
pub(crate) unsafe fn stop(object: *mut c_void, event: c_int, is_direct: bool) {
    // SAFETY: the caller's promise.
    let callbacks = unsafe { type_of(object) }.callbacks();
    if let Some(stop) = callbacks.stop {
        let mut env = Env::independent(callbacks.library());
        // SAFETY: the library's function, and `callbacks` keeps the library.
        unsafe { stop(&mut env, object, event, c_int::from(is_direct)) };
    }
}
