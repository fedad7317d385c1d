//! The files of a profile: stacks in folded form, one a line with its weight (`NAME.folded`), and a flame graph
//! (`NAME.html`), a page that needs nothing else.
//!
//! In the graph each rectangle is a function, as wide as the part of all samples in which it was on the stack; what it
//! has called stands below it. Rectangles that would be too narrow to see are left out.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Names of functions, outermost first, and the samples that found exactly these.
pub struct Stack<'a> {
    pub names: Vec<&'a str>,
    pub weight: u64,
}

/// Units of the graph's width.
const WIDTH: f64 = 1200.0;
const ROW: usize = 17;
/// The narrowest rectangle.
const NARROWEST: f64 = 0.3;
/// The width of a letter of the labels.
const LETTER: f64 = 6.8;

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The files that a profile is written to when the node ends.
pub struct Files {
    folded: File,
    page: File,
}

impl Files {
    /// Creates the files, so that a wrong path is told at the start of the run and not at its end.
    ///
    /// # Errors
    /// A message with the name of the file.
    pub fn create(path: &Path) -> Result<Files, String> {
        let create = |ending| {
            let path = with_ending(path, ending);
            let file = sys::file::File::create_ordinary(path.as_os_str().as_bytes());
            file.map(File::from)
                .map_err(|error| format!("{}: {}", path.display(), error.message()))
        };
        Ok(Files {
            folded: create(".folded")?,
            page: create(".html")?,
        })
    }

    /// Writes both files. The stacks must be in the order of their names.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn write(&self, stacks: &[Stack<'_>], hz: u32, lost: u64) -> io::Result<()> {
        (&self.folded).write_all(folded(stacks).as_bytes())?;
        (&self.page).write_all(page(stacks, hz, lost).as_bytes())
    }
}

pub(super) fn folded(stacks: &[Stack<'_>]) -> String {
    let mut text = String::new();
    for stack in stacks {
        let names: Vec<String> = stack
            .names
            .iter()
            .map(|name| name.replace([';', '\n'], "_"))
            .collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} {}", names.join(";"), stack.weight);
    }
    text
}

/// A rectangle: a run of stacks that begin with the same names.
struct Frame<'a> {
    name: &'a str,
    depth: usize,
    from: u64,
    weight: u64,
}

/// All rectangles, outer ones before those within them.
fn frames<'a>(stacks: &[Stack<'a>]) -> Vec<Frame<'a>> {
    let mut frames: Vec<Frame<'a>> = Vec::new();
    // The rectangles that the present stack continues, outermost first.
    let mut open: Vec<usize> = Vec::new();
    let mut from = 0;
    for stack in stacks {
        let same = open
            .iter()
            .zip(&stack.names)
            .take_while(|(frame, name)| frames[**frame].name == **name)
            .count();
        open.truncate(same);
        for (depth, name) in stack.names.iter().enumerate().skip(same) {
            open.push(frames.len());
            frames.push(Frame {
                name,
                depth,
                from,
                weight: 0,
            });
        }
        for &frame in &open {
            frames[frame].weight += stack.weight;
        }
        from += stack.weight;
    }
    frames
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A warm colour that depends on the module, or a cold one for what is no Erlang function.
fn colour(name: &str) -> String {
    let module = name.split(':').next().unwrap_or(name);
    let hash = module.bytes().fold(7u32, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    let (hue, light) = match name.starts_with('[') {
        true => (200 + hash % 40, 72),
        false => (10 + hash % 50, 62 + hash / 50 % 12),
    };
    format!("hsl({hue},80%,{light}%)")
}

/// The weights of what was at work itself, largest first: functions together, and each part of the machine's own work.
fn parts<'a>(stacks: &[Stack<'a>]) -> Vec<(&'a str, u64)> {
    let mut weights = BTreeMap::new();
    for stack in stacks {
        let part = match stack.names.last() {
            Some(name) if name.starts_with('[') => name,
            _ => "functions",
        };
        *weights.entry(part).or_default() += stack.weight;
    }
    let mut parts: Vec<(&str, u64)> = weights.into_iter().collect();
    parts.sort_by_key(|(_, weight)| Reverse(*weight));
    parts
}

