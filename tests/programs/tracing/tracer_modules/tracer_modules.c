/* A tracer: its state is {Answers, To}. It says of each tag what the map Answers says, and sends to To what it is told. */
#include "erl_nif.h"

static ERL_NIF_TERM answer(ErlNifEnv *env, const ERL_NIF_TERM argv[])
{
    const ERL_NIF_TERM *state;
    ERL_NIF_TERM value;
    int arity;

    if (enif_get_tuple(env, argv[1], &arity, &state) && arity == 2 && enif_get_map_value(env, state[0], argv[0], &value))
        return value;
    return enif_make_atom(env, "discard");
}

static ERL_NIF_TERM tell(ErlNifEnv *env, const char *which, int argc, const ERL_NIF_TERM argv[])
{
    const ERL_NIF_TERM *state;
    ErlNifPid to;
    int arity;

    if (enif_get_tuple(env, argv[1], &arity, &state) && arity == 2 && enif_get_local_pid(env, state[1], &to)) {
        ERL_NIF_TERM name = enif_make_atom(env, which);
        ERL_NIF_TERM message = argc == 3
            ? enif_make_tuple3(env, name, argv[0], argv[2])
            : enif_make_tuple5(env, name, argv[0], argv[2], argv[3], argv[4]);
        enif_send(env, &to, NULL, message);
    }
    return enif_make_atom(env, "ok");
}

static ERL_NIF_TERM enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    return answer(env, argv);
}

static ERL_NIF_TERM trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    return tell(env, "trace", argc, argv);
}

static ERL_NIF_TERM enabled_send(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    tell(env, "enabled_send", argc, argv);
    return answer(env, argv);
}

static ERL_NIF_TERM trace_send(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    return tell(env, "trace_send", argc, argv);
}

static ERL_NIF_TERM trace_procs(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    return tell(env, "trace_procs", argc, argv);
}

static ErlNifFunc functions[] = {
    {"enabled", 3, enabled},
    {"trace", 5, trace},
    {"enabled_send", 3, enabled_send},
    {"trace_send", 5, trace_send},
    {"trace_procs", 5, trace_procs},
};

ERL_NIF_INIT(tracer_modules, functions, NULL, NULL, NULL, NULL)
