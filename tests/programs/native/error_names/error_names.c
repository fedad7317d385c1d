/* The names of all error numbers, as drivers get them. */
#include <erl_driver.h>
#include <erl_nif.h>

static ERL_NIF_TERM name(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
    int number;
    if (!enif_get_int(env, arguments[0], &number)) return enif_make_badarg(env);
    return enif_make_atom(env, erl_errno_id(number));
}

static ErlNifFunc functions[] = {{"name", 1, name}};

ERL_NIF_INIT(error_names, functions, NULL, NULL, NULL, NULL)
