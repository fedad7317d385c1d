//! Random programs on a heap: make, drop, receive, push, pop, collect.

use super::*;
use fastrand::Rng;

fn fun_entry(arity: u32, free: u32) -> &'static FunEntry {
    Box::leak(Box::new(FunEntry {
        code: AtomicPtr::new(std::ptr::null_mut()),
        module: Term::atom(1),
        arity,
        free,
        index: 0,
        old_index: 0,
        old_unique: 0,
        unique: [0; 16],
    }))
}

fn export_entry() -> &'static Export {
    Box::leak(Box::new(Export {
        code: AtomicPtr::new(std::ptr::null_mut()),
        module: Term::atom(1),
        function: Term::atom(2),
        arity: 1,
        flags: 0,
        bif: None,
        called: std::sync::atomic::AtomicPtr::new(std::ptr::null_mut()),
        stub: [0; 8],
    }))
}

struct World {
    process: Process,
    dice: Rng,
    held: Arc<()>,
    blocks: Vec<*mut BinaryBlock>,
    fun: &'static FunEntry,
    export: &'static Export,
    literals: Vec<Term>,
}

impl World {
    fn new(seed: u64, registers: usize) -> World {
        let (area, _) = take_literal_area();
        let mut literals = vec![];
        // SAFETY: the area has room; every test writes the same words.
        unsafe {
            area.write(Term::small(1).bits());
            area.add(1).write(Term::NIL.bits());
            literals.push(Term::from_cons_pointer(area.cast()));
            area.add(2).write(Header::new(ObjectKind::Tuple, 2).0);
            area.add(3).write(literals[0].bits());
            area.add(4).write(literals[0].bits());
            literals.push(Term::from_boxed_pointer(area.add(2)));
        }
        World {
            process: Process::new(registers),
            dice: Rng::with_seed(seed),
            held: Arc::new(()),
            blocks: vec![],
            fun: fun_entry(1, 3),
            export: export_entry(),
            literals,
        }
    }

    /// An existing term, a literal, or a new immediate.
    fn any(&mut self) -> Term {
        let index = self.dice.usize(..self.process.x.len());
        let term = self.process.x[index];
        match self.dice.usize(..12) {
            0 => self.literals[self.dice.usize(..2)],
            1 => Term::small(self.dice.usize(..1000) as i64),
            2 => Term::NIL,
            3 => Term::local_pid(self.dice.usize(..100) as u32, 7),
            _ if term.is_none() || term.is_kind(ObjectKind::MatchContext) => Term::atom(3),
            _ => term,
        }
    }

    fn some(&mut self, most: usize) -> Vec<Term> {
        let count = self.dice.usize(..most + 1);
        (0..count).map(|_| self.any()).collect()
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let size = self.dice.usize(..most + 1);
        (0..size).map(|index| index as u8).collect()
    }

