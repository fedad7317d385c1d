/* cc: -pthread */
/* Random calls of the C interface, by a seed, from an ordinary, a dirty and a foreign thread (`natives.erl`).
 *
 * What it makes it counts, and its callbacks count what becomes of it, so that in the end both must agree. Every
 * callback takes the lock that calls are made under, but for those calls that stock may answer by calling back.
 * `terms` makes and reads terms alone: what it returns depends on the seed only. */
#include <erl_nif.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION(name) static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])

enum { MOST_PIDS = 16, DEPTH = 4, TEXT_BYTES = 4000 };

typedef struct {
    ErlNifMonitor monitor;
    int fd;
    char bytes[64];
} Object;

typedef struct {
    uint64_t state;
    ErlNifPid pids[MOST_PIDS];
    unsigned pid_count, steps;
} Play;

static ErlNifResourceType *type;
static ErlNifMutex *lock;
static ErlNifRWLock *rw_lock;
static atomic_long made, destroyed, monitored, ended, opened, stopped, sent, wrong;
static char what_is_wrong[100];

static void is_wrong(const char *what)
{
    if (atomic_fetch_add(&wrong, 1) == 0) snprintf(what_is_wrong, sizeof what_is_wrong, "%s", what);
}

static void count_locked(atomic_long *counter)
{
    enif_mutex_lock(lock);
    atomic_fetch_add(counter, 1);
    enif_mutex_unlock(lock);
}

static void destroy(ErlNifEnv *env, void *object) { count_locked(&destroyed); }

/* What has a monitor is kept until it ends. */
static void down(ErlNifEnv *env, void *place, ErlNifPid *pid, ErlNifMonitor *monitor)
{
    Object *object = place;
    /* It may end before the call that made it has returned, but not before the lock is given up. */
    enif_mutex_lock(lock);
    if (enif_compare_monitors(monitor, &object->monitor)) is_wrong("down of another monitor");
    enif_mutex_unlock(lock);
    count_locked(&ended);
    enif_release_resource(object);
}

static void stop(ErlNifEnv *env, void *object, ErlNifEvent event, int is_direct)
{
    count_locked(&stopped);
    close(event);
}

static void called(ErlNifEnv *env, void *object, void *data) { *(int *)data += 1; }

static int open_type(ErlNifEnv *env)
{
    ErlNifResourceTypeInit init = {.dtor = destroy, .down = down, .stop = stop, .dyncall = called, .members = 4};
    type = enif_init_resource_type(env, "object", &init, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, NULL);
    return type ? 0 : 1;
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
    if (!lock) lock = enif_mutex_create("natives");
    if (!rw_lock) rw_lock = enif_rwlock_create("natives");
    return open_type(env);
}

static int upgrade(ErlNifEnv *env, void **data, void **old, ERL_NIF_TERM info) { return open_type(env); }

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static unsigned below(uint64_t *state, unsigned limit) { return next(state) % limit; }

static ErlNifPid *some_pid(Play *play) { return &play->pids[below(&play->state, play->pid_count)]; }

static Object *new_object(void)
{
    Object *object = enif_alloc_resource(type, sizeof(Object));
    atomic_fetch_add(&made, 1);
    memset(object->bytes, 'o', sizeof object->bytes);
    object->fd = -1;
    return object;
}

static ERL_NIF_TERM make_binary(ErlNifEnv *env, uint64_t *state)
{
    static const unsigned sizes[] = {0, 1, 7, 63, 64, 65, 300, 5000};
    unsigned size = sizes[below(state, 8)];
    ERL_NIF_TERM term;
    ErlNifBinary binary;
    unsigned char *bytes;
    switch (below(state, 3)) {
    case 0:
        bytes = enif_make_new_binary(env, size, &term);
        memset(bytes, 'n', size);
        return term;
    case 1:
        if (!enif_alloc_binary(size, &binary)) return enif_make_int(env, 0);
        memset(binary.data, 'a', size);
        if (size && below(state, 2)) {
            enif_realloc_binary(&binary, size * 2);
            memset(binary.data, 'r', size * 2);
        }
        return enif_make_binary(env, &binary);
    default:
        bytes = enif_make_new_binary(env, size, &term);
        memset(bytes, 's', size);
        return enif_make_sub_binary(env, term, size / 3, size / 2);
    }
}

