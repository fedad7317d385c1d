//! Terms for tests, each with the Erlang expression that makes the same term on a stock OTP node, and a function that
//! evaluates an expression on such a node. Only tests use it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use fastrand::Rng;
use layout::limits::{SMALL_MAX, SMALL_MIN};
use layout::{Export, ObjectKind, Term};
use parking_lot::Mutex;

use crate::heap::Scratch;
use crate::{atom, build, map, node};

/// A term and the expression for it.
#[derive(Clone)]
pub(crate) struct Sample {
    pub term: Term,
    pub text: String,
}

/// Builds pseudo-random samples, always the same ones for a given seed.
pub(crate) struct Samples {
    pub scratch: Scratch,
    rng: Rng,
    /// Leaves atoms out, for tests that depend on a node's atom table.
    pub without_atoms: bool,
}

const ATOMS: [&str; 10] = [
    "ok", "a", "ab", "true", "", "Big Atom", "ö", "日本", "abcdefgh", "abcdefgi",
];

impl Samples {
    pub(crate) fn new(seed: u64) -> Samples {
        Samples {
            scratch: Scratch::new(),
            rng: Rng::with_seed(seed),
            without_atoms: false,
        }
    }

    pub(crate) fn random(&mut self, below: u64) -> u64 {
        self.rng.u64(..below)
    }

    pub(crate) fn integer(&mut self, value: i128) -> Sample {
        let magnitude = value.unsigned_abs();
        let limbs = [magnitude as u64, (magnitude >> 64) as u64];
        Sample {
            term: build::big(self.scratch.heap(), value < 0, &limbs),
            text: value.to_string(),
        }
    }

    pub(crate) fn float(&mut self, value: f64) -> Sample {
        let mut text = format!("{value:?}");
        if !text.contains('.') {
            text = text.replace('e', ".0e");
        }
        Sample {
            term: build::float(self.scratch.heap(), value),
            text,
        }
    }

    pub(crate) fn atom(&mut self, text: &str) -> Sample {
        let code_points: Vec<u32> = text.chars().map(u32::from).collect();
        Sample {
            term: atom::known(text),
            text: format!("list_to_atom({code_points:?})"),
        }
    }

    pub(crate) fn tuple(&mut self, parts: &[Sample]) -> Sample {
        let terms: Vec<Term> = parts.iter().map(|part| part.term).collect();
        Sample {
            term: build::tuple(self.scratch.heap(), &terms),
            text: format!("{{{}}}", texts(parts)),
        }
    }

    pub(crate) fn list(&mut self, parts: &[Sample], tail: Option<&Sample>) -> Sample {
        let terms: Vec<Term> = parts.iter().map(|part| part.term).collect();
        let end = tail.map_or(Term::NIL, |tail| tail.term);
        let term = build::list_with_tail(self.scratch.heap(), &terms, end);
        let text = match tail {
            Some(tail) if !parts.is_empty() => format!("[{}|{}]", texts(parts), tail.text),
            Some(tail) => tail.text.clone(),
            None => format!("[{}]", texts(parts)),
        };
        Sample { term, text }
    }

    /// A bit string that starts `skip` bits into some binary.
    pub(crate) fn bits(&mut self, bytes: &[u8], skip: u64, length: u64) -> Sample {
        let whole = build::binary(self.scratch.heap(), bytes);
        let mut term = whole;
        if skip > 0 || length < bytes.len() as u64 * 8 {
            term = build::sub_bits(self.scratch.heap(), whole, skip, length);
        }
        let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
        let text = format!(
            "(fun(B) -> <<_:{skip}, X:{length}/bits, _/bits>> = B, X end)(<<{}>>)",
            bytes.join(",")
        );
        Sample { term, text }
    }

    pub(crate) fn map(&mut self, pairs: &[(Sample, Sample)]) -> Sample {
        let terms: Vec<(Term, Term)> = pairs.iter().map(|(k, v)| (k.term, v.term)).collect();
        let pairs: Vec<String> = pairs
            .iter()
            .map(|(key, value)| format!("{{{},{}}}", key.text, value.text))
            .collect();
        Sample {
            term: map::from_pairs(self.scratch.heap(), &terms),
            text: format!("maps:from_list([{}])", pairs.join(",")),
        }
    }

    pub(crate) fn export(&mut self, module: &str, function: &str, arity: u32) -> Sample {
        Sample {
            term: build::export(self.scratch.heap(), export_entry(module, function, arity)),
            text: format!("fun {module}:{function}/{arity}"),
        }
    }

