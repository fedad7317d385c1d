//! One run of one cell on one VM: its command line, and the figures that are read from it.

mod sampler;

use std::path::Path;
use std::time::Duration;
use watch::Outcome;

use crate::experiment::{Case, Experiment, Set, Source, is_missing};
use crate::host;
use crate::installed::find_program;
use crate::results::{Load, Run};
use crate::show;
use crate::vms::Vm;
use sampler::{HostTimes, Sampler};

/// The interval between two looks at a VM: short enough to see its memory grow, long enough not to slow it down.
const LOOK_INTERVAL: Duration = Duration::from_millis(40);
/// OTP's default process limit, less some room for the processes of the system.
const MOST_PROCESSES_WITHOUT_FLAG: u64 = 260_000;

/// What a process of the experiments with many of them takes at most on any VM.
const MOST_BYTES_PER_PROCESS: u64 = 4096;

/// The limits of a run.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub timeout: Duration,
    pub memory_bytes: u64,
}

/// One cell of the plan: an experiment in one case, at one size.
#[derive(Clone, Copy)]
pub(crate) struct Trial<'a> {
    pub experiment: &'a Experiment,
    pub case: &'a Case,
    pub size: Option<u64>,
    pub set: Set,
}

/// The results of a run.
pub(crate) struct Measurement {
    pub run: Run,
    pub load: Vec<Load>,
    pub threads: Vec<(String, usize)>,
}

impl Trial<'_> {
    /// `E1/start, SMP on, 300k`.
    pub(crate) fn name(&self) -> String {
        show::join(&self.experiment.key(), self.case.label, self.size)
    }

    /// The command line, beginning with the program.
    pub(crate) fn words(&self, vm: &Vm, programs: &Path) -> Vec<String> {
        let processors = sys::cpu::Processors::detect().allowed();
        let flags = match self.case.flags_of_others {
            Some(flags) if !vm.is_ferl => flags,
            _ => self.case.flags,
        };
        let size = self.size.unwrap_or(0).to_string();
        let own = std::env::current_exe().map(|path| path.display().to_string());
        let program = self.program().unwrap_or_default();
        let vm_path = vm.path.display().to_string();
        let peer = self.case.peer.unwrap_or(&vm_path);
        let fill = |word: &str| {
            word.replace("{FERL}", own.as_deref().unwrap_or("ferl"))
                .replace("{PROGRAM}", &program)
                .replace("{PEER}", peer)
                .replace("{CPUS}", &processors.to_string())
                .replace("{TWICE}", &(processors * 2).to_string())
                .replace("{NAME}", self.experiment.name)
                .replace("{N}", &size)
        };
        let flags = flags.split_ascii_whitespace().map(fill);
        let command = self.experiment.command.split_ascii_whitespace().map(fill);
        if self.experiment.is_service {
            let mut words: Vec<String> = ["{FERL}", "lab", "--service"].map(fill).into();
            words.push(programs.display().to_string());
            words.extend(command);
            words.extend(["--".to_owned(), vm_path.clone()]);
            words.extend(flags);
            return words;
        }
        let mut words: Vec<String> = self
            .case
            .under
            .iter()
            .map(|word| (*word).to_owned())
            .collect();
        words.push(vm_path.clone());
        words.extend(flags);
        if self.experiment.many_processes
            && self
                .size
                .is_some_and(|size| size > MOST_PROCESSES_WITHOUT_FLAG)
        {
            words.extend(["+P".to_owned(), size.clone()]);
        }
        words.extend(["-noshell".to_owned(), "-pa".to_owned()]);
        words.push(programs.display().to_string());
        words.extend(command);
        words
    }

    /// The path of the third-party program that the experiment needs, or an empty string if it needs none.
    ///
    /// # Errors
    ///
    /// If the program is not installed; the text says how to install it.
    fn program(&self) -> Result<String, String> {
        let Some(program) = self.experiment.program else {
            return Ok(String::new());
        };
        match find_program(program.name) {
            Some(path) => Ok(path.display().to_string()),
            None => Err(is_missing(program.name, program.package)),
        }
    }

    /// Runs the cell once, in an empty temporary folder.
    ///
    /// # Errors
    ///
    /// Why the run gave no figures.
    pub(crate) fn run(
        &self,
        vm: &Vm,
        programs: &Path,
        bounds: Bounds,
    ) -> Result<Measurement, String> {
        self.program()?;
        let words = self.words(vm, programs);
        let folder = tempfile::tempdir()
            .map_err(|error| format!("no temporary folder to run in: {error}"))?;
        let invocation = vm
            .invocation(Path::new(&words[0]), folder.path())
            .args(&words[1..])
            .timeout(bounds.timeout + self.experiment.extra_time + self.experiment.patience)
            .memory_limit_bytes(bounds.memory_bytes)
            .look_every(LOOK_INTERVAL);
        let ends = self.experiment.ends.measured_part(self.set);
        if self.experiment.many_processes {
            host::warm_memory(self.size.unwrap_or(0) * MOST_BYTES_PER_PROCESS);
        }
        let before = HostTimes::now();
        let mut sampler = Sampler::new(ends);
        let outcome = invocation
            .run_looking(|look| sampler.look(look))
            .map_err(|error| format!("{error:#}"))?;
        let after = HostTimes::now();
        let outcome = successful(outcome)?;
        if ends.is_some() && !sampler.is_over() {
            return Err("it ended before it could be measured".to_owned());
        }
        let seen = Seen {
            text: String::from_utf8_lossy(&outcome.stdout).into_owned(),
            run: account(&outcome, &sampler, before.zip(after)),
            outcome: &outcome,
            sampler: &sampler,
        };
        let mut run = seen.run.clone();
        for figure in self.experiment.figures {
            let number = seen.read(figure.source)?;
            let scaled = figure.scale.apply(number, self.size.unwrap_or(1));
            if !scaled.is_finite() {
                return Err(format!("its figure is not a number: {number}"));
            }
            run.figures.push(scaled);
        }
        Ok(Measurement {
            run,
            load: sampler.load_over_time(),
            threads: sampler.threads(),
        })
    }
}

