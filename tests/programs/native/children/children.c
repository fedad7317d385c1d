/* Children of a library's own, which it waits for itself. */
#include <erl_nif.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The exit status of a command, by the C library's own function. */
static ERL_NIF_TERM status_of(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    char command[100];
    if (enif_get_string(env, argv[0], command, sizeof command, ERL_NIF_LATIN1) <= 0) return enif_make_badarg(env);
    int status = system(command);
    return enif_make_int(env, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static ERL_NIF_TERM start(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    int status;
    if (!enif_get_int(env, argv[0], &status)) return enif_make_badarg(env);
    pid_t child = fork();
    if (child == 0) _exit(status);
    return enif_make_int(env, child);
}

static ERL_NIF_TERM wait_for(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    int child, status;
    if (!enif_get_int(env, argv[0], &child)) return enif_make_badarg(env);
    if (waitpid(child, &status, 0) != child) return enif_make_atom(env, "nobody");
    return enif_make_int(env, WEXITSTATUS(status));
}

static ErlNifFunc functions[] = {
    {"status_of", 1, status_of, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"start", 1, start, 0},
    {"wait_for", 1, wait_for, ERL_NIF_DIRTY_JOB_IO_BOUND}};

ERL_NIF_INIT(children, functions, NULL, NULL, NULL, NULL)
