//! Operators on numbers and booleans. The engine computes small integers itself; only other operands come here.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use layout::limits::REDUCTIONS_PER_SLICE;
use layout::{Term, no_gc};
use smallvec::SmallVec;
use term::arith::{self, ArithError};
use term::{am, build, compare};

use runtime::code::bif::{
    BifResult, Failure, badarg, badarith, dirty_unless, room_for, system_limit,
};
use runtime::mail::current::charge;
use runtime::mail::{dirty, loans};
use runtime::process::Process;

fn arithmetic(result: Result<Term, ArithError>) -> BifResult {
    result.map_err(|error| match error {
        ArithError::BadArith => badarith(),
        ArithError::SystemLimit => system_limit(),
    })
}

/// Steps with single limbs for a reduction, as on OTP 29.
const STEPS_PER_REDUCTION: usize = 16;

/// The length of a number in limbs.
fn limbs(number: Term) -> usize {
    number.as_big(no_gc!()).map_or(1, |(_, limbs)| limbs.len())
}

/// Charges for an operation with numbers of these lengths, which takes so many steps.
fn charge_for(a: Term, b: Term, steps: fn(usize, usize) -> usize) {
    let reductions = (steps(limbs(a), limbs(b)) / STEPS_PER_REDUCTION) as i64;
    // What takes longer than a slice ends this one.
    charge(reductions.clamp(0, REDUCTIONS_PER_SLICE));
}

/// Limb by limb.
fn along(a: usize, b: usize) -> usize {
    a.max(b)
}

/// Each limb with each.
fn crosswise(a: usize, b: usize) -> usize {
    a.saturating_mul(b)
}

/// Each limb of a quotient with each of the divisor.
fn divided(a: usize, b: usize) -> usize {
    (a + 1).saturating_sub(b).saturating_mul(b)
}

macro_rules! binary_operators {
    ($($(#[$doc:meta])* $name:ident: $function:path, $steps:ident;)*) => {
        $($(#[$doc])*
        pub(crate) fn $name(process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
            charge_for(a, b, $steps);
            arithmetic($function(process.heap(), a, b))
        })*
    };
}

/// `max(A, B)`: the first, if they compare equal.
pub(crate) fn max_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    Ok(if compare::compare(a, b).is_lt() { b } else { a })
}

/// `min(A, B)`: the first, if they compare equal.
pub(crate) fn min_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    Ok(if compare::compare(a, b).is_gt() { b } else { a })
}

/// `is_integer(Term, Least, Most)`
pub(crate) fn is_integer_3(_process: &mut Process, [term, least, most]: [Term; 3]) -> BifResult {
    if !least.is_integer() {
        return Err(badarg(2));
    }
    if !most.is_integer() {
        return Err(badarg(3));
    }
    Ok(am::boolean(
        term.is_integer()
            && compare::compare(term, least).is_ge()
            && compare::compare(term, most).is_le(),
    ))
}

binary_operators! {
    /// `A + B`
    plus_2: arith::add, along;
    /// `A - B`
    minus_2: arith::subtract, along;
    /// `A * B`
    times_2: arith::multiply, crosswise;
    /// `A / B`
    divide_2: arith::divide, along;
    /// `A div B`
    div_2: arith::int_div, divided;
    /// `A rem B`
    rem_2: arith::remainder, divided;
    /// `A band B`
    band_2: arith::band, along;
    /// `A bor B`
    bor_2: arith::bor, along;
    /// `A bxor B`
    bxor_2: arith::bxor, along;
    /// `A bsl B`
    bsl_2: arith::bsl, along;
    /// `A bsr B`
    bsr_2: arith::bsr, along;
}

/// `+A`, computed as `A + 0`: it turns a negative zero into a positive one.
pub(crate) fn plus_1(process: &mut Process, [a]: [Term; 1]) -> BifResult {
    arithmetic(arith::add(process.heap(), a, Term::small(0)))
}

/// `-A`
pub(crate) fn minus_1(process: &mut Process, [a]: [Term; 1]) -> BifResult {
    charge_for(a, a, along);
    arithmetic(arith::negate(process.heap(), a))
}

/// `bnot A`
pub(crate) fn bnot_1(process: &mut Process, [a]: [Term; 1]) -> BifResult {
    charge_for(a, a, along);
    arithmetic(arith::bnot(process.heap(), a))
}

fn truth(term: Term, number: usize) -> Result<bool, Failure> {
    match term {
        am::TRUE => Ok(true),
        am::FALSE => Ok(false),
        _ => Err(badarg(number)),
    }
}

/// `not A`
pub(crate) fn not_1(_process: &mut Process, [a]: [Term; 1]) -> BifResult {
    Ok(am::boolean(!truth(a, 1)?))
}

/// `A and B`
pub(crate) fn and_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    let (a, b) = (truth(a, 1)?, truth(b, 2)?);
    Ok(am::boolean(a && b))
}

/// `A or B`
pub(crate) fn or_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    let (a, b) = (truth(a, 1)?, truth(b, 2)?);
    Ok(am::boolean(a || b))
}

/// `A xor B`
pub(crate) fn xor_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    Ok(am::boolean(truth(a, 1)? != truth(b, 2)?))
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident: |$a:ident, $b:ident| $body:expr;)*) => {
        $($(#[$doc])*
        pub(crate) fn $name(_process: &mut Process, [$a, $b]: [Term; 2]) -> BifResult {
            Ok(am::boolean($body))
        })*
    };
}

