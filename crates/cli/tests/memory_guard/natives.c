/* A library that takes memory without end, as objects that a process refers to, or as pieces that nobody knows of. */
#include <string.h>
#include <erl_nif.h>

static ErlNifResourceType *objects;
/* Seen by others, so that the compiler does not leave out what is written to a piece. */
static void *volatile last;

static ERL_NIF_TERM object(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
    ErlNifUInt64 bytes;
    void *made;
    ERL_NIF_TERM term;
    if (!enif_get_uint64(env, arguments[0], &bytes)) return enif_make_badarg(env);
    made = enif_alloc_resource(objects, bytes);
    if (!made) return enif_make_atom(env, "none");
    memset(made, 1, bytes);
    term = enif_make_resource(env, made);
    enif_release_resource(made);
    return term;
}

/* What is taken is never given back. */
static ERL_NIF_TERM take(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
    ErlNifUInt64 bytes;
    void *piece;
    if (!enif_get_uint64(env, arguments[0], &bytes)) return enif_make_badarg(env);
    piece = enif_alloc(bytes);
    if (!piece) return enif_make_atom(env, "none");
    memset(piece, 1, bytes);
    last = piece;
    return enif_make_atom(env, "taken");
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM information)
{
    objects = enif_open_resource_type(env, NULL, "object", NULL, ERL_NIF_RT_CREATE, NULL);
    return objects ? 0 : 1;
}

static ErlNifFunc functions[] = {{"object", 1, object, 0}, {"take", 1, take, 0}};

ERL_NIF_INIT(natives, functions, load, NULL, NULL, NULL)
