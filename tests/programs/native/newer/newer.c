/* Functions that releases after OTP 25 have. They are declared here, because the header of OTP 25 does not; a machine that lacks one
 * has a null pointer in its place. */
#include <erl_nif.h>
#include <string.h>
#include <unistd.h>

#define MAY_LACK __attribute__((weak))
#define UTF8 ((ErlNifCharEncoding)2)
#define FUNCTION(name) static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])

extern int MAY_LACK enif_make_new_atom(ErlNifEnv *, const char *, ERL_NIF_TERM *, ErlNifCharEncoding);
extern int MAY_LACK enif_make_new_atom_len(ErlNifEnv *, const char *, size_t, ERL_NIF_TERM *, ErlNifCharEncoding);
extern int MAY_LACK enif_get_string_length(ErlNifEnv *, ERL_NIF_TERM, unsigned *, ErlNifCharEncoding);
extern int MAY_LACK enif_set_option(ErlNifEnv *, int, ...);
extern size_t MAY_LACK enif_term_size(ERL_NIF_TERM);
extern int MAY_LACK enif_get_atom_cache_index(ErlNifEnv *, ERL_NIF_TERM, unsigned *);
extern unsigned MAY_LACK enif_max_atom_cache_index(void);

enum { DELAY_HALT = 1, ON_HALT = 2, ON_UNLOAD_THREAD = 3 };

static volatile int has_ended;

static void write_line(const char *text)
{
    if (write(1, text, strlen(text)) < 0)
        has_ended = -1;
}

static void on_halt(void *data)
{
    write_line(data == &has_ended ? "told\n" : "told something else\n");
    has_ended = 1;
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
    if (enif_set_option == NULL)
        return 0;
    *data = (void *)&has_ended;
    int results[] = {
        enif_set_option(env, DELAY_HALT), enif_set_option(env, DELAY_HALT) != 0,
        enif_set_option(env, ON_HALT, on_halt), enif_set_option(env, ON_HALT, on_halt) != 0,
        enif_set_option(env, 99, NULL) != 0,
    };
    return !(results[0] == 0 && results[1] && results[2] == 0 && results[3] && results[4]);
}

static int encoding_of(ErlNifEnv *env, ERL_NIF_TERM term)
{
    return enif_is_identical(term, enif_make_atom(env, "utf8")) ? UTF8 : ERL_NIF_LATIN1;
}

/* {As a string, with its length, if it exists already}, each `no` if it cannot be made. */
FUNCTION(new_atoms)
{
    ErlNifBinary text;
    if (!enif_inspect_binary(env, argv[0], &text) || text.size > 2000) return enif_make_badarg(env);
    char copy[2001];
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    int encoding = encoding_of(env, argv[1]);
    ERL_NIF_TERM no = enif_make_atom(env, "no"), existed = no, one = no, other = no;
    enif_make_existing_atom_len(env, copy, text.size, &existed, encoding);
    enif_make_new_atom(env, copy, &one, encoding);
    enif_make_new_atom_len(env, copy, text.size, &other, encoding);
    return enif_make_tuple3(env, one, other, existed);
}

/* An atom's text: {result, length, the text}. */
FUNCTION(atom_text)
{
    char room[1100] = "";
    unsigned size, length = 0;
    int encoding = encoding_of(env, argv[1]);
    if (!enif_get_uint(env, argv[2], &size) || size > sizeof room) return enif_make_badarg(env);
    int result = enif_get_atom(env, argv[0], room, size, encoding);
    int has_length = enif_get_atom_length(env, argv[0], &length, encoding);
    return enif_make_tuple3(env, enif_make_int(env, result), enif_make_int(env, has_length ? (int)length : -1),
                            enif_make_string(env, result ? room : "", ERL_NIF_LATIN1));
}

/* A string: {result, its length, the bytes that were written}. */
FUNCTION(string)
{
    char room[200];
    memset(room, '#', sizeof room);
    unsigned size, length = 0;
    int encoding = encoding_of(env, argv[1]);
    if (!enif_get_uint(env, argv[2], &size) || size > sizeof room) return enif_make_badarg(env);
    int result = enif_get_string(env, argv[0], room, size, encoding);
    int has_length = enif_get_string_length(env, argv[0], &length, encoding);
    return enif_make_tuple3(env, enif_make_int(env, result), enif_make_int(env, has_length ? (int)length : -1),
                            enif_make_string_len(env, room, result < 0 ? -result : result, ERL_NIF_LATIN1));
}

FUNCTION(make_string)
{
    ErlNifBinary text;
    if (!enif_inspect_binary(env, argv[0], &text)) return enif_make_badarg(env);
    return enif_make_string_len(env, (char *)text.data, text.size, encoding_of(env, argv[1]));
}

FUNCTION(size_of_term)
{
    return enif_make_ulong(env, enif_term_size(argv[0]));
}

FUNCTION(cache_index)
{
    unsigned index = 0;
    if (!enif_get_atom_cache_index(env, argv[0], &index)) return enif_make_atom(env, "none");
    return enif_make_tuple2(env, enif_make_uint(env, enif_max_atom_cache_index()), enif_make_atom(env, index <= enif_max_atom_cache_index() ? "within" : "beyond"));
}

/* Outside `load'. */
FUNCTION(set_too_late)
{
    return enif_make_int(env, enif_set_option(env, ON_HALT, on_halt) != 0);
}

FUNCTION(lacks)
{
    return enif_make_int(env, enif_set_option == NULL);
}

/* Returns some time after the node began to end. */
FUNCTION(wait_for_end)
{
    ErlNifPid self;
    if (enif_get_local_pid(env, argv[0], &self)) {
        ErlNifEnv *message = enif_alloc_env();
        enif_send(env, &self, message, enif_make_atom(message, "waits"));
        enif_free_env(message);
    }
    while (!has_ended)
        usleep(1000);
    usleep(50000);
    write_line("returned\n");
    return argv[0];
}

static ErlNifFunc functions[] = {
    {"new_atoms", 2, new_atoms}, {"atom_text", 3, atom_text}, {"string", 3, string}, {"make_string", 2, make_string},
    {"size_of_term", 1, size_of_term}, {"cache_index", 1, cache_index}, {"set_too_late", 0, set_too_late}, {"lacks", 0, lacks},
    {"wait_for_end", 1, wait_for_end, ERL_NIF_DIRTY_JOB_IO_BOUND},
};

ERL_NIF_INIT(newer, functions, load, NULL, NULL, NULL)
