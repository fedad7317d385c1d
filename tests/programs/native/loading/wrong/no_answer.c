/* A library whose entry is nowhere. */
#include <erl_nif.h>
ErlNifEntry *nif_init(void) { return 0; }
