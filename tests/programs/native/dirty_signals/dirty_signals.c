/* A call that takes its time. */
#include <erl_nif.h>
#include <unistd.h>

static ERL_NIF_TERM sleep_ms(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    unsigned ms;
    if (!enif_get_uint(env, argv[0], &ms)) return enif_make_badarg(env);
    usleep(ms * 1000);
    return argv[0];
}

static ErlNifFunc functions[] = {{"sleep_ms", 1, sleep_ms, ERL_NIF_DIRTY_JOB_IO_BOUND}};

ERL_NIF_INIT(dirty_signals, functions, NULL, NULL, NULL, NULL)
