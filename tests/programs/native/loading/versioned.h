/* A library of two versions. It tells the process of this name what the machine asks of it; what its loader gives decides whether it
 * agrees. */
#include <erl_nif.h>
#include <stdlib.h>

#ifndef VERSION
#define VERSION 1
#endif

typedef struct { int version, calls; } Data;

static void tell(ErlNifEnv *caller, const char *what, int number)
{
    ErlNifEnv *env = enif_alloc_env();
    ErlNifPid to;
    if (enif_whereis_pid(caller, enif_make_atom(env, "told"), &to))
        enif_send(caller, &to, env, enif_make_tuple3(env, enif_make_atom(env, what), enif_make_int(env, VERSION), enif_make_int(env, number)));
    enif_free_env(env);
}

static Data *new_data(void)
{
    Data *data = enif_alloc(sizeof(Data));
    data->version = VERSION;
    data->calls = 0;
    return data;
}

static ErlNifResourceType *type;

static void destroyed(ErlNifEnv *env, void *object) { tell(env, "destroyed", *(int *)object); }

static int answer(ErlNifEnv *env, ERL_NIF_TERM info)
{
    int result = 0;
    enif_get_int(env, info, &result);
    return result;
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
    type = enif_open_resource_type(env, NULL, "shared", destroyed, ERL_NIF_RT_CREATE, NULL);
    tell(env, "load", answer(env, info));
    *data = new_data();
    return answer(env, info);
}

static int upgrade(ErlNifEnv *env, void **data, void **old, ERL_NIF_TERM info)
{
    ErlNifResourceFlags tried;
    type = enif_open_resource_type(env, NULL, "shared", destroyed, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, &tried);
    tell(env, tried == ERL_NIF_RT_TAKEOVER ? "upgrade_takeover" : "upgrade_create", ((Data *)*old)->calls);
    *data = new_data();
    return answer(env, info);
}

static void unload(ErlNifEnv *env, void *data)
{
    tell(env, "unload", ((Data *)data)->calls);
    enif_free(data);
}

static ERL_NIF_TERM version(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    Data *data = enif_priv_data(env);
    return enif_make_tuple3(env, enif_make_int(env, VERSION), enif_make_int(env, data->version), enif_make_int(env, ++data->calls));
}

static ERL_NIF_TERM object(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    int *place = enif_alloc_resource(type, sizeof(int));
    *place = VERSION * 10;
    ERL_NIF_TERM term = enif_make_resource(env, place);
    enif_release_resource(place);
    return term;
}

static ErlNifFunc functions[] = {{"version", 0, version}, {"object", 0, object}};

ERL_NIF_INIT(versioned, functions, load, NULL, upgrade, unload)