    fn make(&mut self) -> Term {
        let choice = self.dice.usize(..22);
        let parts = self.some(9);
        let (one, two) = (self.any(), self.any());
        let number = self.dice.usize(..1 << 40) as u64;
        let most = if self.dice.u8(..4) == 0 { 3000 } else { 70 };
        let bytes = self.bytes(most);
        let string = self
            .process
            .x
            .iter()
            .copied()
            .find(|term| term.is_bitstring());
        let heap = &mut self.process.heap;
        match choice {
            0..4 => build::list_with_tail(heap, &parts, one),
            4..6 => build::tuple(heap, &parts),
            6 => build::float(heap, number as f64),
            7 => build::big(heap, number % 2 == 0, &[number, number, 1]),
            8..10 => build::binary(heap, &bytes),
            10..12 => match string {
                Some(string) => {
                    let length = string.as_bits().unwrap().bit_len();
                    let start = number % (length + 1);
                    build::sub_bits(heap, string, start, (length - start) / 2)
                }
                None => build::binary(heap, &bytes),
            },
            12..14 => match string {
                Some(string) => bits::matching::start_match(heap, string).unwrap().term(),
                None => Term::NIL,
            },
            // SAFETY: the entry is never freed.
            14 => unsafe { build::fun(heap, self.fun, Term::NIL, &[one, two, one]) },
            15 => build::export(heap, self.export),
            16 => {
                let magic = MagicBlock::new(Box::new(self.held.clone()));
                // SAFETY: the count is handed over.
                unsafe { build::magic_reference(heap, number, 0, magic) }
            }
            17 => {
                let node = node::heard_of(Term::atom(5), 3).word();
                match number % 3 {
                    0 => build::object(heap, ObjectKind::ExternalPid, &[node, number]),
                    1 => build::object(heap, ObjectKind::ExternalReference, &[node, 3, 1, 2]),
                    _ => crate::reference::with_pid(heap, number, Term::local_pid(1, 2)),
                }
            }
            18 => {
                let mut pairs: Vec<(Term, Term)> = parts
                    .iter()
                    .enumerate()
                    .map(|(key, &value)| (Term::small(key as i64), value))
                    .collect();
                if number % 2 == 0 {
                    pairs.extend((100..160).map(|key| (Term::small(key), two)));
                }
                map::from_pairs(heap, &pairs)
            }
            19 => {
                // The test holds the binary too, to see its count.
                let block = BinaryBlock::new(200);
                self.blocks.push(block);
                // SAFETY: one count for the test, one for the object.
                unsafe {
                    BinaryBlock::bytes(block).write_bytes(9, 200);
                    off_heap::retain(block.cast());
                    build::shared_binary(heap, block, 200, 0)
                }
            }
            20 => match bits::append::append(heap, string.unwrap_or(Term::NIL), 24, 1) {
                Ok((longer, _)) => {
                    let bits = longer.as_bits().unwrap();
                    let last = bits.bytes().wrapping_add((bits.bit_len() / 8) as usize);
                    // SAFETY: the three bytes before the end were just appended; a bit offset is kept
                    // zero by writing whole bytes only when aligned.
                    unsafe { last.sub(3).cast_mut().write_bytes(1, 3) };
                    longer
                }
                Err(_) => Term::NIL,
            },
            _ => one,
        }
    }

    /// Makes a term in place of another.
    fn replace(&mut self) {
        let made = self.make();
        let index = self.dice.usize(..self.process.x.len());
        self.process.x[index] = made;
    }

    /// Receives a copy of a term.
    fn receive(&mut self) {
        let term = self.any();
        if copy::size(term) < 100_000 {
            let index = self.dice.usize(..self.process.x.len());
            self.process.x[index] = self.process.receive(term);
        }
    }

    fn step(&mut self) {
        match self.dice.usize(..20) {
            0..11 => self.replace(),
            11 => {
                let (index, key) = (self.dice.usize(..4), self.any());
                self.process.dictionary[index] = key;
            }
            12 => {
                let index = self.dice.usize(..self.process.x.len());
                self.process.x[index] = Term::NONE;
            }
            13 => {
                let term = self.any();
                // A handler is an address outside the heap.
                let handler = std::ptr::from_ref(self).cast::<u64>();
                let word = match self.dice.usize(..3) {
                    0 => 0x7fff_0000_1000,
                    1 => Term::catch(handler).bits(),
                    _ => term.bits(),
                };
                // Pushing may collect, which moves `term`: so the word is made of a register.
                self.process.dictionary[0] = term;
                self.process.push(Term::NIL.bits());
                let word = if word == term.bits() {
                    self.process.dictionary[0].bits()
                } else {
                    word
                };
                // SAFETY: the word just pushed.
                unsafe { self.process.heap.stack.write(word) };
            }
            14 => {
                if stack_words(&self.process.heap) > 0 {
                    self.process.heap.stack = self.process.heap.stack.wrapping_add(1);
                }
            }
            15 => self.receive(),
            _ => {
                let need = self.dice.usize(..300);
                if need * 2 > words_between(self.process.heap.top, self.process.heap.stack) {
                    self.collect(need);
                }
            }
        }
    }

