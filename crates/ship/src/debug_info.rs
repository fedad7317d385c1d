//! Leaves out of a program what only debuggers of ferl itself read: five sixths of a release build.

use object::build::elf::Builder;

/// The program without the tables of source lines and types. Its symbols stay: debuggers find the interface for machine
/// code that is made at run time by name. What cannot be read as a program is returned as it is.
pub(crate) fn strip(program: Vec<u8>) -> Vec<u8> {
    stripped(&program).unwrap_or(program)
}

fn stripped(program: &[u8]) -> Option<Vec<u8>> {
    let mut builder = Builder::read(program).ok()?;
    for section in &mut builder.sections {
        if section.name.starts_with(b".debug_") {
            section.delete = true;
        }
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes).ok()?;
    Some(bytes)
}
