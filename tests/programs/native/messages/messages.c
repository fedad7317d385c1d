/* cc: -pthread */
/* Messages from calls and from threads of the library's own, names, ports, and what the machine tells about itself. */
#include <erl_nif.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FUNCTION(name) static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
#define YES_OR_NO(value) enif_make_atom(env, (value) ? "yes" : "no")

FUNCTION(send)
{
    ErlNifPid to;
    if (!enif_get_local_pid(env, argv[0], &to)) return enif_make_badarg(env);
    return YES_OR_NO(enif_send(env, &to, NULL, argv[1]));
}

/* Sends what is in an environment of its own, which is empty afterwards and used again. */
FUNCTION(send_own)
{
    ErlNifPid to;
    ErlNifEnv *own = enif_alloc_env();
    int sent = 0;
    if (!enif_get_local_pid(env, argv[0], &to)) return enif_make_badarg(env);
    for (int i = 0; i < 3; i++) {
        ERL_NIF_TERM message = enif_make_tuple2(own, enif_make_int(own, i), enif_make_copy(own, argv[1]));
        sent += enif_send(env, &to, own, message);
        enif_clear_env(own);
    }
    enif_free_env(own);
    return enif_make_int(env, sent);
}

/* A thread that sends a number of messages. */
typedef struct {
    ErlNifPid to;
    ErlNifTid thread;
    unsigned count;
    ErlNifMutex *lock;
    ErlNifCond *changed;
    int may_begin;
} Sender;

static void *send_many(void *place)
{
    Sender *sender = place;
    enif_mutex_lock(sender->lock);
    while (!sender->may_begin) enif_cond_wait(sender->changed, sender->lock);
    enif_mutex_unlock(sender->lock);
    ErlNifEnv *env = enif_alloc_env();
    for (unsigned i = 0; i < sender->count; i++) {
        ERL_NIF_TERM list = enif_make_list2(env, enif_make_uint(env, i), enif_make_string(env, "from afar", ERL_NIF_LATIN1));
        ERL_NIF_TERM bytes;
        memset(enif_make_new_binary(env, 100, &bytes), i, 100);
        enif_send(NULL, &sender->to, env, enif_make_tuple3(env, enif_make_atom(env, "thread"), list, bytes));
        enif_clear_env(env);
    }
    enif_free_env(env);
    if (enif_equal_tids(enif_thread_self(), sender->thread)) enif_thread_exit(sender);
    return NULL;
}

FUNCTION(thread)
{
    Sender sender = {.may_begin = 0};
    void *result = NULL;
    if (!enif_get_local_pid(env, argv[0], &sender.to) || !enif_get_uint(env, argv[1], &sender.count)) return enif_make_badarg(env);
    sender.lock = enif_mutex_create("lock of the sender");
    sender.changed = enif_cond_create("may begin");
    ErlNifThreadOpts *options = enif_thread_opts_create("options");
    options->suggested_stack_size = 64;
    if (enif_thread_create("sender", &sender.thread, send_many, &sender, options)) return enif_make_badarg(env);
    enif_thread_opts_destroy(options);
    enif_mutex_lock(sender.lock);
    sender.may_begin = 1;
    enif_cond_broadcast(sender.changed);
    enif_cond_signal(sender.changed);
    enif_mutex_unlock(sender.lock);
    ERL_NIF_TERM names = enif_make_list3(env, enif_make_string(env, enif_mutex_name(sender.lock), ERL_NIF_LATIN1),
        enif_make_string(env, enif_cond_name(sender.changed), ERL_NIF_LATIN1),
        enif_make_string(env, enif_thread_name(sender.thread), ERL_NIF_LATIN1));
    int joined = enif_thread_join(sender.thread, &result);
    int is_locked_twice = enif_mutex_trylock(sender.lock) == 0 && enif_mutex_trylock(sender.lock) != 0;
    enif_mutex_unlock(sender.lock);
    enif_mutex_destroy(sender.lock);
    enif_cond_destroy(sender.changed);
    return enif_make_tuple4(env, enif_make_int(env, joined), YES_OR_NO(result == &sender), YES_OR_NO(is_locked_twice), names);
}

