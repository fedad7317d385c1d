/* Counts the threads that say that they leave. When it is unloaded, it sends `{unloaded, Threads, WhatIsWrong}' to `told'. */
#include <erl_nif.h>
#include <pthread.h>

#define MAY_LACK __attribute__((weak))
#define FUNCTION(name) static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])

extern int MAY_LACK enif_set_option(ErlNifEnv *, int, ...);

enum { ON_UNLOAD_THREAD = 3, MOST = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[MOST];
static int count, was_set_twice;
static const char *wrong = "nothing";
static ErlNifResourceType *type;
static int data_of_library;

static void on_unload_thread(void *data)
{
    pthread_mutex_lock(&lock);
    if (data != &data_of_library)
        wrong = "data";
    if (enif_thread_type() != ERL_NIF_THR_NORMAL_SCHEDULER)
        wrong = "thread";
    for (int i = 0; i < count; i++)
        if (pthread_equal(threads[i], pthread_self()))
            wrong = "twice";
    if (count < MOST)
        threads[count++] = pthread_self();
    pthread_mutex_unlock(&lock);
}

/* Keeps the library while objects live. */
static void destroyed(ErlNifEnv *env, void *object)
{
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
    *data = &data_of_library;
    type = enif_open_resource_type(env, NULL, "leaver", destroyed, ERL_NIF_RT_CREATE, NULL);
    if (enif_set_option == NULL)
        return 0;
    int result = enif_set_option(env, ON_UNLOAD_THREAD, on_unload_thread);
    was_set_twice = enif_set_option(env, ON_UNLOAD_THREAD, on_unload_thread) == 0;
    return result;
}

static void unload(ErlNifEnv *env, void *data)
{
    ErlNifPid told;
    ErlNifEnv *message = enif_alloc_env();
    if (enif_whereis_pid(NULL, enif_make_atom(message, "told"), &told)) {
        ERL_NIF_TERM term = enif_make_tuple3(message, enif_make_atom(message, "unloaded"), enif_make_int(message, count), enif_make_atom(message, wrong));
        enif_send(NULL, &told, message, term);
    }
    enif_free_env(message);
}

FUNCTION(lacks)
{
    return enif_make_atom(env, enif_set_option == NULL ? "true" : "false");
}

FUNCTION(set)
{
    return enif_make_int(env, enif_set_option(env, ON_UNLOAD_THREAD, on_unload_thread) == 0);
}

FUNCTION(set_twice)
{
    return enif_make_int(env, was_set_twice);
}

FUNCTION(object)
{
    void *object = enif_alloc_resource(type, 1);
    ERL_NIF_TERM term = enif_make_resource(env, object);
    enif_release_resource(object);
    return term;
}

static ErlNifFunc functions[] = {
    {"lacks", 0, lacks}, {"set", 0, set}, {"set_twice", 0, set_twice}, {"object", 0, object},
};

ERL_NIF_INIT(leaver, functions, load, NULL, NULL, unload)
