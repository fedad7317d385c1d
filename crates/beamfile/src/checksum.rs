//! The checksum of a module, as `module_info(md5)` returns it: the MD5 of the chunks that determine its behaviour.

use md5::{Digest, Md5};

use crate::BeamFile;
use crate::container::ChunkId;
use crate::tables::LAMBDA_BYTES;

pub(crate) fn md5(file: &BeamFile<'_>) -> [u8; 16] {
    let mut md5 = Md5::new();
    let atoms = file
        .chunk(ChunkId::ATOMS_UTF8)
        .or_else(|| file.chunk(ChunkId::ATOMS_LATIN1));
    md5.update(atoms.unwrap_or_default());
    for id in [
        ChunkId::CODE,
        ChunkId::STRINGS,
        ChunkId::IMPORTS,
        ChunkId::EXPORTS,
    ] {
        md5.update(file.chunk(id).unwrap_or_default());
    }
    if let Some((count, entries)) = file
        .chunk(ChunkId::LAMBDAS)
        .and_then(|lambdas| lambdas.split_at_checked(4))
    {
        md5.update(count);
        // The last field is derived from the checksum, so it is hashed as zero.
        for entry in entries.chunks_exact(LAMBDA_BYTES) {
            md5.update(&entry[..LAMBDA_BYTES - 4]);
            md5.update([0; 4]);
        }
    }
    for id in [
        ChunkId::LITERALS,
        ChunkId::META,
        ChunkId::RECORDS,
        ChunkId::DEBUGGER_LINES,
    ] {
        md5.update(file.chunk(id).unwrap_or_default());
    }
    md5.finalize().into()
}