/* A term without references, pids and funs. */
static ERL_NIF_TERM make_term(ErlNifEnv *env, uint64_t *state, int depth)
{
    static const char *atoms[] = {"", "a", "ok", "an atom", "undefined", "longer_than_the_others"};
    ERL_NIF_TERM terms[8], list, other;
    unsigned count = below(state, 8);
    switch (below(state, depth > 0 ? 16 : 8)) {
    case 0: return enif_make_int(env, (int)next(state));
    case 1: return enif_make_int64(env, (ErlNifSInt64)next(state) >> 7 * count);
    case 2: return enif_make_uint64(env, next(state) >> 7 * count);
    case 3: return enif_make_double(env, (double)(int64_t)next(state) / 1024);
    case 4: return enif_make_atom(env, atoms[below(state, 6)]);
    case 5: return enif_make_string(env, atoms[below(state, 6)], ERL_NIF_LATIN1);
    case 6: return make_binary(env, state);
    case 7: return enif_make_list(env, 0);
    case 8: case 9:
        for (unsigned at = 0; at < count; at++) terms[at] = make_term(env, state, depth - 1);
        return enif_make_tuple_from_array(env, terms, count);
    case 10:
        for (unsigned at = 0; at < count; at++) terms[at] = make_term(env, state, depth - 1);
        list = enif_make_list_from_array(env, terms, count);
        if (below(state, 2)) enif_make_reverse_list(env, list, &list);
        return list;
    case 11:
        list = make_term(env, state, depth - 1);
        for (unsigned at = 0; at < count; at++) list = enif_make_list_cell(env, make_term(env, state, 0), list);
        return list;
    case 12: case 13:
        list = enif_make_new_map(env);
        for (unsigned at = 0; at < count; at++) {
            ERL_NIF_TERM key = make_term(env, state, 0), value = make_term(env, state, depth - 1);
            enif_make_map_put(env, list, key, value, &list);
            if (below(state, 4) == 0) enif_make_map_update(env, list, key, make_term(env, state, 0), &list);
            if (below(state, 4) == 0) enif_make_map_remove(env, list, key, &list);
        }
        return list;
    case 14:
        for (unsigned at = 0; at < 8; at++) terms[at] = enif_make_int(env, at);
        return enif_make_map_from_arrays(env, terms, terms, count, &list) ? list : enif_make_int(env, 0);
    default:
        other = make_term(env, state, depth - 1);
        return enif_make_copy(env, other);
    }
}

/* A number that depends on everything in a term. */
static uint64_t read_term(ErlNifEnv *env, ERL_NIF_TERM term)
{
    ErlNifSInt64 small;
    ErlNifUInt64 large;
    ErlNifBinary binary;
    ErlNifMapIterator iterator;
    const ERL_NIF_TERM *elements;
    ERL_NIF_TERM head, tail, key, value;
    double real;
    int arity;
    unsigned length;
    char text[256];
    uint64_t sum = enif_term_type(env, term) * 1000003ull;
    if (enif_get_int64(env, term, &small)) return sum + (uint64_t)small;
    if (enif_get_uint64(env, term, &large)) return sum + 3 * large;
    if (enif_get_double(env, term, &real)) return sum + (uint64_t)(int64_t)(real / 1e4);
    if (enif_get_atom(env, term, text, sizeof text, ERL_NIF_LATIN1)) {
        for (char *at = text; *at; at++) sum = sum * 31 + (unsigned char)*at;
        return sum;
    }
    if (enif_inspect_binary(env, term, &binary)) {
        for (size_t at = 0; at < binary.size; at++) sum = sum * 31 + binary.data[at];
        return sum + binary.size;
    }
    if (enif_get_tuple(env, term, &arity, &elements)) {
        for (int at = 0; at < arity; at++) sum = sum * 31 + read_term(env, elements[at]);
        return sum;
    }
    if (enif_is_map(env, term)) {
        enif_map_iterator_create(env, term, &iterator, ERL_NIF_MAP_ITERATOR_FIRST);
        while (enif_map_iterator_get_pair(env, &iterator, &key, &value)) {
            ERL_NIF_TERM found;
            if (!enif_get_map_value(env, term, key, &found) || !enif_is_identical(found, value))
                is_wrong("a map lacks one of its keys");
            sum += read_term(env, key) * 7 + read_term(env, value);
            enif_map_iterator_next(env, &iterator);
        }
        enif_map_iterator_destroy(env, &iterator);
        return sum;
    }
    if (enif_is_list(env, term)) {
        if (enif_get_list_length(env, term, &length)) sum += length;
        while (enif_get_list_cell(env, term, &head, &tail)) {
            sum = sum * 31 + read_term(env, head);
            term = tail;
        }
        return enif_is_empty_list(env, term) ? sum : sum + read_term(env, term);
    }
    is_wrong("a term of no kind");
    return sum;
}