    pub(crate) fn local_pid(&mut self, number: u32, serial: u32) -> Sample {
        Sample {
            term: Term::local_pid(number, serial),
            text: format!("c:pid(0,{number},{serial})"),
        }
    }

    pub(crate) fn external_pid(
        &mut self,
        name: &str,
        creation: u32,
        id: u32,
        serial: u32,
    ) -> Sample {
        let node = node::heard_of(atom::known(name), creation).word();
        let words = [node, u64::from(id) | u64::from(serial) << 32];
        Sample {
            term: build::object(self.scratch.heap(), ObjectKind::ExternalPid, &words),
            text: format!(
                "binary_to_term(<<131,88,{},{id}:32,{serial}:32,{creation}:32>>)",
                external_atom(name)
            ),
        }
    }

    pub(crate) fn external_port(&mut self, name: &str, creation: u32, id: u64) -> Sample {
        let node = node::heard_of(atom::known(name), creation).word();
        Sample {
            term: build::object(self.scratch.heap(), ObjectKind::ExternalPort, &[node, id]),
            text: format!(
                "binary_to_term(<<131,120,{},{id}:64,{creation}:32>>)",
                external_atom(name)
            ),
        }
    }

    pub(crate) fn external_reference(
        &mut self,
        name: &str,
        creation: u32,
        words: [u32; 3],
    ) -> Sample {
        let node = node::heard_of(atom::known(name), creation).word();
        let [first, second, third] = words.map(u64::from);
        let words = [node, 3, first | second << 32, third];
        Sample {
            term: build::object(self.scratch.heap(), ObjectKind::ExternalReference, &words),
            text: format!(
                "binary_to_term(<<131,90,3:16,{},{creation}:32,{first}:32,{second}:32,{third}:32>>)",
                external_atom(name)
            ),
        }
    }

    /// Edge cases of every type.
    pub(crate) fn borders(&mut self) -> Vec<Sample> {
        let mut all = Vec::new();
        let powers = [
            7, 8, 16, 26, 27, 28, 31, 32, 53, 54, 59, 60, 63, 64, 65, 96, 100,
        ];
        for power in powers {
            for near in [-1, 0, 1] {
                all.push(self.integer((1i128 << power) + near));
                all.push(self.integer(-(1i128 << power) + near));
            }
        }
        for value in [
            0,
            1,
            -1,
            255,
            256,
            i128::from(SMALL_MAX),
            i128::from(SMALL_MIN),
        ] {
            all.push(self.integer(value));
        }
        let floats = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            255.0,
            1e10,
            -1e300,
            f64::MAX,
            f64::MIN_POSITIVE,
            9_007_199_254_740_991.0,
            9_007_199_254_740_992.0,
            9_007_199_254_740_994.0,
            -9_007_199_254_740_992.0,
            576_460_752_303_423_488.0,
            -576_460_752_303_423_488.0,
            1_152_921_504_606_846_976.0,
            18_446_744_073_709_551_616.0,
            -18_446_744_073_709_551_616.0,
            18_446_744_073_709_555_712.0,
            1.267_650_600_228_229_4e30,
        ];
        all.extend(floats.map(|value| self.float(value)));
        all.extend(ATOMS.map(|text| self.atom(text)));
        for (module, function, arity) in [
            ("lists", "map", 2),
            ("lists", "map", 3),
            ("lists", "all", 2),
            ("a", "map", 2),
        ] {
            all.push(self.export(module, function, arity));
        }
        for (number, serial) in [(83, 0), (84, 0), (83, 1), (1, 2)] {
            all.push(self.local_pid(number, serial));
        }
        for (name, creation) in [("a@b", 1), ("a@b", 2), ("z@zz", 1)] {
            all.push(self.external_pid(name, creation, 83, 0));
            all.push(self.external_pid(name, creation, 7, 5));
            all.push(self.external_port(name, creation, 9));
            all.push(self.external_port(name, creation, 9 << 32 | 5));
            all.push(self.external_reference(name, creation, [1, 2, 3]));
            all.push(self.external_reference(name, creation, [2, 2, 2]));
        }
        all.push(self.tuple(&[]));
        all.push(self.list(&[], None));
        all.push(self.map(&[]));
        for length in [0, 1, 7, 8, 9, 64, 95, 96, 97, 100 * 8, 100 * 8 + 3] {
            let bytes: Vec<u8> = (0..110u32).map(|byte| (byte * 37 + 11) as u8).collect();
            for skip in [0, 1, 8, 13] {
                all.push(self.bits(&bytes, skip, length));
            }
        }
        all
    }

    /// Any term, at most `depth` levels deep.
    pub(crate) fn any(&mut self, depth: u32) -> Sample {
        let kinds = if depth == 0 { 6 } else { 11 };
        match self.random(kinds) {
            0 => {
                let value = self.random(300) as i128 - 20;
                self.integer(value)
            }
            1 => {
                let (shift, bits) = (self.random(110), self.random(1 << 40) as i128);
                self.integer((bits - (1 << 39)) << shift >> 38)
            }
            2 => {
                let value = self.random(2000) as f64 / 8.0 - 100.0;
                self.float(value)
            }
            3 if !self.without_atoms => {
                let index = self.random(ATOMS.len() as u64) as usize;
                self.atom(ATOMS[index])
            }
            3 | 4 => {
                let length = self.random(40);
                let bytes: Vec<u8> = (0..length).map(|_| self.random(256) as u8).collect();
                let skip = if length > 2 { self.random(9) } else { 0 };
                let bits = (length * 8 - skip).saturating_sub(self.random(9));
                self.bits(&bytes, skip, bits)
            }
            5 => {
                let length = self.random(9);
                let bytes: Vec<Sample> = (0..length)
                    .map(|_| {
                        let byte = self.random(256);
                        self.integer(i128::from(byte))
                    })
                    .collect();
                self.list(&bytes, None)
            }
            6 | 7 => {
                let parts = self.several(6, depth);
                self.tuple(&parts)
            }
            8 => {
                let parts = self.several(5, depth);
                self.list(&parts, None)
            }
            9 => {
                let (parts, tail) = (self.several(4, depth), self.any(depth - 1));
                self.list(&parts, Some(&tail))
            }
            _ => {
                let count = if self.random(4) == 0 { 40 } else { 5 };
                let (keys, values) = (self.several(count, depth), self.several(count, depth));
                let pairs: Vec<(Sample, Sample)> = keys.into_iter().zip(values).collect();
                self.map(&pairs)
            }
        }
    }

    fn several(&mut self, most: u64, depth: u32) -> Vec<Sample> {
        let count = if most > 30 { most } else { self.random(most) };
        (0..count).map(|_| self.any(depth - 1)).collect()
    }
}

