//! Operators on numbers and booleans. The engine computes small integers itself; only other operands come here.

use layout::Term;
use term::arith::{self, ArithError};
use term::{am, build, compare};

use runtime::bif::{BifResult, Failure, badarg, badarith, dirty_unless, system_limit};
use runtime::process::Process;

fn arithmetic(result: Result<Term, ArithError>) -> BifResult {
    result.map_err(|error| match error {
        ArithError::BadArith => badarith(),
        ArithError::SystemLimit => system_limit(),
    })
}

macro_rules! binary_operators {
    ($($(#[$doc:meta])* $name:ident: $function:path;)*) => {
        $($(#[$doc])*
        pub fn $name(process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
            arithmetic($function(process.heap(), a, b))
        })*
    };
}

/// `max(A, B)`: the first, if they compare equal.
pub fn max_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    Ok(if compare::compare(a, b).is_lt() { b } else { a })
}

/// `min(A, B)`: the first, if they compare equal.
pub fn min_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    Ok(if compare::compare(a, b).is_gt() { b } else { a })
}

/// `is_integer(Term, Least, Most)`
pub fn is_integer_3(_process: &mut Process, [term, least, most]: [Term; 3]) -> BifResult {
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
    plus_2: arith::add;
    /// `A - B`
    minus_2: arith::subtract;
    /// `A * B`
    times_2: arith::multiply;
    /// `A / B`
    divide_2: arith::divide;
    /// `A div B`
    div_2: arith::int_div;
    /// `A rem B`
    rem_2: arith::remainder;
    /// `A band B`
    band_2: arith::band;
    /// `A bor B`
    bor_2: arith::bor;
    /// `A bxor B`
    bxor_2: arith::bxor;
    /// `A bsl B`
    bsl_2: arith::bsl;
    /// `A bsr B`
    bsr_2: arith::bsr;
}

/// `+A`, computed as `A + 0`: it turns a negative zero into a positive one.
pub fn plus_1(process: &mut Process, [a]: [Term; 1]) -> BifResult {
    arithmetic(arith::add(process.heap(), a, Term::small(0)))
}

/// `-A`
pub fn minus_1(process: &mut Process, [a]: [Term; 1]) -> BifResult {
    arithmetic(arith::negate(process.heap(), a))
}

/// `bnot A`
pub fn bnot_1(process: &mut Process, [a]: [Term; 1]) -> BifResult {
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
pub fn not_1(_process: &mut Process, [a]: [Term; 1]) -> BifResult {
    Ok(am::boolean(!truth(a, 1)?))
}

/// `A and B`
pub fn and_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    let (a, b) = (truth(a, 1)?, truth(b, 2)?);
    Ok(am::boolean(a && b))
}

/// `A or B`
pub fn or_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    let (a, b) = (truth(a, 1)?, truth(b, 2)?);
    Ok(am::boolean(a || b))
}

/// `A xor B`
pub fn xor_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    Ok(am::boolean(truth(a, 1)? != truth(b, 2)?))
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident: |$a:ident, $b:ident| $body:expr;)*) => {
        $($(#[$doc])*
        pub fn $name(_process: &mut Process, [$a, $b]: [Term; 2]) -> BifResult {
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

/// The items of a proper list.
fn items(list: Term, argument: usize) -> Result<Vec<Term>, Failure> {
    let mut items = Vec::new();
    let mut rest = list;
    while let Some((head, tail)) = rest.as_cons() {
        items.push(head);
        rest = tail;
        if items.len() > SHORT_LIST {
            dirty_unless(false)?;
        }
    }
    if rest.is_nil() {
        Ok(items)
    } else {
        Err(badarg(argument))
    }
}

/// `A ++ B`
pub fn append_2(process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    if let Some(appended) = build::append_in_room(process.heap(), a, b, SHORT_LIST) {
        let (list, cells) = appended.map_err(|_| badarg(1))?;
        runtime::scheduler::charge(cells as i64 / 16);
        return Ok(list);
    }
    let front = items(a, 1)?;
    runtime::scheduler::charge(front.len() as i64 / 16);
    Ok(build::list_in_row(process.heap(), &front, b))
}

/// `A -- B`
pub fn subtract_2(process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    let mut left = items(a, 1)?;
    let right = items(b, 2)?;
    if left.is_empty() || right.is_empty() {
        return Ok(a);
    }
    // How often each item of the right side is still to be removed from the left. The map orders items by exact order.
    let mut counts: std::collections::BTreeMap<Ordered, usize> = std::collections::BTreeMap::new();
    for item in right {
        *counts.entry(Ordered(item)).or_default() += 1;
    }
    runtime::scheduler::charge(left.len() as i64 / 4);
    left.retain(|item| match counts.get_mut(&Ordered(*item)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    Ok(build::list_in_row(process.heap(), &left, Term::NIL))
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
