//! Translates the functions of outlined modules: one when it is first called, or all when that is wanted. Any thread
//! may call.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use engine::outline::Untranslated;
use engine::{Code, Outline};
use layout::Term;

use super::exports;
use super::load_error::LoadError;
use super::modules::{self, Address, Loaded};
use super::source::Generate;

/// A module of which a function has no code, and why.
pub struct Untranslatable {
    pub module: Term,
    pub error: LoadError,
}

/// The code of all functions of a module, which is made now if it has not been. Until a module is committed, it is only
/// run.
///
/// # Errors
/// Those of loading; then functions can still be translated one by one.
pub fn make(loaded: &Arc<Loaded>) -> Result<&Code, LoadError> {
    make_as(loaded, engine::generate)
}

fn make_as(loaded: &Arc<Loaded>, generate: Generate) -> Result<&Code, LoadError> {
    let code = &loaded.code;
    let made = || code.made().ok_or(LoadError::NoRoom);
    let Some(outlined) = code.outlined.as_ref() else {
        return made();
    };
    if let Some(made) = code.made() {
        return Ok(made);
    }
    let is_leaving = outlined.is_leaving.lock();
    // It is there until somebody else has made the code.
    let Some(source) = outlined.source.read().clone() else {
        return made();
    };
    let (made, calls) = source.generate_again(generate)?;
    let made = code.whole.get_or_init(|| made);
    *outlined.source.write() = None;
    modules::add_made(loaded);
    outlined.outline.lead_to(made, &calls);
    if !*is_leaving {
        lead_calls(loaded, &outlined.outline, made);
    }
    Ok(made)
}

/// Has calls from outside of the module lead to its code, not to the stubs before that.
fn lead_calls(loaded: &Loaded, outline: &Outline, made: &Code) {
    let entries: Vec<*const u64> = made.functions().map(|(_, entry)| entry).collect();
    let entry_of = |stub: *const u64| Some(entries[outline.place_of_entry(stub)?]);
    let lead = |code: &AtomicPtr<u64>, Address(stub): Address| {
        if let Some(entry) = entry_of(stub) {
            // It leads elsewhere if another version of the module is current, or its calls are traced.
            let _ = code.compare_exchange(
                stub.cast_mut(),
                entry.cast_mut(),
                Ordering::AcqRel,
                Ordering::Relaxed,
            );
        }
    };
    for (function, arity, stub) in &loaded.exports {
        let export = exports::get_for_code(loaded.name, *function, *arity);
        lead(&export.code, *stub);
    }
    for (fun, stub) in &loaded.funs {
        lead(&fun.code, *stub);
    }
}

/// Makes the code of a function of an outline, by its entry; returns where it begins.
///
/// # Errors
/// See [`Untranslatable`].
pub fn translate(entry: *const u64) -> Result<*const u64, Untranslatable> {
    let loaded = modules::find_code(entry).expect("a stub is in the code of a module");
    let failed = |error| Untranslatable {
        module: loaded.name,
        error,
    };
    let outlined = loaded.code.outlined.as_ref();
    let outlined = outlined.expect("only outlines have such stubs");
    let outline = &outlined.outline;
    let place = outline.place_of_entry(entry);
    let place = place.expect("a stub calls with its entry");
    let source = outlined.source.read().clone();
    if let Some(source) = source {
        let translated = source.translate(outline.extent(place), |module| {
            outline.translate(place, module)
        });
        match translated.map_err(|error| failed(LoadError::File(error)))? {
            Ok(begin) => return Ok(begin),
            Err(Untranslated::Full) => (),
            Err(Untranslated::Code(error)) => return Err(failed(LoadError::Code(error))),
        }
    }
    // Where no memory is left for machine code, the module can still run without.
    let made = make(&loaded).or_else(|_| make_as(&loaded, engine::generate_threaded));
    let made = made.map_err(failed)?;
    let (_, begin) = made.functions().nth(place).expect("the same functions");
    Ok(begin)
}
