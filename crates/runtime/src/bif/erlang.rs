//! BIFs of the module `erlang`, by family.
