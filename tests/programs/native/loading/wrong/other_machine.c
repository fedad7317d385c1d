/* A library for a machine of another kind. */
#include <erl_nif.h>
static ErlNifEntry entry = {2, 16, "refused", 0, 0, 0, 0, 0, 0, "beam.strange", 1, sizeof(ErlNifResourceTypeInit), "erts-13.1"};
ErlNifEntry *nif_init(void) { return &entry; }
