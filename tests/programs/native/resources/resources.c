/* Objects of a library: their destructor, the death of processes that they watch, calls between modules, binaries in them. */
#include <erl_nif.h>
#include <stdio.h>
#include <string.h>

#define FUNCTION(name) static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])

typedef struct {
    unsigned number;
    ErlNifPid told;
    ErlNifMonitor monitor;
    char bytes[10];
} Object;

static ErlNifResourceType *type, *plain_type;

/* Tells the object's owner what has happened to it. */
static void tell(ErlNifEnv *caller, Object *object, const char *what)
{
    ErlNifEnv *env = enif_alloc_env();
    ERL_NIF_TERM message = enif_make_tuple2(env, enif_make_atom(env, what), enif_make_uint(env, object->number));
    enif_send(caller, &object->told, env, message);
    enif_free_env(env);
}

static void destroyed(ErlNifEnv *env, void *object)
{
    tell(env, object, "destroyed");
}

static void down(ErlNifEnv *env, void *place, ErlNifPid *pid, ErlNifMonitor *monitor)
{
    Object *object = place;
    tell(env, object, enif_compare_monitors(monitor, &object->monitor) == 0 ? "down" : "other_down");
}

static void called(ErlNifEnv *env, void *object, void *data)
{
    *(unsigned *)data += ((Object *)object)->number;
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
    ErlNifResourceTypeInit init = {.dtor = destroyed, .down = down, .dyncall = called, .members = 4};
    ErlNifResourceFlags tried;
    type = enif_init_resource_type(env, "object", &init, ERL_NIF_RT_CREATE, &tried);
    plain_type = enif_open_resource_type(env, NULL, "plain", NULL, ERL_NIF_RT_CREATE, NULL);
    int again = enif_open_resource_type(env, NULL, "object", NULL, ERL_NIF_RT_TAKEOVER, &tried) != NULL;
    return type && plain_type && !again ? 0 : 1;
}

/* Makes an object whose owner is the caller. */
FUNCTION(make)
{
    Object *object = enif_alloc_resource(type, sizeof(Object));
    if (!enif_get_uint(env, argv[0], &object->number) || !enif_self(env, &object->told)) return enif_make_badarg(env);
    memcpy(object->bytes, "0123456789", sizeof object->bytes);
    ERL_NIF_TERM term = enif_make_resource(env, object);
    enif_release_resource(object);
    return term;
}

FUNCTION(make_plain)
{
    void *object = enif_alloc_resource(plain_type, 100);
    ERL_NIF_TERM terms[2] = {enif_make_resource(env, object), enif_make_resource(env, object)};
    size_t size = enif_sizeof_resource(object);
    enif_release_resource(object);
    return enif_make_tuple3(env, terms[0], terms[1], enif_make_int(env, size >= 100));
}

/* An object that is never given to Erlang. */
FUNCTION(make_and_drop)
{
    Object *object = enif_alloc_resource(type, sizeof(Object));
    if (!enif_get_uint(env, argv[0], &object->number) || !enif_self(env, &object->told)) return enif_make_badarg(env);
    enif_keep_resource(object);
    enif_release_resource(object);
    enif_release_resource(object);
    return enif_make_atom(env, "dropped");
}

FUNCTION(number)
{
    Object *object;
    void *plain;
    if (enif_get_resource(env, argv[0], plain_type, &plain)) return enif_make_atom(env, "plain");
    return enif_get_resource(env, argv[0], type, (void **)&object) ? enif_make_uint(env, object->number) : enif_make_atom(env, "none");
}

/* A binary whose bytes are in the object, which lives as long. */
FUNCTION(bytes)
{
    Object *object;
    if (!enif_get_resource(env, argv[0], type, (void **)&object)) return enif_make_badarg(env);
    return enif_make_resource_binary(env, object, object->bytes, sizeof object->bytes);
}

FUNCTION(watch)
{
    Object *object;
    ErlNifPid pid;
    if (!enif_get_resource(env, argv[0], type, (void **)&object) || !enif_get_local_pid(env, argv[1], &pid)) return enif_make_badarg(env);
    int result = enif_monitor_process(env, object, &pid, &object->monitor);
    ERL_NIF_TERM shown = enif_make_atom(env, "none");
    if (result == 0) shown = enif_make_monitor_term(env, &object->monitor);
    return enif_make_tuple2(env, enif_make_int(env, result), enif_make_int(env, enif_is_ref(env, shown)));
}

FUNCTION(unwatch)
{
    Object *object;
    if (!enif_get_resource(env, argv[0], type, (void **)&object)) return enif_make_badarg(env);
    return enif_make_int(env, enif_demonitor_process(env, object, &object->monitor));
}

FUNCTION(call)
{
    unsigned sum = 1000;
    int result = enif_dynamic_resource_call(env, argv[1], argv[2], argv[0], &sum);
    return enif_make_tuple2(env, enif_make_int(env, result), enif_make_uint(env, sum));
}

static ErlNifFunc functions[] = {
    {"make", 1, make}, {"make_plain", 0, make_plain}, {"make_and_drop", 1, make_and_drop}, {"number", 1, number}, {"bytes", 1, bytes},
    {"watch", 2, watch}, {"unwatch", 1, unwatch}, {"call", 3, call},
};

ERL_NIF_INIT(resources, functions, load, NULL, NULL, NULL)
