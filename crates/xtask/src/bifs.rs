//! `cargo xtask bifs`: which functions of stock's emulator ferl's table has, and which it lacks.
//!
//! Stock's functions are those that a running node lists: `system_info(snifs)` for the BIFs, and `module_info(nifs)`
//! for the modules whose functions the emulator brings along. ferl's are the rows of the table in `spec`, from which it
//! is built, so that only functions that exist are counted, and only those of the release that is compared.

use crate::stock::ReleaseOption;
use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use watch::Invocation;

/// Prints one line `module name arity` for each function of the emulator; `MODULES` stands for those that have NIFs.
const TELL: &str = r#"
    Show = fun(M, F, A) -> io:format("~ts ~ts ~b~n", [M, F, A]) end,
    [Show(M, F, A) || {M, F, A} <- erlang:system_info(snifs)],
    [Show(M, F, A) || M <- [MODULES],
                      {module, M} =:= code:ensure_loaded(M), {F, A} <- M:module_info(nifs)],
    halt()."#;

#[derive(clap::Args)]
pub(crate) struct BifsOptions {
    /// Only these modules, and each missing function by name.
    modules: Vec<String>,
    #[command(flatten)]
    release: ReleaseOption,
    /// Name each missing function.
    #[arg(long)]
    missing: bool,
}

type Function = (String, u8);

#[derive(Default)]
struct Count {
    present: BTreeSet<Function>,
    missing: BTreeSet<Function>,
    /// Rows of ferl's table that stock does not have: of another release, or misspelt.
    beyond: BTreeSet<Function>,
}

pub(crate) fn run(options: &BifsOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut counts = count(
        &stock_functions(&stock.erl)?,
        spec::Release::of(stock.release),
    );
    if !options.modules.is_empty() {
        counts.retain(|module, _| options.modules.contains(module));
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["module", "present", "missing", "beyond stock"]);
    for column in 1..4 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut totals = [0; 3];
    for (module, count) in &counts {
        let row = [count.present.len(), count.missing.len(), count.beyond.len()];
        for (total, of_module) in totals.iter_mut().zip(row) {
            *total += of_module;
        }
        table.add_row([vec![module.clone()], row.map(|n| n.to_string()).to_vec()].concat());
    }
    table.add_row(
        [
            vec!["total".to_owned()],
            totals.map(|n| n.to_string()).to_vec(),
        ]
        .concat(),
    );
    println!("{table}");
    if options.missing || !options.modules.is_empty() {
        list("missing", &counts, |count| &count.missing);
    }
    list("beyond stock", &counts, |count| &count.beyond);
    Ok(ExitCode::SUCCESS)
}

fn count(stock: &BTreeSet<(String, Function)>, release: spec::Release) -> BTreeMap<String, Count> {
    let ferl: BTreeSet<(String, Function)> = spec::bifs::BIFS
        .iter()
        .filter(|bif| bif.properties.count_in(release))
        .map(|bif| (bif.module.to_owned(), (bif.name.to_owned(), bif.arity)))
        .collect();
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for (module, function) in stock.union(&ferl) {
        let count = counts.entry(module.clone()).or_default();
        let key = (module.clone(), function.clone());
        let set = match (stock.contains(&key), ferl.contains(&key)) {
            (true, true) => &mut count.present,
            (true, false) => &mut count.missing,
            _ => &mut count.beyond,
        };
        set.insert(function.clone());
    }
    counts
}

fn list(
    title: &str,
    counts: &BTreeMap<String, Count>,
    set: impl Fn(&Count) -> &BTreeSet<Function>,
) {
    for (module, count) in counts {
        if !set(count).is_empty() {
            let names: Vec<String> = set(count)
                .iter()
                .map(|(name, arity)| format!("{name}/{arity}"))
                .collect();
            println!("{title} {module}: {}", names.join(" "));
        }
    }
}

fn stock_functions(erl: &Path) -> Result<BTreeSet<(String, Function)>> {
    let outcome = Invocation::new(erl, &std::env::temp_dir())
        .args([
            "-noshell",
            "-eval",
            &TELL.replace("MODULES", &spec::bifs::NIF_MODULES.join(",")),
        ])
        .run()?;
    if !outcome.end.is_success() {
        bail!("stock: {}\n{}", outcome.end, outcome.last_words(5));
    }
    String::from_utf8(outcome.stdout)?
        .lines()
        .map(read_function)
        .collect()
}

fn read_function(line: &str) -> Result<(String, Function)> {
    let mut words = line.split(' ');
    let (Some(module), Some(name), Some(arity), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        bail!("not a function: {line}");
    };
    Ok((
        module.to_owned(),
        (name.to_owned(), arity.parse().context("arity")?),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_functions_like_others() {
        let read = read_function("erlang =:= 2").unwrap();
        assert_eq!(read, ("erlang".to_owned(), ("=:=".to_owned(), 2)));
        assert!(read_function("erlang 2").is_err());
    }

    #[test]
    fn a_function_of_stock_alone_is_missing() {
        let stock = BTreeSet::from([("no_such_module".to_owned(), ("f".to_owned(), 1))]);
        let counts = count(&stock, spec::Release::OTP_25);
        assert_eq!(counts["no_such_module"].missing.len(), 1);
        assert!(counts["no_such_module"].present.is_empty());
    }
}