comparisons! {
    /// `A == B`
    eq_2: |a, b| term::compare::eq(a, b);
    /// `A /= B`
    ne_2: |a, b| !term::compare::eq(a, b);
    /// `A =:= B`
    eq_exact_2: |a, b| term::compare::eq_exact(a, b);
    /// `A =/= B`
    ne_exact_2: |a, b| !term::compare::eq_exact(a, b);
    /// `A < B`
    lt_2: |a, b| term::compare::compare(a, b).is_lt();
    /// `A =< B`
    le_2: |a, b| term::compare::compare(a, b).is_le();
    /// `A > B`
    gt_2: |a, b| term::compare::compare(a, b).is_gt();
    /// `A >= B`
    ge_2: |a, b| term::compare::compare(a, b).is_ge();
}

/// Items that are appended or subtracted within a slice; dirty schedulers handle longer lists.
const SHORT_LIST: usize = 1 << 14;
/// A list of at most so many cells is copied without being counted first.
const COPIED_UNCOUNTED: usize = 64;

/// At most so many items to remove are looked for one after the other.
const FEW: usize = 16;

/// The length of a proper list.
fn length(list: Term, argument: usize) -> Result<usize, Failure> {
    let (mut rest, mut length) = (list, 0);
    while let Some((_, tail)) = rest.as_cons() {
        rest = tail;
        length += 1;
        if length > SHORT_LIST {
            dirty_unless(false)?;
        }
    }
    if rest.is_nil() {
        Ok(length)
    } else {
        Err(badarg(argument))
    }
}

/// Adds the items of a proper list, the second argument, to those of `into`.
fn add_items(list: Term, into: &mut SmallVec<[Term; FEW]>) -> Result<(), Failure> {
    let length = length(list, 2)?;
    // They are kept here, and then in a list.
    room_for(length * 24)?;
    into.reserve(length);
    into.extend(term::list::items(list).flatten());
    Ok(())
}

/// `A ++ B`
pub(crate) fn append_2(process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    if let Some(appended) = build::append_in_room(process.heap(), a, b, COPIED_UNCOUNTED) {
        let (list, cells) = appended.map_err(|_| badarg(1))?;
        charge(cells as i64 / 16);
        return Ok(list);
    }
    let length = length(a, 1)?;
    room_for(length * 16)?;
    charge(length as i64 / 16);
    Ok(build::copy_in_row(process.heap(), a, length, b))
}

/// Items that are still to be removed from a list.
#[derive(Default)]
struct Removed {
    /// Those that are looked for one after the other.
    few: SmallVec<[Term; FEW]>,
    /// How often each of the others is; ordered by exact order.
    many: BTreeMap<Ordered, usize>,
}

impl Removed {
    /// Orders the items if they are not few.
    fn order(&mut self) {
        if self.few.len() > FEW {
            for item in self.few.drain(..) {
                *self.many.entry(Ordered(item)).or_default() += 1;
            }
        }
    }

    /// Whether the item is to be removed; then it is there once less.
    fn take(&mut self, item: Term) -> bool {
        let is_item = |&other: &Term| compare::eq_exact(other, item);
        if let Some(place) = self.few.iter().position(is_item) {
            self.few.swap_remove(place);
            return true;
        }
        let Entry::Occupied(mut count) = self.many.entry(Ordered(item)) else {
            return false;
        };
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
        true
    }

    fn is_empty(&self) -> bool {
        self.few.is_empty() && self.many.is_empty()
    }
}

/// `A -- B`
pub(crate) fn subtract_2(process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    let length = length(a, 1)?;
    let mut removed = Removed::default();
    add_items(b, &mut removed.few)?;
    if length == 0 || removed.is_empty() {
        return Ok(a);
    }
    charge((length * removed.few.len().min(FEW)) as i64 / 16);
    // Others need not wait for the process meanwhile.
    match loans::apart(process, || what_is_kept(a, removed)) {
        Some((kept, rest)) => Ok(build::list_in_row(process.heap(), &kept, rest)),
        None => Ok(a),
    }
}

/// The items of a list that are not removed, up to the last one that is, and the rest of the list; `None` if none is
/// removed, or the process has ended meanwhile.
fn what_is_kept(list: Term, mut removed: Removed) -> Option<(SmallVec<[Term; 64]>, Term)> {
    removed.order();
    let mut kept: SmallVec<[Term; 64]> = SmallVec::new();
    let (mut rest, mut walked) = (list, 0);
    while !removed.is_empty()
        && let Some((item, next)) = rest.as_cons()
    {
        if !removed.take(item) {
            kept.push(item);
        }
        rest = next;
        walked += 1;
        if walked % SHORT_LIST == 0 && dirty::is_in_vain() {
            return None;
        }
    }
    // What is behind the last item removed stays as it is.
    (kept.len() < walked).then_some((kept, rest))
}

/// A term as a key of an ordered map, compared in the exact order.
struct Ordered(Term);

impl PartialEq for Ordered {
    fn eq(&self, other: &Ordered) -> bool {
        term::compare::eq_exact(self.0, other.0)
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        term::compare::compare_exact(self.0, other.0)
    }
}