/* Locks for readers and writers, and what a thread keeps. */
FUNCTION(locks)
{
    ErlNifRWLock *lock = enif_rwlock_create("readers");
    ErlNifTSDKey key;
    int value = 7;
    if (enif_tsd_key_create("key", &key)) return enif_make_badarg(env);
    int is_empty = enif_tsd_get(key) == NULL;
    enif_tsd_set(key, &value);
    int is_kept = enif_tsd_get(key) == &value;
    enif_tsd_set(key, NULL);
    enif_tsd_key_destroy(key);
    enif_rwlock_rlock(lock);
    int second_reader = enif_rwlock_tryrlock(lock) == 0, no_writer = enif_rwlock_tryrwlock(lock) != 0;
    enif_rwlock_runlock(lock);
    enif_rwlock_runlock(lock);
    enif_rwlock_rwlock(lock);
    enif_rwlock_rwunlock(lock);
    int writer = enif_rwlock_tryrwlock(lock) == 0;
    enif_rwlock_rwunlock(lock);
    ERL_NIF_TERM name = enif_make_string(env, enif_rwlock_name(lock), ERL_NIF_LATIN1);
    enif_rwlock_destroy(lock);
    return enif_make_tuple6(env, YES_OR_NO(is_empty), YES_OR_NO(is_kept), YES_OR_NO(second_reader), YES_OR_NO(no_writer),
                            YES_OR_NO(writer), name);
}

FUNCTION(who)
{
    ErlNifPid self, named, undefined;
    ErlNifPort port;
    enif_self(env, &self);
    enif_set_pid_undefined(&undefined);
    int is_there = enif_whereis_pid(env, argv[0], &named);
    int is_port = enif_whereis_port(env, argv[0], &port);
    return enif_make_tuple6(env, enif_make_pid(env, &self), is_there ? enif_make_pid(env, &named) : enif_make_atom(env, "none"),
        YES_OR_NO(is_port), YES_OR_NO(enif_is_pid_undefined(&undefined) && !enif_is_pid_undefined(&self)),
        YES_OR_NO(enif_is_current_process_alive(env)), enif_make_int(env, enif_thread_type()));
}

FUNCTION(alive)
{
    ErlNifPid pid;
    ErlNifPort port;
    int is_pid = enif_get_local_pid(env, argv[0], &pid), is_port = enif_get_local_port(env, argv[0], &port);
    return enif_make_tuple4(env, YES_OR_NO(is_pid), YES_OR_NO(is_port), YES_OR_NO(is_pid && enif_is_process_alive(env, &pid)),
                            YES_OR_NO(is_port && enif_is_port_alive(env, &port)));
}

FUNCTION(command)
{
    ErlNifPort port;
    if (!enif_get_local_port(env, argv[0], &port)) return enif_make_badarg(env);
    return YES_OR_NO(enif_port_command(env, &port, NULL, argv[1]));
}

/* Times and unique numbers, compared with each other. */
FUNCTION(times)
{
    ErlNifTime first = enif_monotonic_time(ERL_NIF_USEC), second = enif_monotonic_time(ERL_NIF_USEC);
    ErlNifTime offset = enif_time_offset(ERL_NIF_SEC);
    ERL_NIF_TERM numbers[4] = {enif_make_unique_integer(env, 0), enif_make_unique_integer(env, ERL_NIF_UNIQUE_POSITIVE),
        enif_make_unique_integer(env, ERL_NIF_UNIQUE_MONOTONIC), enif_make_unique_integer(env, ERL_NIF_UNIQUE_MONOTONIC)};
    return enif_make_tuple8(env, YES_OR_NO(first <= second), enif_make_int64(env, offset + enif_monotonic_time(ERL_NIF_SEC)),
        enif_now_time(env), enif_cpu_time(env),
        enif_make_int64(env, enif_convert_time_unit(1500, ERL_NIF_MSEC, ERL_NIF_SEC)),
        enif_make_int64(env, enif_convert_time_unit(-1, ERL_NIF_MSEC, ERL_NIF_SEC)),
        YES_OR_NO(enif_monotonic_time(99) == ERL_NIF_TIME_ERROR),
        enif_make_list_from_array(env, numbers, 4));
}