    fn collect(&mut self, need: usize) {
        // Whether there is a peeked message makes no difference for this process, but the collector takes other paths.
        let peeked = if self.dice.u8(..5) == 0 {
            copy::to_fragment(self.literals[1])
        } else {
            std::ptr::null_mut()
        };
        let request = Request {
            peeked,
            tight: self.dice.u8(..10) == 0,
            stress: if self.dice.u8(..20) == 0 {
                Stress::Collect
            } else {
                Stress::None
            },
            ..Request::new(
                if self.dice.u8(..8) == 0 {
                    CollectionKind::Major
                } else {
                    CollectionKind::Minor
                },
                need,
            )
        };
        let major = self.process.run(&request).was_major;
        if !peeked.is_null() {
            // SAFETY: nothing points into it.
            unsafe { heap::drop_fragment(peeked) };
        }
        if major {
            self.check_counts();
        }
    }

    /// After a major collection, exactly the reachable objects are counted.
    fn check_counts(&mut self) {
        let graph = self.process.graph();
        let kind_of = |node: &&Node| node.words.first().map(|&word| Header(word).kind());
        let is_magic = |node: &&Node| node.words.first() == Some(&Header::MAGIC_REFERENCE.0);
        let magic = graph
            .nodes
            .iter()
            .filter(is_magic)
            .map(|node| node.words[1 + offset::OFF_HEAP_BLOCK])
            .collect::<std::collections::HashSet<_>>();
        assert_eq!(Arc::strong_count(&self.held), 1 + magic.len());
        for &block in &self.blocks {
            let holders = graph
                .nodes
                .iter()
                .filter(|node| kind_of(node) == Some(ObjectKind::SharedBinary))
                .filter(|node| node.words.get(1 + offset::OFF_HEAP_BLOCK) == Some(&(block as u64)))
                .count();
            // SAFETY: the test holds a count.
            let count = unsafe { off_heap::references(block.cast()) };
            assert_eq!(count as usize, 1 + holders);
        }
    }
}

fn play(seed: u64, registers: usize, steps: usize) {
    let mut world = World::new(seed, registers);
    for _ in 0..steps {
        world.step();
    }
    world.end();
}

impl World {
    /// Calls a process that holds the terms of `x` and waits, and lets it wait again. Returns whether it went back to
    /// its block.
    fn call(&mut self) -> bool {
        self.process.run(&waiting(false));
        let state = self.process.x.clone();
        // There may be messages first, and something that is made of them.
        for _ in 0..self.dice.usize(..3) {
            self.receive();
            self.replace();
        }
        let need = 30 + self.dice.usize(..100);
        self.collect(need);
        let left = self.process.heap.left;
        for _ in 0..self.dice.usize(..5) {
            self.replace();
            self.receive();
        }
        if !left.is_null() {
            for (index, term) in state.into_iter().enumerate() {
                if self.dice.u8(..8) > 0 {
                    self.process.x[index] = term;
                }
            }
        }
        self.process.run(&waiting(true));
        !left.is_null() && self.process.heap.start == left
    }

    fn end(mut self) {
        self.collect(0);
        let World {
            process,
            held,
            blocks,
            ..
        } = self;
        drop(process);
        assert_eq!(Arc::strong_count(&held), 1);
        for block in blocks {
            // SAFETY: the test's own count.
            unsafe {
                assert_eq!(off_heap::references(block.cast()), 1);
                off_heap::drop_reference(block.cast());
            }
        }
    }
}

#[test]
fn small_random_heaps_stay_what_they_are() {
    for seed in 1..if cfg!(miri) { 4 } else { 400 } {
        play(seed, 4, 300);
    }
}

#[test]
fn large_random_heaps_stay_what_they_are() {
    let (seeds, steps) = if cfg!(miri) { (1, 300) } else { (11, 6000) };
    for seed in 1..=seeds {
        play(seed, 60, steps);
    }
}

#[test]
fn called_processes_keep_what_they_hold() {
    let seeds = if cfg!(miri) { 3 } else { 399 };
    let mut gone_back = 0;
    for seed in 1..=seeds {
        let mut world = World::new(seed, 4);
        for _ in 0..20 {
            gone_back += u64::from(world.call());
        }
        world.end();
    }
    // Each in two or three of its calls.
    assert!(gone_back > 2 * seeds, "{gone_back}");
}