fn page(stacks: &[Stack<'_>], hz: u32, lost: u64) -> String {
    let total: u64 = stacks.iter().map(|stack| stack.weight).sum();
    let percent = |weight: u64| weight as f64 * 100.0 / total.max(1) as f64;
    let unit = WIDTH / total.max(1) as f64;
    let all = Frame {
        name: "all",
        depth: 0,
        from: 0,
        weight: total,
    };
    let mut shown = vec![all];
    for mut frame in frames(stacks) {
        if frame.weight as f64 * unit >= NARROWEST {
            frame.depth += 1;
            shown.push(frame);
        }
    }
    let rows = shown.iter().map(|frame| frame.depth + 1).max().unwrap_or(1);
    let height = rows * ROW;
    let mut graph = String::new();
    for frame in &shown {
        let (x, width) = (frame.from as f64 * unit, frame.weight as f64 * unit);
        let y = frame.depth * ROW;
        let name = escaped(frame.name);
        let percent = percent(frame.weight);
        let letters = (width / LETTER) as usize;
        let label = match letters {
            0..=2 => String::new(),
            _ if frame.name.chars().count() <= letters => name.clone(),
            _ => escaped(
                &frame
                    .name
                    .chars()
                    .take(letters - 1)
                    .chain(['…'])
                    .collect::<String>(),
            ),
        };
        let _ = writeln!(
            graph,
            "<g data-n=\"{name}\" data-x=\"{x:.2}\" data-w=\"{width:.2}\" data-d=\"{}\"><title>{name}: {percent:.2} %, {} samples</title>\
             <rect x=\"{x:.2}\" y=\"{y}\" width=\"{:.2}\" height=\"{}\" fill=\"{}\"/>\
             <text x=\"{:.2}\" y=\"{}\">{label}</text></g>",
            frame.depth,
            frame.weight,
            (width - 0.2).max(0.1),
            ROW - 1,
            colour(frame.name),
            x + 2.0,
            y + ROW - 5,
        );
    }
    let mut of_parts = String::new();
    for (name, weight) in parts(stacks) {
        let name = escaped(name.trim_matches(['[', ']']));
        let _ = writeln!(
            of_parts,
            "<tr><td>{name}</td><td>{:.1} %</td></tr>",
            percent(weight)
        );
    }
    let seconds = total as f64 / f64::from(hz.max(1));
    let lost = match lost {
        0 => String::new(),
        lost => format!(", {lost} more were lost"),
    };
    PAGE.replace(
        "@facts@",
        &format!("{total} samples at {hz} in a second of a thread's time, {seconds:.1} s{lost}"),
    )
    .replace("@width@", &format!("{WIDTH}"))
    .replace("@height@", &height.to_string())
    .replace("@graph@", &graph)
    .replace("@parts@", &of_parts)
}

const PAGE: &str = include_str!("flame.html");

#[cfg(test)]
mod tests {
    use super::*;

    fn stacks() -> Vec<Stack<'static>> {
        let stack = |names: &[&'static str], weight| Stack {
            names: names.to_vec(),
            weight,
        };
        vec![
            stack(&["m:a/0"], 10),
            stack(&["m:a/0", "m:'<b>;'/1"], 60),
            stack(&["m:a/0", "m:c/0"], 20),
            stack(&["m:c/0", "[ETS]"], 10),
        ]
    }

    #[test]
    fn a_frame_is_as_wide_as_all_stacks_that_contain_it() {
        let stacks = stacks();
        let found: Vec<_> = frames(&stacks)
            .into_iter()
            .map(|frame| (frame.name, frame.depth, frame.from, frame.weight))
            .collect();
        let expected = [
            ("m:a/0", 0, 0, 90),
            ("m:'<b>;'/1", 1, 10, 60),
            ("m:c/0", 1, 70, 20),
            ("m:c/0", 0, 90, 10),
            ("[ETS]", 1, 90, 10),
        ];
        assert_eq!(found, expected);
        assert_eq!(parts(&stacks), [("functions", 90), ("[ETS]", 10)]);
    }

    #[test]
    fn names_cannot_break_out_of_the_files() {
        let stacks = stacks();
        assert!(folded(&stacks).contains("\nm:a/0;m:'<b>_'/1 60\n"));
        let page = page(&stacks, 100, 3);
        assert!(page.contains("m:'&lt;b&gt;;'/1: 60.00 %, 60 samples"));
        assert!(
            page.contains("100 samples at 100 in a second") && page.contains("3 more were lost")
        );
        assert!(page.contains("<tr><td>ETS</td><td>10.0 %</td></tr>"));
        assert!(!page.contains("<b>;") && !page.contains('@'));
    }
}
