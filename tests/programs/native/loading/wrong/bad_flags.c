/* A function that wants to run nowhere. */
#include <erl_nif.h>
static ERL_NIF_TERM no(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return enif_make_atom(env, "no"); }
static ErlNifFunc functions[] = {{"native", 0, no, 17}};
ERL_NIF_INIT(refused, functions, NULL, NULL, NULL, NULL)
