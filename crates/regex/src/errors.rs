//! Why a pattern does not compile, in the words of PCRE 8.44, which programs and people know; and at which offset,
//! because PCRE 8 often stopped at another one.

use std::ffi::c_int;

/// PCRE2's error numbers start here.
const FIRST: c_int = 100;

/// PCRE2 10.47's number and offset for an error that an older PCRE2 has found at `offset`: the newer one stops behind
/// the character that is wrong, in a pattern of characters if `utf`.
pub(crate) fn as_later_pcre2(
    code: c_int,
    offset: usize,
    source: &[u8],
    utf: bool,
) -> (c_int, usize) {
    let (read, rest) = source.split_at(offset.min(source.len()));
    let is_inside = |byte: &&u8| utf && **byte & 0xc0 == 0x80;
    let step = rest.iter().skip(1).take_while(is_inside).count() + usize::from(!rest.is_empty());
    match code - FIRST {
        // The pattern ends in a number that is right: the newer one stops behind that end.
        64 if matches!(rest, [b'0'..=b'7']) => (code, offset + 2),
        67 if matches!(rest, [digit] if digit.is_ascii_hexdigit()) => (code, offset + 2),
        3 | 7 | 8 | 9 | 11 | 22 | 28 | 44 | 64 | 67 | 68 | 82 => (code, offset + step),
        15 | 55 if read.ends_with(b"\\") => (code, offset + step),
        37 if read.ends_with(b"\\N") => (code, offset + step),
        12 => {
            let end = rest.windows(2).skip(1).position(|pair| pair[1] == b']');
            (code, end.map_or(offset, |end| offset + end + 3))
        }
        // The pattern ends where the digits should be.
        29 if rest.len() <= 1 => (FIRST + 14, source.len()),
        93 if rest.starts_with(b"{U+") => (code, offset + 3),
        // Found when the whole pattern has been read: it is no place's fault.
        20 | 86 => (code, 0),
        _ => (code, offset),
    }
}

const NO_ZERO_REFERENCE: &str = "a numbered reference must not be zero";
const NO_SUCH_ESCAPE: &str = "PCRE does not support \\L, \\l, \\N{name}, \\U, or \\u";

/// PCRE 8's text and offset for an error that PCRE2 found at `offset`.
pub(crate) fn as_pcre8(code: c_int, offset: usize, source: &[u8]) -> (&'static str, usize) {
    let text = text(code);
    let read = &source[..offset.min(source.len())];
    match code - FIRST {
        // The pattern ends in the incomplete opening of a group.
        14 | 62 if read.ends_with(b"(?") => ("unrecognized character after (? or (?-", offset),
        14 | 62 if read.ends_with(b"(?P") => ("unrecognized character after (?P", offset),
        62 if read.ends_with(b"(?<") => ("unrecognized character after (?<", offset),
        15 => no_such_group(text, offset, source),
        25 => (text, group_end(source, offset)),
        30 => (text, class_name(read).unwrap_or(offset)),
        57 if !read.ends_with(b"}") && !source[offset.min(source.len())..].starts_with(b"{") => {
            (NO_ZERO_REFERENCE, offset.saturating_sub(1))
        }
        93 => (NO_SUCH_ESCAPE, offset.saturating_sub(1)),
        37 | 43 | 47 | 69 | 71 => (text, offset.saturating_sub(1)),
        _ => (text, offset),
    }
}

fn no_such_group(text: &'static str, offset: usize, source: &[u8]) -> (&'static str, usize) {
    let (read, rest) = source.split_at(offset.min(source.len()));
    if read.ends_with(b"\\g0") {
        return (NO_ZERO_REFERENCE, offset - 1);
    }
    // PCRE 8 looks up the groups of numbered references after it has read the whole pattern.
    if read.ends_with(b"\\") {
        return (text, source.len());
    }
    if read.ends_with(b"(?") && rest.starts_with(b"(") {
        let close = rest.iter().position(|&byte| byte == b')');
        return (text, close.map_or(source.len(), |at| offset + at + 1));
    }
    if read.ends_with(b"(?P=") || read.ends_with(b"(?P>") || read.ends_with(b"(?&") {
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        return (text, offset + rest.iter().take_while(is_name).count());
    }
    (text, offset)
}

