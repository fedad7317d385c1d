/* A library for a machine that does not exist yet. */
#include <erl_nif.h>
static ErlNifEntry entry = {2, 99, "refused", 0, 0, 0, 0, 0, 0, "beam.vanilla", 1, sizeof(ErlNifResourceTypeInit), "erts-99.9"};
ErlNifEntry *nif_init(void) { return &entry; }
