//! BIFs called with arguments from a pool (`tests/generators/calls.erl`), on both machines, with the same seed.
//!
//! Each machine calls all BIFs in one run and prints a digest for each of them. A BIF whose digests differ is called
//! again on both, and the first calls that differ are shown; of the first BIFs that differ, the first call is made
//! again with other arguments, from the front of the pool, as long as it still differs. A machine that dies is started
//! again after the BIF it died in.

use super::choices::{Choice, Choices};
use super::place;
use super::shrink::{self, Limits, Made, ShrinkOption};
use super::steps;
use crate::count::Count;
use crate::stock::{ReleaseOption, Stock};
use crate::under_test::UnderTest;
use crate::{compile, project};
use anyhow::{Context, Result, bail};
use spec::bifs::BIFS;
use spec::release::Release;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;
use watch::{Invocation, Outcome};

/// BIFs that are not called, by module, and why. `*` is every function of the module.
const LEFT_OUT: &[(&str, &[&str], &str)] = &[
    (
        "erlang",
        &[
            "now",
            "timestamp",
            "monotonic_time",
            "system_time",
            "time_offset",
            "unique_integer",
            "localtime",
            "universaltime",
            "date",
            "time",
            "statistics",
            "memory",
            "process_info",
            "system_info",
            "bump_reductions",
            "seq_trace_info",
        ],
        "depends on the time or the host",
    ),
    (
        "erlang",
        &[
            "processes",
            "ports",
            "registered",
            "loaded",
            "pre_loaded",
            "pid_to_list",
            "ref_to_list",
            "port_to_list",
            "md5_init",
            "md5_update",
            "md5_final",
        ],
        "shows the state of the machine",
    ),
    (
        "erlang",
        &[
            "halt",
            "system_flag",
            "delete_module",
            "finish_loading",
            "setnode",
            "trace_delivered",
            "system_monitor",
            "system_profile",
            "load_nif",
            "call_on_load_function",
            "finish_after_on_load",
            "check_old_code",
            "exit",
        ],
        "changes or ends the node",
    ),
    (
        "erlang",
        &["hibernate", "yield"],
        "waits, or exists in ferl alone",
    ),
    (
        "erlang",
        &["display", "display_string", "display_nl"],
        "prints",
    ),
    (
        "erlang",
        &[
            "dt_restore_tag",
            "dt_spread_tag",
            "dt_append_vm_tag_data",
            "dt_prepend_vm_tag_data",
            "dt_put_tag",
            "dt_get_tag",
            "dt_get_tag_data",
        ],
        "is for dynamic trace, which stock is built without",
    ),
    (
        "erlang",
        &["posixtime_to_universaltime"],
        "stock loses a day before the year -18,267,312,070",
    ),
    (
        "erlang",
        &["get_module_info"],
        "lists functions in an order that is the machine's choice",
    ),
    (
        "erlang",
        &["+/1"],
        "returns 0.0 for -0.0, as compiled code does on stock; apply on stock does not",
    ),
    (
        "erlang",
        &["term_to_iovec/2"],
        "returns a binary on stock 25.2.3 when compression does not shorten it",
    ),
    (
        "erlang",
        &[
            "trace_info",
            "dist_ctrl_get_data",
            "dist_ctrl_get_data_notification",
            "dist_ctrl_get_opt",
            "dist_ctrl_input_handler",
            "dist_ctrl_put_data",
            "dist_ctrl_set_opt",
            "dist_get_stat",
        ],
        "belongs to tracing or distribution, which ferl does not have yet",
    ),
    (
        "ets",
        &[
            "internal_request_all",
            "internal_delete_all",
            "internal_select_delete",
            "slot",
        ],
        "shows how tables are stored",
    ),
    (
        "ets",
        &["update_counter/4"],
        "stock 25.2.3 crashes on some objects",
    ),
    ("ets", &["info"], "tells how much memory a table takes"),
    ("os", &["*"], "depends on the host"),
    ("re", &["version"], "is the version of another library"),
    (
        "persistent_term",
        &["info", "get/0", "erase", "put"],
        "is shared by all calls",
    ),
    ("erts_debug", &["*"], "shows how the machine is built"),
    ("erts_internal", &["*"], "trusts its callers"),
    ("erts_literal_area_collector", &["*"], "trusts its callers"),
    ("erl_tracer", &["*"], "trusts its callers"),
    ("prim_buffer", &["*"], "trusts its callers"),
    ("prim_file", &["*"], "would change files"),
    ("prim_net", &["*"], "trusts its callers"),
    ("prim_socket", &["*"], "trusts its callers"),
    (
        "prim_tty",
        &["*"],
        "is there only in a node with a terminal, and trusts its callers",
    ),
    (
        "zstd",
        &["*"],
        "is there only when its module is loaded, and trusts its callers",
    ),
    (
        "math",
        &["acosh", "asinh", "erfc"],
        "has the last digit of the C library that stock was linked with",
    ),
    ("erl_ddll", &["try_load"], "ferl loads no driver"),
    ("zlib", &["*"], "trusts its callers"),
];

