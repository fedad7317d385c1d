//! Properties of Unicode, by PCRE's numbers.

use super::escaped;

/// General categories.
const GENERAL: &str = "C L M N P S Z";
/// The same, in detail.
const PARTICULAR: &str =
    "Cc Cf Cn Co Cs Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl Zp Zs";
/// Scripts: those of Unicode 7.
const SCRIPTS: &str = "Arabic Armenian Bengali Bopomofo Braille Buginese Buhid Canadian_Aboriginal Cherokee Common Coptic \
    Cypriot Cyrillic Deseret Devanagari Ethiopic Georgian Glagolitic Gothic Greek Gujarati Gurmukhi Han Hangul Hanunoo \
    Hebrew Hiragana Inherited Kannada Katakana Kharoshthi Khmer Lao Latin Limbu Linear_B Malayalam Mongolian Myanmar \
    New_Tai_Lue Ogham Old_Italic Old_Persian Oriya Osmanya Runic Shavian Sinhala Syloti_Nagri Syriac Tagalog Tagbanwa \
    Tai_Le Tamil Telugu Thaana Thai Tibetan Tifinagh Ugaritic Yi Balinese Cuneiform Nko Phags_Pa Phoenician Carian Cham \
    Kayah_Li Lepcha Lycian Lydian Ol_Chiki Rejang Saurashtra Sundanese Vai Avestan Bamum Egyptian_Hieroglyphs \
    Imperial_Aramaic Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Lisu Meetei_Mayek Old_South_Arabian \
    Old_Turkic Samaritan Tai_Tham Tai_Viet Batak Brahmi Mandaic Chakma Meroitic_Cursive Meroitic_Hieroglyphs Miao Sharada \
    Sora_Sompeng Takri Bassa_Vah Caucasian_Albanian Duployan Elbasan Grantha Khojki Khudawadi Linear_A Mahajani Manichaean \
    Mende_Kikakui Modi Mro Nabataean Old_North_Arabian Old_Permic Pahawh_Hmong Palmyrene Psalter_Pahlavi Pau_Cin_Hau \
    Siddham Tirhuta Warang_Citi";
/// Letters with more than two forms: the number, and one of the forms.
const CASES: [(u8, u32); 19] = [
    (1, 0x53),
    (5, 0x1c4),
    (9, 0x1c7),
    (13, 0x1ca),
    (17, 0x1f1),
    (21, 0x345),
    (26, 0xb5),
    (30, 0x3a3),
    (34, 0x392),
    (38, 0x398),
    (43, 0x3a6),
    (47, 0x3a0),
    (51, 0x39a),
    (55, 0x3a1),
    (59, 0x395),
    (63, 0x1e60),
    (67, 0x3a9),
    (71, 0x4b),
    (75, 0xc5),
];

fn nth(names: &'static str, number: u8) -> Option<&'static str> {
    names.split_whitespace().nth(number.into())
}

/// Whether PCRE 8 knows a script of this name.
pub(crate) fn is_script(name: &[u8]) -> bool {
    is_in(SCRIPTS, name)
}

/// Whether PCRE 8 knows a property of this name that is no script.
pub(crate) fn is_category(name: &[u8]) -> bool {
    is_in(GENERAL, name)
        || is_in(PARTICULAR, name)
        || matches!(
            name,
            b"Any" | b"L&" | b"Xan" | b"Xsp" | b"Xps" | b"Xwd" | b"Xuc"
        )
}

fn is_in(names: &str, name: &[u8]) -> bool {
    names
        .split_whitespace()
        .any(|known| known.as_bytes() == name)
}

/// A property of Unicode.
pub(crate) fn property(kind: u8, value: u8, is_negated: bool) -> Option<String> {
    let named = |name: &str| format!(r"\{}{{{name}}}", if is_negated { 'P' } else { 'p' });
    let posix = |name: &str| format!("[:{}{name}:]", if is_negated { "^" } else { "" });
    Some(match kind {
        0 => named("Any"),
        1 => named("L&"),
        2 => named(nth(GENERAL, value)?),
        3 => named(nth(PARTICULAR, value)?),
        4 => named(nth(SCRIPTS, value)?),
        5 => named("Xan"),
        6 => named("Xsp"),
        7 => named("Xps"),
        8 => named("Xwd"),
        9 => {
            let (_, letter) = CASES.iter().find(|(number, _)| *number == value)?;
            match is_negated {
                false => format!("(?i:{})", escaped(*letter)),
                true => format!("(?i:[^{}])", escaped(*letter)),
            }
        }
        10 => named("Xuc"),
        11 => posix("graph"),
        12 => posix("print"),
        13 => posix("punct"),
        _ => return None,
    })
}
