/* Nothing is wrong with this one. */
#include <erl_nif.h>
static ERL_NIF_TERM yes(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return enif_make_atom(env, "yes"); }
static ErlNifFunc functions[] = {{"native", 0, yes}};
ERL_NIF_INIT(refused, functions, NULL, NULL, NULL, NULL)
