/* Sends a term, from the environment of the call or from one of its own, on any scheduler. */
#include "erl_nif.h"

static ERL_NIF_TERM result(ErlNifEnv *env, int sent)
{
    return enif_make_atom(env, sent ? "sent" : "not_sent");
}

static ERL_NIF_TERM send(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    ErlNifPid to;
    if (!enif_get_local_pid(env, argv[0], &to)) return enif_make_badarg(env);
    return result(env, enif_send(env, &to, NULL, argv[1]));
}

static ERL_NIF_TERM send_own(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    ErlNifPid to;
    ErlNifEnv *own;
    int sent;
    if (!enif_get_local_pid(env, argv[0], &to)) return enif_make_badarg(env);
    own = enif_alloc_env();
    sent = enif_send(env, &to, own, enif_make_copy(own, argv[1]));
    enif_free_env(own);
    return result(env, sent);
}

static ErlNifFunc functions[] = {
    {"send", 2, send},
    {"send_own", 2, send_own},
    {"send_dirty", 2, send, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"send_own_dirty", 2, send_own, ERL_NIF_DIRTY_JOB_IO_BOUND},
};

ERL_NIF_INIT(traced_sends, functions, NULL, NULL, NULL, NULL)