/* Makes a term, copies it, sends it through the external format, and prints it. */
static uint64_t try_term(ErlNifEnv *env, uint64_t *state)
{
    char text[TEXT_BYTES];
    ErlNifBinary external;
    ErlNifEnv *own = enif_alloc_env();
    ERL_NIF_TERM term = make_term(env, state, DEPTH), copy = enif_make_copy(own, term), decoded;
    uint64_t sum = read_term(env, term);
    if (enif_compare(term, copy)) is_wrong("a copy differs");
    if (read_term(own, copy) != sum) is_wrong("a copy reads otherwise");
    if (enif_hash(ERL_NIF_INTERNAL_HASH, term, 5) != enif_hash(ERL_NIF_INTERNAL_HASH, copy, 5))
        is_wrong("the hash of a copy differs");
    if (enif_term_to_binary(env, term, &external)) {
        if (enif_binary_to_term(own, external.data, external.size, &decoded, below(state, 2) ? ERL_NIF_BIN2TERM_SAFE : 0)
                != external.size)
            is_wrong("not all is decoded");
        else if (enif_compare(decoded, term) || read_term(own, decoded) != sum)
            is_wrong("what is decoded differs");
        enif_release_binary(&external);
    } else {
        is_wrong("not encoded");
    }
    sum = sum * 31 + enif_hash(ERL_NIF_PHASH2, copy, 0);
    if (enif_snprintf(text, sizeof text, "%T", term) < 0) is_wrong("not printed");
    for (char *at = text; *at; at++) sum = sum * 31 + (unsigned char)*at;
    if (below(state, 3) == 0) enif_clear_env(own);
    enif_free_env(own);
    return sum;
}

static int is_from(uint64_t *state, unsigned one_of) { return below(state, one_of) == 0; }

/* One random call, or a few that belong together. `env` is none on a thread of the library. */
static void call(ErlNifEnv *env, Play *play)
{
    uint64_t *state = &play->state;
    ErlNifPid *pid = some_pid(play);
    int is_locked = is_from(state, 2), number = 0, ends[2];
    ErlNifEnv *own;
    Object *object;
    ERL_NIF_TERM term;
    unsigned what = below(state, 12);
    is_locked |= what == 3;
    if (what < 5 && is_locked) enif_mutex_lock(lock);
    switch (what) {
    case 0: case 1: /* A message built apart, which holds an object or not. */
        own = enif_alloc_env();
        term = make_term(own, state, 2);
        object = is_from(state, 3) ? new_object() : NULL;
        if (object) term = enif_make_list_cell(own, enif_make_resource(own, object), term);
        term = enif_make_tuple2(own, enif_make_atom(own, "said"), term);
        if (enif_send(env, pid, own, term)) atomic_fetch_add(&sent, 1);
        if (is_locked) enif_mutex_unlock(lock);
        if (object) enif_release_resource(object);
        enif_free_env(own);
        return;
    case 2: /* A message of terms of the caller. */
        if (!env) break;
        term = enif_make_tuple2(env, enif_make_atom(env, "said"), make_term(env, state, 2));
        if (enif_send(env, pid, NULL, term)) atomic_fetch_add(&sent, 1);
        break;
    case 3: /* A monitor, which is called off or not. */
        object = new_object();
        enif_keep_resource(object);
        if (enif_monitor_process(env, object, pid, &object->monitor) == 0) {
            atomic_fetch_add(&monitored, 1);
            if (is_from(state, 2) && enif_demonitor_process(env, object, &object->monitor) == 0) {
                atomic_fetch_add(&monitored, -1);
                number = 1;
            }
        } else {
            number = 1;
        }
        enif_mutex_unlock(lock);
        enif_release_resource(object);
        if (number) enif_release_resource(object);
        return;
    case 4:
        if (env && !enif_is_current_process_alive(env)) break;
        if (env) enif_is_process_alive(env, pid);
        break;
    case 5: /* An object that nobody gets, or the term of one. */
        object = new_object();
        own = enif_alloc_env();
        term = enif_make_resource(own, object);
        if (is_from(state, 2)) enif_make_resource_binary(own, object, object->bytes, sizeof object->bytes);
        if (enif_is_process_alive(env, pid) && env && enif_dynamic_resource_call(env, enif_make_atom(env,
                "native_library"), enif_make_atom(env, "object"), enif_make_copy(env, term), &number) == 0 && number != 1)
            is_wrong("an object is called more than once");
        if (is_from(state, 2)) {
            enif_release_resource(object);
            enif_free_env(own);
        } else {
            enif_clear_env(own);
            enif_release_resource(object);
            enif_free_env(own);
        }
        break;
    case 6: case 7: /* Events of a pipe; what is asked for may come or be called off. */
        if (!env || pipe(ends)) break;
        object = new_object();
        object->fd = ends[0];
        own = enif_alloc_env();
        atomic_fetch_add(&opened, 1);
        number = is_from(state, 2);
        term = make_term(number ? own : env, state, 2);
        term = enif_make_tuple2(number ? own : env, enif_make_atom(env, "event"), term);
        if (is_from(state, 2) && write(ends[1], "x", 1) != 1) is_wrong("a pipe is full");
        if (enif_select_read(env, ends[0], object, pid, term, number ? own : NULL) < 0)
            is_wrong("an event is refused");
        if (is_from(state, 2) && write(ends[1], "x", 1) != 1) is_wrong("a pipe is full");
        if (is_from(state, 3))
            enif_select(env, ends[0], ERL_NIF_SELECT_READ | ERL_NIF_SELECT_CANCEL, object, NULL, enif_make_int(env, 0));
        if (enif_select(env, ends[0], ERL_NIF_SELECT_STOP, object, NULL, enif_make_int(env, 0)) < 0)
            is_wrong("an end of events is refused");
        close(ends[1]);
        enif_release_resource(object);
        enif_free_env(own);
        break;
    case 8:
        if (is_from(state, 2)) enif_rwlock_rlock(rw_lock); else enif_rwlock_rwlock(rw_lock), number = 1;
        if (number) enif_rwlock_rwunlock(rw_lock); else enif_rwlock_runlock(rw_lock);
        break;
    case 9:
        if (env) enif_consume_timeslice(env, 1 + below(state, 100));
        enif_monotonic_time(ERL_NIF_USEC);
        break;
    case 10:
        own = enif_alloc_env();
        try_term(own, state);
        enif_free_env(own);
        break;
    default:
        if (env) try_term(env, state);
    }
    if (what < 5 && is_locked) enif_mutex_unlock(lock);
}

