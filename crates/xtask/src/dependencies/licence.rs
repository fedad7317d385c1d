//! Expressions of licences (SPDX): names, `WITH` an exception, `AND`, `OR`, parentheses, and the old `/` for `OR`.

use std::collections::BTreeSet;

/// Whether the licence can be had on allowed terms. An expression that cannot be read is not allowed, nor is one that
/// is missing.
pub(super) fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = ['(', ')', '/']
        .iter()
        .fold(expression.to_owned(), |text, &sign| {
            text.replace(sign, &format!(" {sign} "))
        });
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader {
        words: &words,
        allowed,
    };
    reader.any() == Some(true) && reader.words.is_empty()
}

struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a BTreeSet<String>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    /// Passes over the next word if it is one of these.
    fn skip(&mut self, words: &[&str]) -> bool {
        let is_next = self.words.first().is_some_and(|next| words.contains(next));
        if is_next {
            self.words = &self.words[1..];
        }
        is_next
    }

    fn any(&mut self) -> Option<bool> {
        let mut result = self.all()?;
        while self.skip(&["OR", "/"]) {
            result |= self.all()?;
        }
        Some(result)
    }

    fn all(&mut self) -> Option<bool> {
        let mut result = self.one()?;
        while self.skip(&["AND"]) {
            result &= self.one()?;
        }
        Some(result)
    }

    fn one(&mut self) -> Option<bool> {
        if self.skip(&["("]) {
            let result = self.any()?;
            return self.skip(&[")"]).then_some(result);
        }
        let name = self.next()?;
        if self.skip(&["WITH"]) {
            // An exception only permits more, but cargo-deny wants it listed, too.
            let exception = self.next()?;
            return Some(self.allowed.contains(&format!("{name} WITH {exception}")));
        }
        Some(self.allowed.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_allowed_if_their_terms_can_be_kept() {
        let allowed = ["MIT", "Zlib"].map(str::to_owned).into();
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-2.0", false),
            ("GPL-2.0 OR MIT", true),
            ("GPL-2.0/MIT", true),
            ("GPL-2.0 AND MIT", false),
            ("Zlib AND MIT", true),
            ("(GPL-2.0 OR Zlib) AND MIT", true),
            ("GPL-2.0 OR Zlib AND MIT", true),
            ("MIT WITH Exception", false),
            ("MIT WITH Exception OR Zlib", true),
            ("(MIT", false),
            ("MIT MIT", false),
            ("", false),
        ] {
            assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
        }
    }
}
