//! `code`: native coverage (OTP 27 and later).

use engine::{Coverage, Covered};
use layout::Term;
use layout::limits::SMALL_MAX;
use term::{am, atom, build};

use runtime::code::bif::{BifResult, badarg};
use runtime::code::coverage::{self, CoverageMode};
use runtime::code::modules;
use runtime::process::Process;

/// `code:coverage_support()`
pub(crate) fn coverage_support_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(am::TRUE)
}

/// `code:get_coverage_mode()`
pub(crate) fn get_coverage_mode_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(name_of(coverage::mode()))
}

/// `code:get_coverage_mode(Module)`
pub(crate) fn get_coverage_mode_1(_process: &mut Process, [module]: [Term; 1]) -> BifResult {
    let loaded = modules::current(module).ok_or(badarg(1))?;
    Ok(name_of(loaded.code.coverage().map(Coverage::mode)))
}

/// `code:set_coverage_mode(Mode)`
pub(crate) fn set_coverage_mode_1(_process: &mut Process, [mode]: [Term; 1]) -> BifResult {
    let mut modes = CoverageMode::ALL.into_iter().map(Some).chain([None]);
    let mode = modes.find(|it| name_of(*it) == mode);
    Ok(name_of(coverage::set_mode(mode.ok_or(badarg(1))?)))
}

/// The name of a mode of coverage, or of none.
fn name_of(mode: Option<CoverageMode>) -> Term {
    mode.map_or(am::NONE, |mode| atom::known(mode.name()))
}

/// `code:get_coverage(Level, Module)`
pub(crate) fn get_coverage_2(process: &mut Process, [level, module]: [Term; 2]) -> BifResult {
    let loaded = modules::current(module).ok_or(badarg(2))?;
    let coverage = loaded.code.coverage().ok_or(badarg(2))?;
    let heap = process.heap();
    let mut pairs = Vec::new();
    if level == am::FUNCTION {
        let functions = loaded.code.functions();
        for ((function, _), covered) in functions.zip(coverage.functions()) {
            // No line of these is executable, so no mode tells of them.
            if function.function == am::MODULE_INFO && function.arity <= 1 {
                continue;
            }
            let arity = Term::small(i64::from(function.arity));
            let name = build::tuple(heap, &[function.function, arity]);
            pairs.push(build::tuple(heap, &[name, term_of(covered)]));
        }
    } else {
        let is_for_cover = level == atom::known("cover_id_line");
        let is_told = match level {
            am::LINE => coverage.mode().is_of_lines(),
            _ => is_for_cover && coverage.mode() == CoverageMode::LineCounters,
        };
        if !is_told || loaded.locations.is_empty() {
            return Err(badarg(1));
        }
        for (line, covered) in coverage.lines() {
            let Some(number) = loaded.line(line.location) else {
                continue;
            };
            let key = if is_for_cover { line.cover_id } else { number };
            let key = Term::small(i64::from(key));
            pairs.push(build::tuple(heap, &[key, term_of(covered)]));
        }
    }
    Ok(build::list(heap, &pairs))
}

fn term_of(covered: Covered) -> Term {
    match covered {
        Covered::HasRun(has_run) => am::boolean(has_run),
        Covered::Times(times) => {
            Term::small(i64::try_from(times).map_or(SMALL_MAX, |times| times.min(SMALL_MAX)))
        }
    }
}

/// `code:reset_coverage(Module)`
pub(crate) fn reset_coverage_1(_process: &mut Process, [module]: [Term; 1]) -> BifResult {
    let loaded = modules::current(module).ok_or(badarg(1))?;
    loaded.code.coverage().ok_or(badarg(1))?.reset();
    Ok(am::OK)
}
