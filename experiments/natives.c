/* The library of natives.erl: it makes terms, and sends from a thread of its own. */
#include <erl_nif.h>
#include <string.h>

#define FUNCTION(name) static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])

/* {a list of ten integers, a map of four keys, a binary of 100 bytes} */
static ERL_NIF_TERM made(ErlNifEnv *env)
{
    ERL_NIF_TERM items[10], keys[4], binary;
    for (int index = 0; index < 10; index++)
        items[index] = enif_make_int(env, index);
    for (int index = 0; index < 4; index++)
        keys[index] = enif_make_int(env, 100 + index);
    ERL_NIF_TERM map;
    enif_make_map_from_arrays(env, keys, items, 4, &map);
    memset(enif_make_new_binary(env, 100, &binary), 'b', 100);
    return enif_make_tuple3(env, enif_make_list_from_array(env, items, 10), map, binary);
}

FUNCTION(make)
{
    return made(env);
}

typedef struct {
    ErlNifPid to;
    unsigned count;
} Order;

static void *sender(void *given)
{
    Order *order = given;
    ErlNifEnv *env = enif_alloc_env();
    for (unsigned number = 0; number < order->count; number++) {
        enif_send(NULL, &order->to, env, enif_make_tuple2(env, enif_make_uint(env, number), enif_make_string(env, "from afar", ERL_NIF_LATIN1)));
        enif_clear_env(env);
    }
    enif_free_env(env);
    enif_free(order);
    return NULL;
}

/* Sends that many messages from a new thread, which this waits for. */
FUNCTION(send_from_thread)
{
    Order *order = enif_alloc(sizeof *order);
    ErlNifTid thread;
    if (!enif_get_local_pid(env, argv[0], &order->to) || !enif_get_uint(env, argv[1], &order->count)) return enif_make_badarg(env);
    if (enif_thread_create("sender", &thread, sender, order, NULL) != 0) return enif_make_badarg(env);
    enif_thread_join(thread, NULL);
    return argv[1];
}

static ErlNifFunc functions[] = {
    {"make", 0, make}, {"send_from_thread", 2, send_from_thread, ERL_NIF_DIRTY_JOB_IO_BOUND},
};

ERL_NIF_INIT(natives, functions, NULL, NULL, NULL, NULL)
