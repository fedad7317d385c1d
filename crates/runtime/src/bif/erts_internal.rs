//! BIFs of the module `erts_internal`.