fn successful(outcome: Outcome) -> Result<Outcome, String> {
    if outcome.end.is_success() {
        return Ok(outcome);
    }
    Err(match outcome.first_complaint() {
        Some(complaint) => format!("{}: {complaint}", outcome.end),
        None => outcome.end.to_string(),
    })
}

/// What the operating system reports about a run.
fn account(outcome: &Outcome, sampler: &Sampler, host: Option<(HostTimes, HostTimes)>) -> Run {
    let usage = &outcome.usage;
    let (user_s, system_s) = (usage.user.as_secs_f64(), usage.system.as_secs_f64());
    let wall_s = outcome.wall.as_secs_f64();
    let others = host.map_or(0.0, |(before, after)| {
        let busy = after.busy_s - before.busy_s;
        ((busy - user_s - system_s) / wall_s).max(0.0)
    });
    // Between fork and exec the VM counts as large as the lab, so the kernel's peak is used only if it is larger than
    // that.
    let own = sys::memory::usage::peak_resident_bytes().unwrap_or(u64::MAX);
    let reported = Some(usage.peak_resident_bytes).filter(|bytes| *bytes > own);
    Run {
        figures: Vec::new(),
        wall_s,
        user_s,
        system_s,
        peak_resident_bytes: sampler.peak_bytes().max(reported.unwrap_or(0)),
        steady_resident_bytes: sampler.steady_bytes(),
        voluntary_switches: usage.voluntary_switches,
        involuntary_switches: usage.involuntary_switches,
        minor_faults: usage.minor_faults,
        major_faults: usage.major_faults,
        read_calls: sampler.io_calls().0,
        write_calls: sampler.io_calls().1,
        threads: sampler.thread_count(),
        others_cpus: others,
    }
}

/// What is known of a finished run.
struct Seen<'a> {
    text: String,
    run: Run,
    outcome: &'a Outcome,
    sampler: &'a Sampler,
}

impl Seen<'_> {
    fn read(&self, source: Source) -> Result<f64, String> {
        let run = &self.run;
        match source {
            Source::Printed(before) => number_after(&self.text, before).ok_or_else(|| {
                let text: String = self.text.trim().chars().take(200).collect();
                format!("no figure in its output: {text}")
            }),
            Source::Wall => Ok(run.wall_s),
            Source::Cpu => Ok(run.user_s + run.system_s),
            Source::Resident => Ok(self.sampler.last_bytes() as f64),
            Source::CpuUsed => Ok(self
                .sampler
                .cpu_used()
                .unwrap_or((run.user_s + run.system_s) / run.wall_s)
                * 100.0),
            Source::LeastLoaded => self
                .sampler
                .least_loaded()
                .ok_or_else(|| "the load of the processors cannot be read".to_owned()),
            Source::Switches => {
                let usage = &self.outcome.usage;
                let all = usage.voluntary_switches + usage.involuntary_switches;
                Ok(all as f64 / run.wall_s)
            }
        }
    }
}

fn number_after(text: &str, before: &str) -> Option<f64> {
    let rest = &text[text.find(before)? + before.len()..];
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | 'e' | '-' | '+')))
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The command line, quoted for a shell.
pub(crate) fn shell_line(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "+-_./:=,@".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_in_what_the_experiments_print() {
        assert_eq!(number_after("timed: 9153\n", "timed: "), Some(9153.0));
        assert_eq!(
            number_after("x = 2.5e-1 (7.0) microseconds", "("),
            Some(7.0)
        );
        assert_eq!(number_after("nothing", "timed: "), None);
    }

    #[test]
    fn command_lines_are_quoted() {
        let words = ["/a b/erl", "+S", "2:2", "it's"].map(str::to_owned);
        assert_eq!(shell_line(&words), "'/a b/erl' +S 2:2 'it'\\''s'");
    }
}