fn texts(parts: &[Sample]) -> String {
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    texts.join(",")
}

fn external_atom(name: &str) -> String {
    format!("119,{},\"{name}\"", name.len())
}

/// The only entry of an exported function.
pub(crate) fn export_entry(module: &str, function: &str, arity: u32) -> &'static Export {
    type Entries = HashMap<(String, String, u32), &'static Export>;
    static ENTRIES: Mutex<Option<Entries>> = Mutex::new(None);
    let key = (module.to_owned(), function.to_owned(), arity);
    ENTRIES
        .lock()
        .get_or_insert_default()
        .entry(key)
        .or_insert_with(|| {
            Box::leak(Box::new(Export {
                code: AtomicPtr::new(std::ptr::null_mut()),
                module: atom::known(module),
                function: atom::known(function),
                arity,
                flags: 0,
                bif: None,
                called: std::sync::atomic::AtomicPtr::new(std::ptr::null_mut()),
                stub: [0; 8],
            }))
        })
}

/// Evaluates a fun of one argument, the list of all terms, on a stock node, and returns the iolist that the fun
/// returns.
pub(crate) fn ask_stock(samples: &[Sample], fun: &str) -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut program = String::from("%% coding: utf-8\n");
    for sample in samples {
        writeln!(program, "{}.", sample.text).expect("a string");
    }
    let name = format!(
        "ferl-term-test-{}-{}.terms",
        std::process::id(),
        NUMBER.fetch_add(1, Ordering::Relaxed)
    );
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, program).expect("the temporary folder is writable");
    let program = format!(
        "{{ok, Bin}} = file:read_file({file:?}),
         {{ok, Tokens, _}} = erl_scan:string(unicode:characters_to_list(Bin)),
         Split = fun Split([], _, All) -> lists:reverse(All);
                     Split([{{dot,_}} = D | T], E, All) -> Split(T, [], [lists:reverse([D | E]) | All]);
                     Split([H | T], E, All) -> Split(T, [H | E], All) end,
         Terms = [begin {{ok, Es}} = erl_parse:parse_exprs(E),
                        {{value, V, _}} = erl_eval:exprs(Es, []), V end || E <- Split(Tokens, [], [])],
         Fun = {fun},
         io:put_chars(Fun(Terms)), halt()."
    );
    let output = stock::erl_25()
        .args(["-noshell", "-eval", &program])
        .output()
        .expect("OTP 25 starts");
    std::fs::remove_file(&file).expect("it was just written");
    assert!(
        output.status.success(),
        "stock failed: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}
