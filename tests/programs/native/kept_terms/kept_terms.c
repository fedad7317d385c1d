/* cc: -pthread */
/* Keeps terms in environments of its own. */
#include <erl_nif.h>
#include <unistd.h>

static ErlNifEnv *kept_env;
static ERL_NIF_TERM kept_term;
static ErlNifResourceType *type;
static int ends[2];

struct later {
    ErlNifEnv *env;
    ErlNifPid to;
    ERL_NIF_TERM term;
    ErlNifTid thread;
};

static ERL_NIF_TERM keep(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    if (kept_env) enif_free_env(kept_env);
    kept_env = enif_alloc_env();
    kept_term = enif_make_copy(kept_env, argv[0]);
    return enif_make_atom(env, "ok");
}

static ERL_NIF_TERM kept(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    return enif_make_copy(env, kept_term);
}

/* Sends {thread, Term} half a second later. */
static void *send_later(void *arg)
{
    struct later *later = arg;
    usleep(500000);
    ERL_NIF_TERM message = enif_make_tuple2(later->env, enif_make_atom(later->env, "thread"), later->term);
    enif_send(NULL, &later->to, later->env, message);
    enif_free_env(later->env);
    enif_free(later);
    return NULL;
}

static ERL_NIF_TERM keep_for_thread(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    struct later *later = enif_alloc(sizeof *later);
    if (!enif_get_local_pid(env, argv[0], &later->to)) return enif_make_badarg(env);
    later->env = enif_alloc_env();
    later->term = enif_make_copy(later->env, argv[1]);
    enif_thread_create("later", &later->thread, send_later, later, NULL);
    return enif_make_atom(env, "ok");
}

/* Has {select, Term} sent when ready/0 has been called. */
static ERL_NIF_TERM select_message(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    ErlNifPid to;
    if (!enif_get_local_pid(env, argv[0], &to) || pipe(ends)) return enif_make_badarg(env);
    void *object = enif_alloc_resource(type, sizeof(int));
    *(int *)object = ends[0];
    ERL_NIF_TERM message = enif_make_tuple2(env, enif_make_atom(env, "select"), argv[1]);
    enif_select_read(env, ends[0], object, &to, message, NULL);
    return enif_make_atom(env, "ok");
}

static ERL_NIF_TERM ready(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    return enif_make_int(env, write(ends[1], "x", 1));
}

static void stop(ErlNifEnv *env, void *object, ErlNifEvent event, int is_direct) {}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
    ErlNifResourceTypeInit functions = {0, stop, 0, 0, 0};
    type = enif_open_resource_type_x(env, "descriptor", &functions, ERL_NIF_RT_CREATE, NULL);
    return type == NULL;
}

static ErlNifFunc functions[] = {
    {"keep", 1, keep},
    {"kept", 0, kept},
    {"keep_for_thread", 2, keep_for_thread},
    {"select", 2, select_message},
    {"ready", 0, ready},
};

ERL_NIF_INIT(kept_terms, functions, load, NULL, NULL, NULL)
