//! `ets:select_replace/2` accepts only bodies that keep the key of the object they replace. That is decided from the
//! specification alone, so some that would keep it are refused, as in OTP.

use layout::{Term, no_gc};
use term::{am, compare};

use super::Source;
use super::pattern::variable;

fn element(tuple: Term, keypos: usize) -> Option<Term> {
    tuple.as_tuple(no_gc!())?.get(keypos - 1).copied()
}

/// Whether the result of a clause is certainly a tuple with the key of the object.
#[must_use]
pub(crate) fn keeps_key(&[head, _, body]: &Source, keypos: usize) -> bool {
    let Some((result, rest)) = body.as_cons() else {
        return false;
    };
    if !rest.is_nil() {
        return false;
    }
    if result == am::DOLLAR_UNDERSCORE {
        return true;
    }
    let Some(key) = element(head, keypos) else {
        return false;
    };
    let (tuple, is_constant) = match result.as_tuple(no_gc!()) {
        Some(&[am::CONST, tuple]) => (tuple, true),
        Some(&[tuple]) => (tuple, false),
        _ => return false,
    };
    let Some(new_key) = element(tuple, keypos) else {
        return false;
    };
    if makes_what_matched(key, new_key, is_constant) {
        return true;
    }
    // {element, KeyPos, '$_'}
    !is_constant
        && matches!(new_key.as_tuple(no_gc!()), Some(&[am::ELEMENT, position, am::DOLLAR_UNDERSCORE])
            if position.as_small() == Some(keypos as i64))
}

/// Whether an expression certainly makes exactly the term that a pattern has matched.
fn makes_what_matched(pattern: Term, expression: Term, is_constant: bool) -> bool {
    let mut rest = vec![(pattern, expression, is_constant)];
    while let Some((pattern, expression, is_constant)) = rest.pop() {
        if let Some((head, tail)) = expression.as_cons() {
            let Some((pattern_head, pattern_tail)) = pattern.as_cons() else {
                return false;
            };
            rest.push((pattern_tail, tail, is_constant));
            rest.push((pattern_head, head, is_constant));
        } else if let Some(elements) = expression.as_tuple(no_gc!()) {
            let (made, is_constant) = match elements {
                _ if is_constant => (expression, true),
                [inner] if inner.is_tuple() => (*inner, false),
                [am::CONST, constant] => {
                    rest.push((pattern, *constant, true));
                    continue;
                }
                _ => return false,
            };
            let no_gc = no_gc!();
            let (Some(parts), Some(made)) = (pattern.as_tuple(no_gc), made.as_tuple(no_gc)) else {
                return false;
            };
            if parts.len() != made.len() {
                return false;
            }
            rest.extend(
                parts
                    .iter()
                    .zip(made)
                    .map(|(part, made)| (*part, *made, is_constant)),
            );
        } else if expression.is_map() {
            // The matched map may have more pairs.
            return false;
        } else if expression.is_immediate() {
            let stands_for_more = matches!(
                pattern,
                am::UNDERSCORE | am::DOLLAR_DOLLAR | am::DOLLAR_UNDERSCORE
            ) || (is_constant && variable(pattern).is_some());
            if pattern != expression || stands_for_more {
                return false;
            }
        } else if !compare::eq_exact(pattern, expression) {
            return false;
        }
    }
    true
}
