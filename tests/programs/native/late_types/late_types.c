#include <erl_nif.h>

static ErlNifResourceType *in_time;

static void drop(ErlNifEnv *env, void *object) {
    (void)env;
    (void)object;
}

static ErlNifResourceType *open_type(ErlNifEnv *env, const char *name, ErlNifResourceFlags flags,
                                     ErlNifResourceFlags *tried) {
    ErlNifResourceTypeInit init = {.dtor = drop, .members = 1};
    return enif_init_resource_type(env, name, &init, flags, tried);
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    (void)data;
    (void)info;
    ErlNifResourceFlags tried;
    in_time = open_type(env, "in_time", ERL_NIF_RT_CREATE, &tried);
    return in_time == 0;
}

static ERL_NIF_TERM nif_open(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[]) {
    (void)count;
    char name[32];
    int flags;
    ErlNifResourceFlags tried = 0;
    if (!enif_get_atom(env, arguments[0], name, sizeof name, ERL_NIF_LATIN1) ||
        !enif_get_int(env, arguments[1], &flags))
        return enif_make_badarg(env);
    ErlNifResourceType *type = open_type(env, name, flags, &tried);
    return enif_make_tuple3(env, enif_make_int(env, type != 0), enif_make_int(env, type == in_time),
                            enif_make_int(env, tried));
}

static ErlNifFunc functions[] = {{"open", 2, nif_open, 0}};

ERL_NIF_INIT(late_types, functions, load, 0, 0, 0)
