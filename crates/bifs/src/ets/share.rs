//! Sharing tables: owners, heirs, protection and fixation; and the list of all tables.

use std::sync::Arc;

use layout::{Term, no_gc};
use term::release::{self, Release};
use term::{am, build, list, reference};

use super::table;
use ets::options::Protection;
use ets::table::Heir;
use ets::{self, Access, registry};
use runtime::code::bif::{BifResult, badarg, badarg_because};
use runtime::effects::signal_handling;
use runtime::mail::schedulers;
use runtime::process::{Process, table as processes};

/// `ets:give_away(Table, Pid, Data)`.
pub(crate) fn give_away_3(process: &mut Process, [id, pid, data]: [Term; 3]) -> BifResult {
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    if !processes::exists(pid) {
        return Err(badarg(2));
    }
    if table.owner() != process.pid() {
        return Err(badarg_because(am::NOT_OWNER));
    }
    if pid == process.pid() {
        return Err(badarg_because(am::OWNER));
    }
    let table: Arc<ets::Table> =
        registry::find(table.number).ok_or_else(|| badarg_because(am::ID))?;
    ets::hand_over(&table, process.pid(), pid, Some(data));
    Ok(am::TRUE)
}

/// `ets:setopts(Table, Options)`: `{heir, Pid, Data}`, from OTP 28 on `{heir, Pid}`, `{heir, none}`, and
/// `{protection, Protection}`.
pub(crate) fn setopts_2(process: &mut Process, [id, options]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    let options = if options.is_tuple() {
        vec![options]
    } else {
        list::to_vec(options).ok_or(badarg(2))?
    };
    let mut heir: Option<Option<(Term, Option<Term>)>> = None;
    let mut protection = None;
    for option in options {
        match option.as_tuple(no_gc!()) {
            Some(&[am::HEIR, am::NONE]) if heir.is_none() => heir = Some(None),
            Some(&[am::HEIR, pid, data]) if heir.is_none() && pid.is_local_pid() => {
                heir = Some(Some((pid, Some(data))))
            }
            Some(&[am::HEIR, pid])
                if heir.is_none() && pid.is_local_pid() && release::has(Release::OTP_28) =>
            {
                heir = Some(Some((pid, None)));
            }
            Some(&[am::PROTECTION, how]) if protection.is_none() => {
                protection = Some(match how {
                    am::PRIVATE => Protection::Private,
                    am::PROTECTED => Protection::Protected,
                    am::PUBLIC => Protection::Public,
                    _ => return Err(badarg(2)),
                });
            }
            _ => return Err(badarg(2)),
        }
    }
    if table.owner() != process.pid() {
        return Err(badarg(1));
    }
    if let Some(heir) = heir {
        let heir: Option<Heir> =
            heir.and_then(|(pid, data)| super::create::heir(process, pid, data));
        let old = std::mem::replace(&mut *table.heir.lock(), heir);
        drop(old);
    }
    if let Some(protection) = protection {
        let whole = table.write_all();
        table.allow(process, Access::Write)?;
        table.set_protection(protection);
        drop(whole);
    }
    Ok(am::TRUE)
}

/// `ets:safe_fixtable(Table, Fix)`.
pub(crate) fn safe_fixtable_2(process: &mut Process, [id, fix]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Read)?;
    match fix {
        am::TRUE => ets::fix(process, table),
        am::FALSE => table.release(process.pid(), false),
        _ => return Err(badarg(2)),
    }
    Ok(am::TRUE)
}

/// `ets:internal_request_all()`: returns a reference, and sends `{Reference, Tables}` once for each scheduler. The
/// first message has all tables, because here tables do not belong to schedulers.
pub(crate) fn internal_request_all_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let request = reference::make(process.heap());
    let tables: Vec<Term> = registry::all()
        .iter()
        .map(|table| table.identifier(process.heap()))
        .collect();
    let all = build::list(process.heap(), &tables);
    for number in 0..schedulers::schedulers().all.len() {
        let tables = if number == 0 { all } else { Term::NIL };
        let answer = build::tuple(process.heap(), &[request, tables]);
        signal_handling::deliver_last(process, am::SYSTEM, answer);
    }
    Ok(request)
}

/// `erts_internal:ets_super_user(Bool)`: gives the process the rights of the owner for every table.
pub(crate) fn ets_super_user_1(process: &mut Process, [on]: [Term; 1]) -> BifResult {
    process.extras().ets_super_user = match on {
        am::TRUE => true,
        am::FALSE => false,
        _ => return Err(badarg(1)),
    };
    Ok(am::OK)
}
