//! Tests the directory of ranges under loom: `cargo test -p ets --features loom --test interleavings`. See the file of
//! the same name in `runtime`.

use loom::sync::Arc;
use loom::thread;

use ets::{Range, Ranges};
use runtime::process::epoch::Pinned;
use runtime::process::sync::{Mutex, MutexGuard, check};

/// A model of a table's range: its lock and some numbers.
struct Numbers(Mutex<Vec<u32>>);

impl Range for Numbers {
    type Writer<'a> = MutexGuard<'a, Vec<u32>>;

    fn write(&self) -> Self::Writer<'_> {
        self.0.lock()
    }

    fn try_write(&self) -> Option<Self::Writer<'_>> {
        self.0.try_lock()
    }
}

type Table = Ranges<u32, Numbers>;

fn table(numbers: &[u32]) -> Arc<Table> {
    Arc::new(Ranges::new(Numbers(Mutex::new(numbers.to_vec()))))
}

/// For a look-up in a table of this test.
fn pin<'a>() -> Pinned<'a> {
    // SAFETY: a pin promises that what is replaced stays; here all of it is leaked.
    unsafe { Pinned::assume() }
}

fn with_range<R>(table: &Table, number: u32, act: impl Fn(&mut Vec<u32>) -> R) -> R {
    let route = |bounds: &[u32]| bounds.partition_point(|bound| *bound <= number);
    let (_, mut numbers) = table.enter(pin(), route, Range::write);
    act(&mut numbers)
}

fn put(table: &Table, number: u32) {
    with_range(table, number, |numbers| numbers.push(number));
}

fn has(table: &Table, number: u32) -> bool {
    with_range(table, number, |numbers| numbers.contains(&number))
}

/// Splits the range that contains `bound` at `bound`.
fn cut(table: &Table, bound: u32) {
    let route = |bounds: &[u32]| bounds.partition_point(|other| *other <= bound);
    let (range, mut lower) = table.enter(pin(), route, Range::write);
    let fresh = || Numbers(Mutex::new(Vec::new()));
    let _ = table.split(range, fresh, |upper| {
        assert!(upper.is_empty(), "a range that is in no directory");
        upper.extend(lower.extract_if(.., |number| *number >= bound));
        Some(bound)
    });
    drop(lower);
}

/// Joins the first range with the next.
fn join(table: &Table) {
    let (range, mut lower) = table.enter(pin(), |_| 0, Range::write);
    let merge = |lower: &mut MutexGuard<'_, Vec<u32>>, upper: &mut MutexGuard<'_, Vec<u32>>| {
        lower.append(upper);
    };
    let _ = table.join(range, &mut lower, merge);
    drop(lower);
}

/// All numbers in the table; asserts that each is in the range that it belongs to.
fn numbers_of(table: &Table) -> Vec<u32> {
    let held = table.hold();
    let (ranges, bounds) = held.all();
    let mut all = Vec::new();
    for (index, range) in ranges.enumerate() {
        for number in &*range.write() {
            assert_eq!(bounds.partition_point(|bound| bound <= number), index);
            all.push(*number);
        }
    }
    all.sort_unstable();
    all
}

#[test]
fn what_is_put_into_a_range_is_found_while_it_is_cut() {
    check(|| {
        let table = table(&[5, 15]);
        let cutter = {
            let table = table.clone();
            thread::spawn(move || cut(&table, 10))
        };
        let other = {
            let table = table.clone();
            thread::spawn(move || {
                put(&table, 16);
                assert!(has(&table, 5));
            })
        };
        put(&table, 6);
        assert!(has(&table, 15));
        assert!(has(&table, 6));
        cutter.join().unwrap();
        other.join().unwrap();
        assert_eq!(numbers_of(&table), [5, 6, 15, 16]);
    });
}

#[test]
fn a_range_that_was_put_together_serves_again() {
    check(|| {
        let table = table(&[5, 15, 25]);
        cut(&table, 10);
        let changer = {
            let table = table.clone();
            thread::spawn(move || {
                join(&table);
                cut(&table, 20);
            })
        };
        put(&table, 16);
        assert!(has(&table, 25));
        assert!(has(&table, 16));
        changer.join().unwrap();
        assert_eq!(numbers_of(&table), [5, 15, 16, 25]);
    });
}

#[test]
fn two_who_change_ranges_do_not_wait_for_each_other() {
    check(|| {
        let table = table(&[5, 15, 25]);
        cut(&table, 20);
        let other = {
            let table = table.clone();
            thread::spawn(move || {
                cut(&table, 22);
                assert_eq!(numbers_of(&table), [5, 15, 25]);
            })
        };
        join(&table);
        cut(&table, 10);
        other.join().unwrap();
        assert_eq!(numbers_of(&table), [5, 15, 25]);
    });
}
