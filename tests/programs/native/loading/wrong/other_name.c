/* A library of another module. */
#include <erl_nif.h>
static ErlNifFunc functions[1];
static ErlNifEntry entry = {2, 16, "other_module", 0, functions, 0, 0, 0, 0, "beam.vanilla", 1, sizeof(ErlNifResourceTypeInit), "erts-13.1"};
ErlNifEntry *nif_init(void) { return &entry; }
