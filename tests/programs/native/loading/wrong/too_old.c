/* A library for a machine of long ago. */
#include <erl_nif.h>
static ErlNifEntry entry = {1, 0, "refused"};
ErlNifEntry *nif_init(void) { return &entry; }