/// Where the group that opens at `offset` closes.
fn group_end(source: &[u8], offset: usize) -> usize {
    let (mut depth, mut in_class) = (0, false);
    let mut at = offset;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => depth += 1,
            b')' if !in_class => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
        at += 1;
    }
    source.len()
}

/// Where the name in the last `[:` starts.
fn class_name(read: &[u8]) -> Option<usize> {
    let at = read.windows(2).rposition(|pair| pair == b"[:")? + 2;
    Some(at + usize::from(read.get(at) == Some(&b'^')))
}

/// The text for PCRE2's error; errors that PCRE 8 does not have are described in PCRE2's words.
pub(crate) fn text(code: c_int) -> &'static str {
    match code - FIRST {
        1 => "\\ at end of pattern",
        2 => "\\c at end of pattern",
        3 => "unrecognized character follows \\",
        4 => "numbers out of order in {} quantifier",
        5 => "number too big in {} quantifier",
        6 => "missing terminating ] for character class",
        7 => "invalid escape sequence in character class",
        8 => "range out of order in character class",
        9 => "nothing to repeat",
        10 => "internal error: unexpected repeat",
        11 => "unrecognized character after (? or (?-",
        12 => "POSIX named classes are supported only within a class",
        13 => "POSIX collating elements are not supported",
        14 => "missing )",
        15 => "reference to non-existent subpattern",
        17 => "unknown option bit(s) set",
        18 => "missing ) after comment",
        19 | 84 => "regular expression is too complicated",
        20 => "regular expression is too large",
        21 => "failed to get memory",
        22 => "unmatched parentheses",
        23 => "internal error: code overflow",
        24 => "malformed number or name after (?(",
        25 => "lookbehind assertion is not fixed length",
        26 => NO_ZERO_REFERENCE,
        27 => "conditional group contains more than two branches",
        28 => "assertion expected after (?( or (?(?C)",
        29 => "digit expected after (?+",
        30 => "unknown POSIX class name",
        33 => "parentheses are too deeply nested (stack check)",
        34 => "character value in \\x{} or \\o{} is too large",
        35 | 87 | 100 => "lookbehind assertion is not fixed length",
        36 => "\\C not allowed in lookbehind assertion",
        37 => NO_SUCH_ESCAPE,
        38 => "number after (?C is > 255",
        39 => "closing ) for (?C expected",
        40 | 60 | 95 => "(*VERB) not recognized or malformed",
        41 => "unrecognized character after (?P",
        42 => "syntax error in subpattern name (missing terminator)",
        43 => "two named subpatterns have the same name",
        44 => "group name must start with a non-digit",
        46 => "malformed \\P or \\p sequence",
        47 => "unknown property name after \\P or \\p",
        48 => "subpattern name is too long (maximum 32 characters)",
        49 => "too many named subpatterns (maximum 10000)",
        50 => "invalid range in character class",
        51 => "octal value is greater than \\377 in 8-bit non-UTF-8 mode",
        54 => "DEFINE group contains more than one branch",
        55 => "missing opening brace after \\o",
        57 => {
            "\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number"
        }
        58 => "(?R or (?[+-]digits must be followed by )",
        61 => "number is too big",
        62 => "subpattern name expected",
        64 => "non-octal character in \\o{} (closing brace missing?)",
        65 => "different names for subpatterns of the same number are not allowed",
        66 => "(*MARK) must have an argument",
        67 => "non-hex character in \\x{} (closing brace missing?)",
        68 => "\\c must be followed by an ASCII character",
        69 => "\\k is not followed by a braced, angle-bracketed, or quoted name",
        71 => "\\N is not supported in a class",
        73 => "disallowed Unicode code point (>= 0xd800 && <= 0xdfff)",
        74 => "setting UTF is disabled by the application",
        76 => "name is too long in (*MARK), (*PRUNE), (*SKIP), or (*THEN)",
        78 => "digits missing in \\x{} or \\o{}",
        86 => "regular expression is too complicated",
        93 => "\\N{U+dddd} is supported only in Unicode (UTF) mode",
        94 => "unrecognized character after (? or (?-",
        97 => "too many capturing groups (maximum 65535)",
        // Negative: the pattern itself is not UTF-8.
        _ if code < 0 => "invalid UTF-8 string",
        _ => "internal error",
    }
}
