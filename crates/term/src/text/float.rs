//! Floating-point numbers as text and back.

/// The form of C's `%.*e`, correctly rounded: `1.50e+00`.
#[must_use]
pub fn scientific(value: f64, decimals: usize) -> String {
    let mut text = format!("{value:.decimals$e}");
    if let Some(at) = text.find('e') {
        let (negative, digits) = match text[at + 1..].strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, &text[at + 1..]),
        };
        let sign = if negative { '-' } else { '+' };
        let exponent = format!("e{sign}{digits:0>2}");
        text.truncate(at);
        text.push_str(&exponent);
    }
    text
}
