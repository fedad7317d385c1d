//! Checks the syntax of a CPU topology as given to `+sct`: entries separated by `:`, each a sequence of
//! letters (`L` logical, `t` thread, `c` core, `p` processor, `n` and `N` nodes) with identifiers
//! `0`, `0-3` or `0,2-3`. Only the syntax is checked: ferl binds schedulers by the topology that the system reports.
//! Any thread.

const MAX_IDENTIFIER: u32 = 0xffff;

/// Checks a topology; the error is stock's message.
pub fn check(text: &[u8]) -> Result<(), &'static str> {
    if text.is_empty() {
        return Err("missing cpu topology");
    }
    text.split(|&byte| byte == b':').try_for_each(check_entry)
}

fn check_entry(entry: &[u8]) -> Result<(), &'static str> {
    let mut rest = entry;
    let mut has_logical = false;
    while let Some((letter, ids)) = rest.split_first() {
        if !b"LtcpnN".contains(letter) {
            return Err("invalid identifier type");
        }
        has_logical |= *letter == b'L';
        let end = ids
            .iter()
            .position(|byte| !byte.is_ascii_digit() && !b"-,".contains(byte))
            .unwrap_or(ids.len());
        ids[..end]
            .split(|&byte| byte == b',')
            .try_for_each(check_range)?;
        rest = &ids[end..];
    }
    if has_logical {
        Ok(())
    } else {
        Err("missing logical identifier")
    }
}

fn check_range(range: &[u8]) -> Result<(), &'static str> {
    let mut ends = range.splitn(2, |&byte| byte == b'-');
    let first = ends.next().unwrap_or_default();
    identifier(first).ok_or("invalid identifier")?;
    match ends.next() {
        None => Ok(()),
        Some(last) => identifier(last).map(drop).ok_or("invalid identifier range"),
    }
}

fn identifier(digits: &[u8]) -> Option<u32> {
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (number <= MAX_IDENTIFIER).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_the_form() {
        for (text, expected) in [
            ("L0", Ok(())),
            ("L0-3c0-3p0:L4,6-7c0,1-2p1N1", Ok(())),
            ("", Err("missing cpu topology")),
            ("foo", Err("invalid identifier type")),
            ("L", Err("invalid identifier")),
            ("L0-", Err("invalid identifier range")),
            ("L70000", Err("invalid identifier")),
            ("c0", Err("missing logical identifier")),
            ("L0:", Err("missing logical identifier")),
        ] {
            assert_eq!(check(text.as_bytes()), expected, "{text}");
        }
    }
}
