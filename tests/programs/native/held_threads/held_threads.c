/* Functions that stay on their dirty threads until they are released. */
#include <erl_nif.h>

static ErlNifMutex *lock;
static ErlNifCond *changed;
static int holding, released;

static ERL_NIF_TERM hold(ErlNifEnv *env, int argc, const ERL_NIF_TERM arguments[])
{
    enif_mutex_lock(lock);
    holding++;
    while (!released) enif_cond_wait(changed, lock);
    holding--;
    enif_mutex_unlock(lock);
    return enif_make_atom(env, "ok");
}

static ERL_NIF_TERM held(ErlNifEnv *env, int argc, const ERL_NIF_TERM arguments[])
{
    int count;
    enif_mutex_lock(lock);
    count = holding;
    enif_mutex_unlock(lock);
    return enif_make_int(env, count);
}

static ERL_NIF_TERM release(ErlNifEnv *env, int argc, const ERL_NIF_TERM arguments[])
{
    enif_mutex_lock(lock);
    released = 1;
    enif_cond_broadcast(changed);
    enif_mutex_unlock(lock);
    return enif_make_atom(env, "ok");
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
    lock = enif_mutex_create("held_threads");
    changed = enif_cond_create("held_threads");
    return 0;
}

static ErlNifFunc functions[] = {
    {"hold", 0, hold, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"held", 0, held, 0},
    {"release", 0, release, 0},
};
ERL_NIF_INIT(held_threads, functions, load, NULL, NULL, NULL)
