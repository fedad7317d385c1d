/* A library that needs what nobody has. */
#include <erl_nif.h>
int nobody_has_this(void);
static ErlNifEntry entry;
ErlNifEntry *nif_init(void) { return nobody_has_this() ? &entry : 0; }