#[derive(clap::Args)]
pub(crate) struct CallsOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
    #[command(flatten)]
    shrink: ShrinkOption,
    /// Other calls.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Calls of each BIF for each of its arguments.
    #[arg(long, value_name = "N", default_value_t = 300)]
    count: u32,
    /// Differing calls that are shown for each BIF.
    #[arg(long, value_name = "N", default_value_t = 2)]
    lines: usize,
    /// Name what is not called, and why.
    #[arg(long)]
    left_out: bool,
    /// Only BIFs that contain one of these: `ets:`, `binary:split/3`.
    filter: Vec<String>,
}

/// One machine, and how it is made to call.
struct Caller<'a> {
    machine: PathBuf,
    /// Flags of the machine under test, and the stock whose libraries it boots; stock has none.
    under_test: Option<(&'a UnderTest, &'a Stock)>,
    code: PathBuf,
    folder: PathBuf,
}

/// What a machine reports of one BIF.
#[derive(PartialEq, Eq)]
enum Summary {
    Calls {
        made: u64,
        succeeded: u64,
        digest: String,
    },
    Died(String),
}

pub(super) fn run(options: &CallsOptions) -> Result<ExitCode> {
    if options.left_out {
        for (module, names, reason) in LEFT_OUT {
            println!("{module}: {} {reason}", names.join(" "));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let Some(otp) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let bifs = select(&options.filter, Release::of(otp.release));
    if bifs.is_empty() {
        bail!("no BIF matches");
    }
    let place = place::of("calls", &otp)?;
    compile::generator(&otp.compiler, "calls", &place)?;
    let caller = |name: &str, machine: PathBuf| -> Result<Caller> {
        let folder = place.join(name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(Caller {
            machine,
            under_test: None,
            code: place.clone(),
            folder,
        })
    };
    let stock = caller("stock", otp.erl.clone())?;
    let ferl = Caller {
        under_test: Some((&options.under_test, &otp)),
        ..caller("ferl", options.under_test.path()?)?
    };
    let (wanted, found) = thread::scope(|scope| {
        let wanted = scope.spawn(|| stock.summary(&bifs, options));
        let found = ferl.summary(&bifs, options);
        let wanted = wanted.join().unwrap_or_else(|_| bail!("a thread died"));
        anyhow::Ok((wanted?, found?))
    })?;
    let (mut calls, mut successes, mut count) = (0, 0, Count::default());
    for (bif, (wanted, found)) in bifs.iter().zip(wanted.iter().zip(&found)) {
        if let Summary::Calls {
            made, succeeded, ..
        } = wanted
        {
            calls += made;
            successes += succeeded;
        }
        if wanted == found && matches!(wanted, Summary::Calls { .. }) {
            count.passed += 1;
            continue;
        }
        count.failed += 1;
        match (wanted, found) {
            (Summary::Calls { .. }, Summary::Calls { .. }) => {
                println!("DIFFERS {bif}");
                let lines = first_differences(&stock, &ferl, bif, options)?;
                for line in &lines {
                    println!("  {line}");
                }
                if count.failed <= shrink::MOST
                    && let Some(places) = lines.first().and_then(|line| places(line))
                {
                    cut_down(&stock, &ferl, bif, places, &options.shrink)?;
                }
            }
            _ => {
                for (name, summary) in [("stock", wanted), ("ferl", found)] {
                    if let Summary::Died(how) = summary {
                        println!("DIED {bif}: {name}: {how}");
                    }
                }
            }
        }
    }
    println!(
        "{} BIFs, {calls} calls, {successes} of which succeed",
        bifs.len()
    );
    println!("{count}");
    Ok(ExitCode::from(u8::from(count.failed > 0)))
}

/// `module:name/arity` of every BIF of the release that is called.
fn select(filter: &[String], release: Release) -> Vec<String> {
    let mut names: Vec<String> = BIFS
        .iter()
        .filter(|bif| bif.properties.count_in(release))
        .filter(|bif| !is_left_out(bif.module, bif.name, bif.arity))
        .map(|bif| format!("{}:{}/{}", bif.module, bif.name, bif.arity))
        .filter(|name| project::is_asked_for(name, filter))
        .collect();
    names.sort();
    names
}

fn is_left_out(module: &str, name: &str, arity: u8) -> bool {
    let exactly = format!("{name}/{arity}");
    LEFT_OUT
        .iter()
        .filter(|(of, _, _)| *of == module)
        .flat_map(|(_, names, _)| *names)
        .any(|left| *left == "*" || *left == name || *left == exactly)
}

/// Module, name and arity as the generator reads them.
fn words(bif: &str) -> [&str; 3] {
    let (module, rest) = bif.split_once(':').unwrap_or((bif, ""));
    let (name, arity) = rest.rsplit_once('/').unwrap_or((rest, "0"));
    [module, name, arity]
}

impl Caller<'_> {
    fn run(&self, words: &[String]) -> Result<Outcome> {
        let invocation = match self.under_test {
            Some((flags, otp)) => otp.booted_by(flags.invocation(&self.machine, &self.folder)),
            None => Invocation::new(&self.machine, &self.folder),
        };
        invocation
            .timeout(Duration::from_secs(900))
            .arg("-noshell")
            .arg("-pa")
            .arg(&self.code)
            .args(["-s", "calls", "start", "-extra"])
            .args(words)
            .run()
    }

    /// What this machine reports of each BIF, in order.
    fn summary(&self, bifs: &[String], options: &CallsOptions) -> Result<Vec<Summary>> {
        let list = self.folder.join("bifs");
        let mut all = Vec::new();
        while all.len() < bifs.len() {
            let left = &bifs[all.len()..];
            let lines: Vec<String> = left.iter().map(|bif| words(bif).join(" ")).collect();
            fs::write(&list, lines.join("\n"))?;
            let outcome = self.run(&[
                "summary".into(),
                options.seed.to_string(),
                options.count.to_string(),
                list.display().to_string(),
            ])?;
            all.extend(read_summary(&outcome.stdout, left));
            if all.len() < bifs.len() {
                let said = outcome.last_words(1);
                all.push(Summary::Died(format!("{}: {said}", outcome.end)));
            }
        }
        Ok(all)
    }

    /// Calls of one BIF with arguments from these places, a line each; none where the machine died.
    fn these(&self, bif: &str, lists: &[&str]) -> Result<Vec<Option<String>>> {
        let lines = steps::lines_of_each(lists, |left| {
            let mut arguments = vec!["these".to_owned()];
            arguments.extend(words(bif).iter().chain(left).map(|word| (*word).to_owned()));
            self.run(&arguments)
        })?;
        Ok(lines
            .into_iter()
            .map(|lines| lines.map(|lines| lines.concat()))
            .collect())
    }

    /// The calls of one BIF, a line each.
    fn each(&self, bif: &str, options: &CallsOptions) -> Result<Vec<String>> {
        let mut arguments = vec![
            "each".into(),
            options.seed.to_string(),
            options.count.to_string(),
        ];
        arguments.extend(words(bif).map(str::to_owned));
        let outcome = self.run(&arguments)?;
        Ok(String::from_utf8_lossy(&outcome.stdout)
            .lines()
            .map(str::to_owned)
            .collect())
    }
}

fn read_summary(stdout: &[u8], bifs: &[String]) -> Vec<Summary> {
    let text = String::from_utf8_lossy(stdout);
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    complete
        .lines()
        .zip(bifs)
        .map_while(|(line, bif)| {
            let rest = line.strip_prefix(&words(bif).join(" "))?;
            let mut words = rest.split_whitespace();
            Some(Summary::Calls {
                made: words.next()?.parse().ok()?,
                succeeded: words.next()?.parse().ok()?,
                digest: words.next()?.to_owned(),
            })
        })
        .collect()
}

/// The calls in which both first differ, a line of each. Once the calls themselves differ, later lines say nothing.
/// Lines are compared by their digests: the order of a map's keys, which is open from OTP 26 on, shows in the text
/// only.
fn first_differences(
    stock: &Caller,
    ferl: &Caller,
    bif: &str,
    options: &CallsOptions,
) -> Result<Vec<String>> {
    let (wanted, found) = (stock.each(bif, options)?, ferl.each(bif, options)?);
    let shown = |name: &str, line: Option<&String>| {
        let line = line.map_or("nothing", String::as_str);
        // However long the call and its value are, the places and the digest are at the end.
        let end = line
            .rmatch_indices(' ')
            .nth(1)
            .map_or(line.len(), |(at, _)| at);
        let start: String = line[..end].chars().take(700).collect();
        format!("{name}: {start}{}", &line[end..])
    };
    let digest = |line: Option<&String>| {
        let words = line.and_then(|line| line.rsplit_once(' '));
        words.map(|(_, digest)| digest.to_owned())
    };
    let mut lines = Vec::new();
    for at in 0..wanted.len().max(found.len()) {
        let (a, b) = (wanted.get(at), found.get(at));
        if digest(a) == digest(b) {
            continue;
        }
        lines.extend([shown("stock", a), shown("ferl ", b)]);
        let called = |line: Option<&String>| {
            line.and_then(|line| line.split_once(" -> "))
                .map(|(call, _)| call.to_owned())
        };
        if called(a) != called(b) || lines.len() >= 2 * options.lines {
            break;
        }
    }
    Ok(lines)
}

/// Places in the pool of arguments, which is shorter.
const MOST_PLACES: u64 = 1000;

/// Calls that are tried at once.
const BATCH: usize = 40;

/// The places of a call's arguments, from 1 on: the last word but one of its line.
fn places(line: &str) -> Option<Vec<u64>> {
    let list = line.rsplit(' ').nth(1)?;
    list.split(',').map(|place| place.parse().ok()).collect()
}

/// Makes a call that differs again, with arguments from further to the front of the pool, and shows the last one that
/// differs.
fn cut_down(
    stock: &Caller,
    ferl: &Caller,
    bif: &str,
    places: Vec<u64>,
    option: &ShrinkOption,
) -> Result<()> {
    let arity = places.len();
    let make = |record: Vec<Choice>| {
        let mut choices = Choices::recorded(record);
        let chosen: Vec<String> = (0..arity)
            .map(|_| choices.u64(1..MOST_PLACES).to_string())
            .collect();
        Made {
            text: chosen.join(","),
            record: choices.into_record(),
        }
    };
    let differ = |lists: &[&str]| {
        let (wanted, found) = (stock.these(bif, lists)?, ferl.these(bif, lists)?);
        Ok((0..lists.len()).map(|at| wanted[at] != found[at]).collect())
    };
    let first = make(
        places
            .iter()
            .map(|place| Choice::Number(place - 1))
            .collect(),
    );
    let limits = Limits {
        time: option.time(),
        batch: BATCH,
    };
    let outcome = shrink::shrink(first, &limits, make, differ)?;
    if outcome.tried == 0 {
        return Ok(());
    }
    println!("  cut down ({outcome}):");
    for (name, caller) in [("stock", stock), ("ferl ", ferl)] {
        let line = caller.these(bif, &[&outcome.smallest.text])?.remove(0);
        println!("  {name}: {}", line.as_deref().unwrap_or("it died"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_written_as_the_generator_reads_them() {
        assert_eq!(words("erlang:=:=/2"), ["erlang", "=:=", "2"]);
        assert_eq!(words("erlang://2"), ["erlang", "/", "2"]);
        assert_eq!(words("erlang:+/2").join(" "), "erlang + 2");
    }

    #[test]
    fn a_line_tells_the_places_of_the_arguments() {
        let line = "stock: lists:member[a,[b, c]] -> {value,false} 4,117 0AB1C2D3";
        assert_eq!(places(line), Some(vec![4, 117]));
        assert_eq!(places("stock: nothing"), None);
        assert_eq!(places("erlang:self[] -> {value,'a pid'}  0AB1C2D3"), None);
    }

    #[test]
    fn a_summary_ends_where_the_machine_died() {
        let bifs = ["lists:member/2".to_owned(), "lists:reverse/2".to_owned()];
        let said = read_summary(b"lists member 2 600 10 AB\nlists rever", &bifs);
        assert_eq!(said.len(), 1);
        assert!(
            matches!(&said[0], Summary::Calls { made: 600, succeeded: 10, digest } if digest == "AB")
        );
    }

    #[test]
    fn what_is_left_out_exists() {
        for (module, names, _) in LEFT_OUT {
            let of_module = || BIFS.iter().filter(|bif| bif.module == *module);
            let known = |name: &str| {
                name == "*"
                    || of_module().any(|bif| {
                        name == bif.name || name == format!("{}/{}", bif.name, bif.arity)
                    })
            };
            let unknown: Vec<&&str> = names.iter().filter(|name| !known(name)).collect();
            assert!(unknown.is_empty(), "{module}: {unknown:?}");
        }
    }
}
