//! BIFs called with arguments from a pool (`tests/generators/calls.erl`), on both machines, with the same seed.
//!
//! Each machine calls all BIFs in one run and prints a digest for each of them. A BIF whose digests differ is called again
//! on both, and its first differing call is shown. A machine that dies is started again behind the BIF it died in.

use crate::{compile, project};
use anyhow::{Context, Result, bail};
use isa::bifs::BIFS;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;
use watch::{Invocation, Outcome};

/// What is not called, and why. `*` is every function of the module.
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
        "tells of this moment or this machine",
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
        "tells of the machine's own state",
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
    ("erlang", &["hibernate", "yield"], "waits, or is ours alone"),
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
        "is for dynamic trace, which stock has not here",
    ),
    (
        "erlang",
        &["posixtime_to_universaltime"],
        "stock loses a day before the year -18,267,312,070",
    ),
    (
        "erlang",
        &["get_module_info"],
        "lists functions in an order of the machine's own",
    ),
    (
        "erlang",
        &["+/1"],
        "makes 0.0 of -0.0, as stock does where it is compiled; stock's apply does not",
    ),
    (
        "erlang",
        &["term_to_iovec/2"],
        "answers a binary on stock 25.2.3 when compression does not pay",
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
        "belongs to tracing or distribution, which are not there yet",
    ),
    (
        "ets",
        &[
            "internal_request_all",
            "internal_delete_all",
            "internal_select_delete",
            "slot",
        ],
        "shows how tables are made",
    ),
    (
        "ets",
        &["update_counter/4"],
        "stock 25.2.3 crashes on some objects",
    ),
    ("ets", &["info"], "tells the words of memory"),
    ("os", &["*"], "is about this machine"),
    ("re", &["version"], "is another library's"),
    (
        "persistent_term",
        &["info", "get/0", "erase", "put"],
        "is shared by all calls",
    ),
    ("erts_debug", &["*"], "shows how the machine is made"),
    ("erts_internal", &["*"], "trusts its callers"),
    ("erts_literal_area_collector", &["*"], "trusts its callers"),
    ("erl_tracer", &["*"], "trusts its callers"),
    ("prim_buffer", &["*"], "trusts its callers"),
    ("prim_file", &["*"], "would change files"),
    ("prim_net", &["*"], "trusts its callers"),
    ("prim_socket", &["*"], "trusts its callers"),
    ("erl_ddll", &["try_load"], "ferl loads no driver"),
    ("zlib", &["*"], "trusts its callers"),
];

#[derive(clap::Args)]
pub struct Options {
    /// The machine under test [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    /// Other calls.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Calls of each BIF for each of its arguments.
    #[arg(long, value_name = "N", default_value_t = 300)]
    count: u32,
    /// Run threaded code instead of machine code (`-emu_flavor emu`).
    #[arg(long)]
    emu: bool,
    /// Have the machine under test collect at every safepoint (FERL_COLLECT_ALWAYS=1).
    #[arg(long)]
    collect_always: bool,
    /// Differing calls that are shown for one BIF.
    #[arg(long, value_name = "N", default_value_t = 2)]
    lines: usize,
    /// Name what is not called, and why.
    #[arg(long)]
    left_out: bool,
    /// Only BIFs that contain one of these: `ets:`, `binary:split/3`.
    filter: Vec<String>,
}

/// One machine, and how to have it call.
struct Caller {
    machine: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(&'static str, &'static str)>,
    code: PathBuf,
    folder: PathBuf,
}

/// What a machine says of one BIF.
enum Said {
    Calls {
        made: u64,
        succeeded: u64,
        digest: String,
    },
    Died(String),
}

