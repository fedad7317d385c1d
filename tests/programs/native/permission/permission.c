#include <erl_nif.h>

static ERL_NIF_TERM native(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    return enif_make_atom(env, "native");
}

static ErlNifFunc functions[] = {{"which", 0, native}};

ERL_NIF_INIT(permission, functions, NULL, NULL, NULL, NULL)
