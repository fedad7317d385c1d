//! Reads a CPU topology as given to `+sct`: entries separated by `:`, each a sequence of letters (`L` logical, `t`
//! thread, `c` core, `p` processor, `n` node; capital letters mean the same) with identifiers `0`, `0-3`, `3-0` or
//! `0,2-3`. An entry describes as many logical processors as its `L` has identifiers; any other letter has as many,
//! or one for all. The letters stand from the smallest to the largest: `n` after `p` is a node of several processors,
//! `n` before `p` one of several nodes of a processor. Any thread.

use runtime::exec::scheduler::places;
use spec::flags::CpuPlace;

const MAX_IDENTIFIER: i64 = 0xffff;

/// The places of `L`, `t`, `c`, `p` and `n` in a [`CpuPlace`].
const LOGICAL: usize = 5;
const THREAD: usize = 4;
const CORE: usize = 3;
const INNER_NODE: usize = 2;
const PROCESSOR: usize = 1;
const NODE: usize = 0;

/// Reads a topology; the error is stock's message.
pub fn parse(text: &[u8]) -> Result<Vec<CpuPlace>, &'static str> {
    if text.is_empty() {
        return Err("missing cpu topology");
    }
    // One separator may stand at the end.
    let text = match text.strip_suffix(b":") {
        Some(before) if !before.is_empty() => before,
        _ => text,
    };
    let mut cpus = Vec::new();
    for entry in text.split(|&byte| byte == b':') {
        read_entry(entry, &mut cpus)?;
    }
    places::check(&mut cpus).map_err(|fault| fault.text())?;
    Ok(cpus)
}

fn read_entry(entry: &[u8], cpus: &mut Vec<CpuPlace>) -> Result<(), &'static str> {
    let mut levels: [Option<Vec<i64>>; 6] = [const { None }; 6];
    let mut rest = entry;
    while let Some((letter, after)) = rest.split_first() {
        let level = level(*letter, &levels)?;
        let (identifiers, after) = read_identifiers(after)?;
        levels[level] = Some(identifiers);
        rest = after;
    }
    let logical = levels[LOGICAL].take().ok_or("missing logical identifier")?;
    let fits = |level: &Option<Vec<i64>>| {
        let count = level.as_ref().map_or(1, Vec::len);
        count == 1 || count == logical.len()
    };
    if !levels.iter().all(fits) {
        return Err("invalid identifier range");
    }
    for (index, &number) in logical.iter().enumerate() {
        let at = |level: usize, absent: i64| match levels[level].as_deref() {
            Some([one]) => *one,
            Some(several) => several[index],
            None => absent,
        };
        cpus.push([
            at(NODE, -1),
            at(PROCESSOR, 0),
            at(INNER_NODE, -1),
            at(CORE, 0),
            at(THREAD, 0),
            number,
        ]);
    }
    Ok(())
}

/// The level that a letter stands for, after those that have been read.
fn level(letter: u8, levels: &[Option<Vec<i64>>; 6]) -> Result<usize, &'static str> {
    let level = match letter {
        b'L' => LOGICAL,
        b't' | b'T' => THREAD,
        b'c' | b'C' => CORE,
        b'p' | b'P' => PROCESSOR,
        b'n' | b'N' if levels[PROCESSOR].is_some() => NODE,
        b'n' | b'N' => INNER_NODE,
        _ => return Err("invalid identifier type"),
    };
    // A place in the record is the higher, the smaller the unit: nothing as large may have been read.
    match levels[..=level].iter().all(Option::is_none) {
        true => Ok(level),
        false => Err("invalid hierarchy"),
    }
}

/// Reads `0,2-3,7-5`, and returns what follows.
fn read_identifiers(text: &[u8]) -> Result<(Vec<i64>, &[u8]), &'static str> {
    let mut identifiers = Vec::new();
    let mut rest = text;
    loop {
        let (first, after) = read_identifier(rest).ok_or("invalid identifier")?;
        rest = after;
        let mut last = first;
        if let Some(after) = rest.strip_prefix(b"-") {
            (last, rest) = read_identifier(after).ok_or("invalid identifier range")?;
        }
        match first <= last {
            true => identifiers.extend(first..=last),
            false => identifiers.extend((last..=first).rev()),
        }
        match rest.strip_prefix(b",") {
            None => return Ok((identifiers, rest)),
            // No two are alike, so there cannot be more.
            Some(_) if identifiers.len() > MAX_IDENTIFIER as usize => {
                return Err("invalid identifier range");
            }
            Some(after) => rest = after,
        }
    }
}

fn read_identifier(text: &[u8]) -> Option<(i64, &[u8])> {
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (number <= MAX_IDENTIFIER).then_some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_levels_and_ranges() {
        for (text, expected) in [
            ("L0", vec![[-1, 0, -1, 0, 0, 0]]),
            ("L0:", vec![[-1, 0, -1, 0, 0, 0]]),
            ("L5T1C2P3N4", vec![[4, 3, -1, 2, 1, 5]]),
            ("L5t1c2n4p3", vec![[-1, 3, 4, 2, 1, 5]]),
            (
                "L1-0c0-1p7",
                vec![[-1, 7, -1, 0, 0, 1], [-1, 7, -1, 1, 0, 0]],
            ),
            (
                "L0,2-3c4,6-5:L1c7",
                vec![
                    [-1, 0, -1, 4, 0, 0],
                    [-1, 0, -1, 5, 0, 3],
                    [-1, 0, -1, 6, 0, 2],
                    [-1, 0, -1, 7, 0, 1],
                ],
            ),
        ] {
            assert_eq!(parse(text.as_bytes()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, expected) in [
            ("", "missing cpu topology"),
            (":", "missing logical identifier"),
            ("L0::L1c1", "missing logical identifier"),
            ("c0", "missing logical identifier"),
            ("foo", "invalid identifier type"),
            ("l0", "invalid identifier type"),
            ("L0-1-2", "invalid identifier type"),
            ("L", "invalid identifier"),
            ("L+0", "invalid identifier"),
            ("L70000", "invalid identifier"),
            ("L0-", "invalid identifier range"),
            ("L0-70000", "invalid identifier range"),
            ("L0-1c0-2", "invalid identifier range"),
            ("L0p0c0", "invalid hierarchy"),
            ("t0L0", "invalid hierarchy"),
            ("L0c0c0", "invalid hierarchy"),
            ("L0:L0n0", "not unique logical identifiers"),
            ("L0c0p0n0:L1c1p1", "invalid nodes declaration"),
            ("L0c0p0n0:L1c0p0n1", "invalid nodes declaration"),
            ("L0-1", "not unique entities"),
        ] {
            assert_eq!(parse(text.as_bytes()), Err(expected), "{text}");
        }
    }
}