static int get_play(ErlNifEnv *env, const ERL_NIF_TERM argv[], Play *play)
{
    ErlNifUInt64 seed;
    ERL_NIF_TERM list = argv[2], head;
    play->pid_count = 0;
    if (!enif_get_uint64(env, argv[0], &seed) || !enif_get_uint(env, argv[1], &play->steps)) return 0;
    play->state = seed;
    while (play->pid_count < MOST_PIDS && enif_get_list_cell(env, list, &head, &list))
        if (!enif_get_local_pid(env, head, &play->pids[play->pid_count++])) return 0;
    return play->pid_count > 0;
}

FUNCTION(play);

/* Some go on in another kind of thread. */
FUNCTION(play)
{
    Play play_here;
    if (!get_play(env, argv, &play_here)) return enif_make_badarg(env);
    uint64_t choice = play_here.state;
    for (unsigned step = 0; step < play_here.steps; step++) call(env, &play_here);
    if (play_here.steps < 4 || !is_from(&choice, 3)) return enif_make_atom(env, "played");
    static const int flags[] = {0, ERL_NIF_DIRTY_JOB_CPU_BOUND, ERL_NIF_DIRTY_JOB_IO_BOUND};
    ERL_NIF_TERM arguments[] = {enif_make_uint64(env, play_here.state), enif_make_uint(env, play_here.steps / 2), argv[2]};
    return enif_schedule_nif(env, "play", flags[below(&choice, 3)], play, 3, arguments);
}

static void *play_apart(void *place)
{
    Play *play_here = place;
    for (unsigned step = 0; step < play_here->steps; step++) call(NULL, play_here);
    return NULL;
}

FUNCTION(play_thread)
{
    Play play_here;
    ErlNifTid thread;
    if (!get_play(env, argv, &play_here)) return enif_make_badarg(env);
    if (enif_thread_create("natives", &thread, play_apart, &play_here, NULL)) return enif_make_atom(env, "no_thread");
    enif_thread_join(thread, NULL);
    return enif_make_atom(env, "played");
}

FUNCTION(terms)
{
    ErlNifUInt64 state;
    uint64_t sum = 0;
    if (!enif_get_uint64(env, argv[0], &state)) return enif_make_badarg(env);
    for (int round = 0; round < 10; round++) sum = sum * 31 + try_term(env, &(uint64_t){state + round});
    return enif_make_uint64(env, sum);
}

/* What was made and is there no more, pair by pair; then what was sent, and what is wrong. */
FUNCTION(counts)
{
    return enif_make_tuple(env, 5, enif_make_long(env, atomic_load(&made) - atomic_load(&destroyed)),
                           enif_make_long(env, atomic_load(&monitored) - atomic_load(&ended)),
                           enif_make_long(env, atomic_load(&opened) - atomic_load(&stopped)),
                           enif_make_long(env, atomic_load(&sent)),
                           atomic_load(&wrong) ? enif_make_string(env, what_is_wrong, ERL_NIF_LATIN1)
                                               : enif_make_atom(env, "nothing"));
}

static ErlNifFunc functions[] = {
    {"play", 3, play},
    {"play_cpu", 3, play, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"play_io", 3, play, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"play_thread", 3, play_thread, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"terms", 1, terms},
    {"counts", 0, counts},
};

ERL_NIF_INIT(native_library, functions, load, NULL, upgrade, NULL)