FUNCTION(about)
{
    ErlNifSysInfo info;
    char value[10];
    size_t size = sizeof value, small = 2;
    enif_system_info(&info, sizeof info);
    /* The size that is needed is not looked at: stock does not say it, though it is documented. */
    int missing = enif_getenv("NO_SUCH_NAME", value, &small), cut = enif_getenv("A_NAME_OF_THIS", value, &small),
        found = enif_getenv("A_NAME_OF_THIS", value, &size);
    return enif_make_tuple8(env, enif_make_int(env, info.driver_major_version), enif_make_int(env, info.nif_major_version),
        enif_make_int(env, info.nif_minor_version), YES_OR_NO(info.smp_support), YES_OR_NO(info.dirty_scheduler_support),
        enif_make_string(env, info.otp_release, ERL_NIF_LATIN1),
        enif_make_int(env, info.scheduler_threads), enif_make_tuple4(env, enif_make_int(env, found), enif_make_int(env, cut),
            enif_make_ulong(env, size), enif_make_int(env, missing)));
}

FUNCTION(memory)
{
    char *place = enif_alloc(100);
    strcpy(place, "kept");
    place = enif_realloc(place, 100000);
    ERL_NIF_TERM text = enif_make_string(env, place, ERL_NIF_LATIN1);
    enif_free(place);
    return text;
}

static int print_to(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = enif_vfprintf(file, format, arguments);
    va_end(arguments);
    return count;
}

static int print_into(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = enif_vsnprintf(buffer, size, format, arguments);
    va_end(arguments);
    return count;
}

/* Texts with a term, to a file that is read again, and to a buffer. */
FUNCTION(print)
{
    char buffer[200], of_file[200] = "";
    FILE *file = tmpfile();
    int one = enif_fprintf(file, "%d: %T;", 1, argv[0]), two = print_to(file, "%s: %T.", "two", argv[0]);
    int three = print_into(buffer, sizeof buffer, "%x: %T", 255, argv[0]);
    rewind(file);
    size_t count = fread(of_file, 1, sizeof of_file - 1, file);
    fclose(file);
    of_file[count] = 0;
    return enif_make_tuple5(env, enif_make_int(env, one), enif_make_int(env, two), enif_make_int(env, three),
                            enif_make_string(env, of_file, ERL_NIF_LATIN1), enif_make_string(env, buffer, ERL_NIF_LATIN1));
}

ErlNifEntry *nif_init(void);

static void failed(void *count, const char *why)
{
    if (why && *why) ++*(int *)count;
}

/* The entry of this library, found by its name, and what is not there. */
FUNCTION(dynamic)
{
    int failures = 0;
    char path[1000];
    if (enif_get_string(env, argv[0], path, sizeof path, ERL_NIF_LATIN1) <= 0) return enif_make_badarg(env);
    void *library = enif_dlopen(path, failed, &failures);
    void *missing = enif_dlopen("/no/such/library", failed, &failures);
    void *entry = library ? enif_dlsym(library, "nif_init", failed, &failures) : NULL;
    void *nothing = library ? enif_dlsym(library, "no_such_function_at_all", failed, &failures) : NULL;
    return enif_make_tuple4(env, YES_OR_NO(entry == (void *)nif_init), YES_OR_NO(missing), YES_OR_NO(nothing),
                            enif_make_int(env, failures));
}

FUNCTION(reference)
{
    return enif_make_tuple2(env, enif_make_ref(env), enif_make_ref(env));
}

static ErlNifFunc functions[] = {
    {"send", 2, send}, {"send_own", 2, send_own}, {"thread", 2, thread}, {"thread_dirty", 2, thread, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"locks", 0, locks}, {"who", 1, who}, {"who_dirty", 1, who, ERL_NIF_DIRTY_JOB_CPU_BOUND}, {"alive", 1, alive},
    {"command", 2, command}, {"times", 0, times}, {"system", 0, about}, {"memory", 0, memory},
    {"print", 1, print}, {"dynamic", 1, dynamic}, {"reference", 0, reference},
};

ERL_NIF_INIT(messages, functions, NULL, NULL, NULL, NULL)
