/* A tracer that prints what it is asked and told. Its state is a map of what it answers. */
#include "erl_nif.h"
#include <stdio.h>

static void print(ErlNifEnv *env, const char *which, ERL_NIF_TERM tag, ERL_NIF_TERM tracee)
{
    char name[100];
    ErlNifPid self;
    const char *who = "nobody";
    if (enif_self(env, &self)) who = enif_is_identical(self.pid, tracee) ? "the tracee" : "another";
    enif_get_atom(env, tag, name, sizeof name, ERL_NIF_LATIN1);
    printf("    %s %s: %s\n", which, name, who);
    fflush(stdout);
}

static ERL_NIF_TERM enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    ERL_NIF_TERM value;
    int is_known = enif_get_map_value(env, argv[1], argv[0], &value);
    if (is_known) print(env, "asked", argv[0], argv[2]);
    return is_known ? value : enif_make_atom(env, "trace");
}

static ERL_NIF_TERM trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    print(env, "told", argv[0], argv[2]);
    return enif_make_atom(env, "ok");
}

static ERL_NIF_TERM say(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    ErlNifBinary text;
    if (!enif_inspect_binary(env, argv[0], &text)) return enif_make_badarg(env);
    printf("%.*s\n", (int)text.size, (const char *)text.data);
    fflush(stdout);
    return argv[0];
}

static ErlNifFunc functions[] = {{"enabled", 3, enabled}, {"trace", 5, trace}, {"say", 1, say}};

ERL_NIF_INIT(tracer_order, functions, NULL, NULL, NULL, NULL)