pub fn run(options: &Options) -> Result<ExitCode> {
    if options.left_out {
        for (module, names, reason) in LEFT_OUT {
            println!("{module}: {} {}", names.join(" "), reason);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let bifs = select(&options.filter);
    if bifs.is_empty() {
        bail!("no BIF matches");
    }
    let place = project::target().join("generated").join("calls");
    let source = project::root().join("tests/generators/calls.erl");
    let said = compile::batch(
        &project::stock("erlc")?,
        &[],
        std::slice::from_ref(&source),
        &place,
    )?;
    if !compile::beam_path(&source, &place).is_file() {
        bail!("{} does not compile:\n{said}", source.display());
    }
    let caller = |name: &str, machine: PathBuf| -> Result<Caller> {
        let folder = place.join(name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(Caller {
            machine,
            arguments: Vec::new(),
            environment: Vec::new(),
            code: place.clone(),
            folder,
        })
    };
    let stock = caller("stock", project::stock("erl")?)?;
    let mut ferl = caller("ferl", project::ferl(options.ferl.as_deref())?)?;
    if options.emu {
        ferl.arguments = vec!["-emu_flavor".into(), "emu".into()];
    }
    if options.collect_always {
        ferl.environment.push(("FERL_COLLECT_ALWAYS", "1"));
    }
    let (wanted, found) = thread::scope(|scope| {
        let stocks = scope.spawn(|| stock.summary(&bifs, options));
        let ours = ferl.summary(&bifs, options);
        let stocks = stocks.join().unwrap_or_else(|_| bail!("a thread died"));
        anyhow::Ok((stocks?, ours?))
    })?;

    let (mut calls, mut successes, mut differing) = (0, 0, 0);
    for (bif, (wanted, found)) in bifs.iter().zip(wanted.iter().zip(&found)) {
        match (wanted, found) {
            (
                Said::Calls {
                    made,
                    succeeded,
                    digest,
                },
                Said::Calls { digest: ours, .. },
            ) => {
                calls += made;
                successes += succeeded;
                if digest == ours {
                    continue;
                }
                println!("DIFFERS {bif}");
                for line in first_differences(&stock, &ferl, bif, options)? {
                    println!("  {line}");
                }
            }
            (stock, ferl) => {
                for (name, said) in [("stock", stock), ("ferl", ferl)] {
                    if let Said::Died(how) = said {
                        println!("DIED {bif}: {name}: {how}");
                    }
                }
            }
        }
        differing += 1;
    }
    println!(
        "{} BIFs, {calls} calls, {successes} of which succeed: {} passed, {differing} failed",
        bifs.len(),
        bifs.len() - differing
    );
    Ok(if differing == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// `module:name/arity` of every BIF that is called.
fn select(filter: &[String]) -> Vec<String> {
    let mut names: Vec<String> = BIFS
        .iter()
        .filter(|bif| !is_left_out(bif.module, bif.name, bif.arity))
        .map(|bif| format!("{}:{}/{}", bif.module, bif.name, bif.arity))
        .filter(|name| filter.is_empty() || filter.iter().any(|part| name.contains(part.as_str())))
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

impl Caller {
    fn run(&self, words: &[String]) -> Result<Outcome> {
        let mut invocation = Invocation::new(&self.machine, &self.folder)
            .timeout(Duration::from_secs(900))
            .args(&self.arguments)
            .arg("-noshell")
            .arg("-pa")
            .arg(&self.code)
            .args(["-s", "calls", "start", "-extra"])
            .args(words)
            .env("ERL_CRASH_DUMP_SECONDS", "0");
        for (name, value) in &self.environment {
            invocation = invocation.env(name, value);
        }
        invocation.run()
    }

    /// What this machine says of each BIF, in order.
    fn summary(&self, bifs: &[String], options: &Options) -> Result<Vec<Said>> {
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
                all.push(Said::Died(format!("{}: {said}", outcome.end)));
            }
        }
        Ok(all)
    }

    /// The calls of one BIF, a line each.
    fn each(&self, bif: &str, options: &Options) -> Result<Vec<String>> {
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

fn read_summary(stdout: &[u8], bifs: &[String]) -> Vec<Said> {
    let text = String::from_utf8_lossy(stdout);
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    complete
        .lines()
        .zip(bifs)
        .map_while(|(line, bif)| {
            let rest = line.strip_prefix(&words(bif).join(" "))?;
            let mut words = rest.split_whitespace();
            Some(Said::Calls {
                made: words.next()?.parse().ok()?,
                succeeded: words.next()?.parse().ok()?,
                digest: words.next()?.to_owned(),
            })
        })
        .collect()
}

/// Lines of both where they first differ. What follows a difference may be other calls.
fn first_differences(
    stock: &Caller,
    ferl: &Caller,
    bif: &str,
    options: &Options,
) -> Result<Vec<String>> {
    let (wanted, found) = (stock.each(bif, options)?, ferl.each(bif, options)?);
    let shown = |name: &str, line: Option<&String>| {
        let line: String = line
            .map_or("nothing", String::as_str)
            .chars()
            .take(700)
            .collect();
        format!("{name}: {line}")
    };
    let mut lines = Vec::new();
    for at in 0..wanted.len().max(found.len()) {
        let (a, b) = (wanted.get(at), found.get(at));
        if a == b {
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
    fn a_summary_ends_where_the_machine_died() {
        let bifs = ["lists:member/2".to_owned(), "lists:reverse/2".to_owned()];
        let said = read_summary(b"lists member 2 600 10 AB\nlists rever", &bifs);
        assert_eq!(said.len(), 1);
        assert!(
            matches!(&said[0], Said::Calls { made: 600, succeeded: 10, digest } if digest == "AB")
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
