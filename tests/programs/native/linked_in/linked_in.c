/* cc: -pthread -Wno-deprecated-declarations */
/* A driver that calls the functions of erl_driver.h, one family for each operation of port_control, which returns what they
 * returned as text. Of descriptors and results only what is the same everywhere is shown. */
#include <erl_driver.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    ErlDrvPort port;
    ErlDrvPDL pdl;
    ErlDrvMonitor monitor;
    ErlDrvTermData gone;
    int pipe[2];
} Data;

#define NO_PORT ((ErlDrvPort)-1)
#define NO_SIZE ((ErlDrvSizeT)-1)

/* The program has one operation going at a time, and only operations write here. */
static char text[4096];
static size_t length;

static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
}

static ErlDrvEntry entry, other_entry;
static int other_inits;

/* What was returned to a port that had ended. */
static int after_end[4];

static ErlDrvData start(ErlDrvPort port, char *command)
{
    if (strstr(command, "general"))
        return ERL_DRV_ERROR_GENERAL;
    if (strstr(command, "badarg"))
        return ERL_DRV_ERROR_BADARG;
    if (strstr(command, "errno")) {
        errno = ENOSPC;
        return ERL_DRV_ERROR_ERRNO;
    }
    Data *data = driver_alloc(sizeof *data);
    memset(data, 0, sizeof *data);
    data->port = port;
    data->pipe[0] = -1;
    return (ErlDrvData)data;
}

static void stop_select(ErlDrvEvent event, void *reserved)
{
    close((int)(long)event);
}

static void stop(ErlDrvData given)
{
    Data *data = (Data *)given;
    if (data->pipe[0] >= 0)
        driver_select(data->port, (ErlDrvEvent)(long)data->pipe[0], ERL_DRV_READ | ERL_DRV_USE, 0);
    driver_free(data);
}

static void atom_message(Data *data, char *name)
{
    ErlDrvTermData words[] = {ERL_DRV_PORT, driver_mk_port(data->port), ERL_DRV_ATOM, driver_mk_atom(name), ERL_DRV_TUPLE, 2};
    erl_drv_output_term(driver_mk_port(data->port), words, 6);
}

static void outputv(ErlDrvData given, ErlIOVec *vector)
{
    Data *data = (Data *)given;
    char room[8];
    length = 0;
    say("%d %d", (int)vector->size, (int)driver_vec_to_buf(vector, room, sizeof room));
    say(" %d", driver_enqv(data->port, vector, 0));
    say(" %d", driver_pushqv(data->port, vector, 0));
    say(" %d", driver_outputv(NO_PORT, "head", 4, vector, 0));
    /* Last, because it may change the vector. */
    say(" %d", driver_outputv(data->port, "head", 4, vector, vector->size > 1));
}

static void ready_input(ErlDrvData given, ErlDrvEvent event)
{
    Data *data = (Data *)given;
    char byte;
    if (read((int)(long)event, &byte, 1) == 1)
        driver_output(data->port, &byte, 1);
    else
        driver_select(data->port, event, ERL_DRV_READ, 0);
}

static void timeout(ErlDrvData given)
{
    atom_message((Data *)given, "timeout");
}

static void work(void *given)
{
    *(int *)given += 1;
}

static void ready_async(ErlDrvData given, ErlDrvThreadData result)
{
    char byte = '0' + *(int *)result;
    driver_output(((Data *)given)->port, &byte, 1);
    driver_free(result);
}

static void process_exit(ErlDrvData given, ErlDrvMonitor *monitor)
{
    Data *data = (Data *)given;
    atom_message(data, driver_compare_monitors(monitor, &data->monitor) == 0 ? "down" : "other");
}

static void binaries(void)
{
    ErlDrvBinary *binary = driver_alloc_binary(10);
    say("%ld %ld", binary->orig_size, driver_binary_get_refc(binary));
    say(" %ld", driver_binary_inc_refc(binary));
    say(" %ld", driver_binary_dec_refc(binary));
    memset(binary->orig_bytes, 'x', 10);
    binary = driver_realloc_binary(binary, 1000);
    say(" %ld %.10s", binary->orig_size, binary->orig_bytes);
    driver_free_binary(binary);
    driver_free_binary(NULL);
    binary = driver_realloc_binary(NULL, 5);
    say(" %ld", binary->orig_size);
    driver_free_binary(binary);
    volatile ErlDrvSizeT too_large = NO_SIZE / 2;
    say(" %d", driver_alloc_binary(too_large) == NULL);
    char *memory = driver_realloc(driver_alloc(1), 100);
    memory = driver_realloc(memory, 10);
    driver_free(memory);
    driver_free(NULL);
    say(" %d", driver_alloc(too_large) == NULL);
}

static void output(Data *data)
{
    ErlDrvBinary *binary = driver_alloc_binary(100);
    memset(binary->orig_bytes, 'b', 100);
    say("%d", driver_output(data->port, "one", 3));
    say(" %d", driver_output(data->port, "", 0));
    say(" %d", driver_output2(data->port, "head", 4, "tail", 4));
    say(" %d", driver_output2(data->port, "head", 4, NULL, 0));
    say(" %d", driver_output_binary(data->port, "head", 4, binary, 90, 10));
    say(" %d", driver_output_binary(data->port, NULL, 0, binary, 0, 100));
    driver_free_binary(binary);
}

static void queues(Data *data)
{
    ErlDrvBinary *binary = driver_alloc_binary(4);
    memcpy(binary->orig_bytes, "wxyz", 4);
    SysIOVec *parts;
    ErlIOVec vector;
    int count;
    parts = driver_peekq(data->port, &count);
    say("%d %d", count, parts == NULL);
    say(" %d", (int)driver_peekqv(data->port, &vector));
    say(" %d", (int)driver_deq(data->port, 1));
    say(" %d %d", driver_enq(data->port, "abc", 3), driver_pushq(data->port, "12", 2));
    say(" %d %d", driver_enq(data->port, "", 0), driver_pushq_bin(data->port, binary, 0, 0));
    say(" %d %d", driver_enq_bin(data->port, binary, 1, 3), driver_pushq_bin(data->port, binary, 0, 1));
    parts = driver_peekq(data->port, &count);
    say(" [");
    for (int index = 0; index < count; index++)
        say("%.*s", (int)parts[index].iov_len, (char *)parts[index].iov_base);
    say("] %d", (int)driver_sizeq(data->port));
    say(" %d", (int)driver_peekqv(data->port, &vector));
    say(" %d %d", vector.vsize, (int)vector.size);
    say(" %d", (int)driver_deq(data->port, 2));
    say(" %d", (int)driver_deq(data->port, 100));
    say(" %d", (int)driver_deq(data->port, driver_sizeq(data->port)));
    driver_free_binary(binary);
}

static int try_words(Data *data, ErlDrvTermData *words, size_t size)
{
    return erl_drv_output_term(driver_mk_port(data->port), words, size / sizeof *words);
}

#define TRY(...)                                             \
    do {                                                     \
        ErlDrvTermData words_[] = {__VA_ARGS__};             \
        say(" %d", try_words(data, words_, sizeof words_));  \
    } while (0)

static void terms(Data *data)
{
    ErlDrvBinary *binary = driver_alloc_binary(100);
    memset(binary->orig_bytes, 't', 100);
    double number = 1.5;
    ErlDrvSInt64 low = -5000000000;
    ErlDrvUInt64 high = 18446744073709551615u;
    unsigned char external[] = {131, 104, 2, 97, 1, 97, 2};
    ErlDrvTermData words[] = {
        ERL_DRV_NIL,
        ERL_DRV_ATOM, driver_mk_atom("an atom"),
        ERL_DRV_INT, (ErlDrvTermData)-7,
        ERL_DRV_UINT, 7,
        ERL_DRV_INT64, (ErlDrvTermData)&low,
        ERL_DRV_UINT64, (ErlDrvTermData)&high,
        ERL_DRV_FLOAT, (ErlDrvTermData)&number,
        ERL_DRV_BINARY, (ErlDrvTermData)binary, 90, 5,
        ERL_DRV_BINARY, (ErlDrvTermData)binary, 3, 0,
        ERL_DRV_BUF2BINARY, (ErlDrvTermData)"bytes", 5,
        ERL_DRV_STRING, (ErlDrvTermData)"text", 4,
        ERL_DRV_NIL, ERL_DRV_STRING_CONS, (ErlDrvTermData)"cons", 4,
        ERL_DRV_EXT2TERM, (ErlDrvTermData)external, sizeof external,
        ERL_DRV_ATOM, driver_mk_atom("key"), ERL_DRV_INT, 1, ERL_DRV_MAP, 1,
        ERL_DRV_INT, 1, ERL_DRV_INT, 2, ERL_DRV_NIL, ERL_DRV_LIST, 3,
        ERL_DRV_TUPLE, 0,
        ERL_DRV_TUPLE, 16,
    };
    int count = sizeof words / sizeof *words;
    say("%d", driver_output_term(data->port, words, count));
    say(" %d", driver_send_term(data->port, driver_caller(data->port), words, count));
    say(" %d", erl_drv_send_term(driver_mk_port(data->port), driver_connected(data->port), words, count));
    ErlDrvTermData identifiers[] = {ERL_DRV_PORT, driver_mk_port(data->port), ERL_DRV_PID, driver_connected(data->port), ERL_DRV_TUPLE, 2};
    say(" %d", driver_output_term(data->port, identifiers, 6));
    /* To nobody. */
    say(" %d", erl_drv_send_term(driver_mk_port(data->port), driver_mk_atom("name"), words, count));
    say(" %d", driver_mk_term_nil() == driver_term_nil);
    driver_free_binary(binary);
}

static void bad_terms(Data *data)
{
    ErlDrvBinary *binary = driver_alloc_binary(10);
    double infinite = 1e300;
    infinite *= infinite;
    unsigned char unfinished[] = {131, 104, 2, 97, 1};
    say("%d", erl_drv_output_term(driver_mk_port(data->port), NULL, 0));
    TRY(99);
    TRY(ERL_DRV_NIL, ERL_DRV_NIL);
    TRY(ERL_DRV_TUPLE, 3);
    TRY(ERL_DRV_LIST, 0);
    TRY(ERL_DRV_LIST, 1);
    TRY(ERL_DRV_STRING_CONS, (ErlDrvTermData)"cons", 4);
    TRY(ERL_DRV_INT);
    TRY(ERL_DRV_BINARY, (ErlDrvTermData)binary, 5);
    TRY(ERL_DRV_BINARY, (ErlDrvTermData)binary, 5, 6);
    TRY(ERL_DRV_BINARY, 0, 0, 0);
    TRY(ERL_DRV_STRING, 0, 0);
    TRY(ERL_DRV_BUF2BINARY, 0, 1);
    TRY(ERL_DRV_ATOM, driver_mk_port(data->port));
    TRY(ERL_DRV_PORT, driver_connected(data->port));
    TRY(ERL_DRV_PID, driver_mk_port(data->port));
    TRY(ERL_DRV_FLOAT, (ErlDrvTermData)&infinite);
    TRY(ERL_DRV_EXT2TERM, (ErlDrvTermData)unfinished, sizeof unfinished);
    TRY(ERL_DRV_EXT2TERM, (ErlDrvTermData)unfinished, 0);
    TRY(ERL_DRV_INT, 1, ERL_DRV_INT, 1, ERL_DRV_INT, 1, ERL_DRV_INT, 2, ERL_DRV_MAP, 2);
    TRY(ERL_DRV_INT, 1, ERL_DRV_MAP, 1);
    /* These are good. */
    TRY(ERL_DRV_BUF2BINARY, 0, 0);
    TRY(ERL_DRV_STRING, (ErlDrvTermData)"", 0);
    TRY(ERL_DRV_INT, 1, ERL_DRV_LIST, 1);
    driver_free_binary(binary);
}

static void ports(Data *data)
{
    ErlDrvSizeT low = 0, high = 0;
    erl_drv_busy_msgq_limits(data->port, &low, &high);
    say("%d %d %d", get_port_flags(data->port), (int)low, (int)high);
    low = 100, high = 50;
    erl_drv_busy_msgq_limits(data->port, &low, &high);
    say(" %d %d", (int)low, (int)high);
    low = 70;
    erl_drv_busy_msgq_limits(data->port, &low, NULL);
    low = high = 0;
    erl_drv_busy_msgq_limits(data->port, &low, &high);
    say(" %d %d", (int)low, (int)high);
    say(" %d", driver_caller(data->port) == driver_connected(data->port));
    say(" %d%d", erl_drv_consume_timeslice(data->port, 1), erl_drv_consume_timeslice(data->port, 100));
    Data *own = driver_alloc(sizeof *own);
    memset(own, 0, sizeof *own);
    own->pipe[0] = -1;
    own->port = driver_create_port(data->port, driver_caller(data->port), "made", (ErlDrvData)own);
    say(" %d", own->port != NO_PORT);
    erl_drv_set_os_pid(data->port, 12345);
    say(" %d", null_func());
}

static void locks(void)
{
    ErlDrvMutex *mutex = erl_drv_mutex_create("mutex");
    ErlDrvRWLock *lock = erl_drv_rwlock_create("lock");
    ErlDrvCond *condition = erl_drv_cond_create("condition");
    ErlDrvTSDKey key;
    erl_drv_mutex_lock(mutex);
    say("%s %s %s %d", erl_drv_mutex_name(mutex), erl_drv_rwlock_name(lock), erl_drv_cond_name(condition),
        erl_drv_mutex_trylock(mutex) == EBUSY);
    erl_drv_mutex_unlock(mutex);
    say(" %d", erl_drv_mutex_trylock(mutex));
    erl_drv_mutex_unlock(mutex);
    erl_drv_rwlock_rlock(lock);
    say(" %d", erl_drv_rwlock_tryrwlock(lock) == EBUSY);
    erl_drv_rwlock_runlock(lock);
    erl_drv_rwlock_rwlock(lock);
    say(" %d", erl_drv_rwlock_tryrlock(lock) == EBUSY);
    erl_drv_rwlock_rwunlock(lock);
    say(" %d", erl_drv_rwlock_tryrlock(lock));
    erl_drv_rwlock_runlock(lock);
    erl_drv_cond_signal(condition);
    erl_drv_cond_broadcast(condition);
    say(" %d", erl_drv_tsd_key_create("key", &key));
    say(" %d", erl_drv_tsd_get(key) == NULL);
    erl_drv_tsd_set(key, &key);
    say(" %d", erl_drv_tsd_get(key) == &key);
    erl_drv_tsd_set(key, NULL);
    erl_drv_tsd_key_destroy(key);
    erl_drv_cond_destroy(condition);
    erl_drv_rwlock_destroy(lock);
    erl_drv_mutex_destroy(mutex);
}

/* What the two threads share. */
typedef struct {
    ErlDrvMutex *mutex;
    ErlDrvCond *condition;
    ErlDrvTermData port, to;
    int sent, told, is_other;
    ErlDrvTid starter;
} Shared;

static void *send_from_thread(void *given)
{
    Shared *shared = given;
    ErlDrvTermData words[] = {ERL_DRV_INT, 42}, bad[] = {ERL_DRV_INT};
    shared->is_other = !erl_drv_equal_tids(shared->starter, erl_drv_thread_self());
    shared->told = erl_drv_output_term(shared->port, words, 2);
    shared->sent = erl_drv_send_term(shared->port, shared->to, words, 2) * 10 + erl_drv_send_term(shared->port, shared->to, bad, 1);
    erl_drv_mutex_lock(shared->mutex);
    shared->to = 0;
    erl_drv_cond_signal(shared->condition);
    erl_drv_mutex_unlock(shared->mutex);
    erl_drv_thread_exit(given);
    return NULL;
}

static void threads(Data *data)
{
    Shared shared = {
        erl_drv_mutex_create("shared"), erl_drv_cond_create("shared"), driver_mk_port(data->port), driver_caller(data->port),
        .starter = erl_drv_thread_self(),
    };
    ErlDrvThreadOpts *options = erl_drv_thread_opts_create("options");
    ErlDrvTid thread;
    void *result;
    options->suggested_stack_size = 64;
    say("%d", erl_drv_thread_create("thread", &thread, send_from_thread, &shared, options));
    say(" %s %d", erl_drv_thread_name(thread), erl_drv_equal_tids(thread, erl_drv_thread_self()));
    erl_drv_mutex_lock(shared.mutex);
    while (shared.to != 0)
        erl_drv_cond_wait(shared.condition, shared.mutex);
    erl_drv_mutex_unlock(shared.mutex);
    say(" %d", erl_drv_thread_join(thread, &result));
    say(" %d %d %d %d", result == &shared, shared.is_other, shared.told, shared.sent);
    erl_drv_thread_opts_destroy(options);
    erl_drv_cond_destroy(shared.condition);
    erl_drv_mutex_destroy(shared.mutex);
}

static void system_facts(void)
{
    ErlDrvSysInfo info;
    ErlDrvNowData now;
    char room[8];
    size_t size = sizeof room;
    driver_system_info(&info, sizeof info);
    say("%d %d %s %d %d", info.driver_major_version, info.driver_minor_version, info.otp_release, info.thread_support,
        info.smp_support);
    say(" %d", driver_get_now(&now));
    say(" %d %d", now.megasecs > 1000, driver_get_now(NULL));
    say(" %d", erl_drv_monotonic_time(ERL_DRV_USEC) <= erl_drv_monotonic_time(ERL_DRV_USEC));
    say(" %d", erl_drv_monotonic_time(77) == ERL_DRV_TIME_ERROR);
    say(" %d", erl_drv_time_offset(ERL_DRV_SEC) > 1000000);
    say(" %d", erl_drv_time_offset(77) == ERL_DRV_TIME_ERROR);
    say(" %d", (int)erl_drv_convert_time_unit(5, ERL_DRV_SEC, ERL_DRV_MSEC));
    say(" %d", (int)erl_drv_convert_time_unit(-1, ERL_DRV_MSEC, ERL_DRV_SEC));
    say(" %d", erl_drv_convert_time_unit(5, 77, ERL_DRV_MSEC) == ERL_DRV_TIME_ERROR);
    say(" %d", erl_drv_putenv("A_LINKED_IN_NAME", "value"));
    say(" %d", erl_drv_getenv("A_LINKED_IN_NAME", room, &size));
    say(" %s %d", room, (int)size);
    size = 2;
    /* The documented size is not what stock stores then. */
    say(" %d", erl_drv_getenv("A_LINKED_IN_NAME", room, &size));
    say(" %d", erl_drv_getenv("NO_SUCH_LINKED_IN_NAME", room, &size));
    say(" %s %s %s", erl_errno_id(ENOENT), erl_errno_id(EACCES), erl_errno_id(98765));
}

/* The name of the driver's own library, without the suffix. */
static void libraries(char *name, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%.*s", (int)size, name);
    void *handle = driver_dl_open(path);
    say("%d", handle != NULL);
    if (handle == NULL)
        return;
    say(" %d", driver_dl_sym(handle, "driver_init") != NULL);
    say(" %d", driver_dl_sym(handle, "no_such_function") == NULL);
    say(" %d", driver_dl_error() != NULL);
    say(" %d", driver_dl_close(handle));
    say(" %d", driver_dl_open("/no/such/library") == NULL);
    say(" %d", driver_dl_error() != NULL);
}

static void data_lock(Data *data)
{
    data->pdl = driver_pdl_create(data->port);
    say("%d %ld", driver_pdl_create(data->port) == NULL, driver_pdl_get_refc(data->pdl));
    say(" %ld", driver_pdl_inc_refc(data->pdl));
    driver_pdl_lock(data->pdl);
    say(" %ld", driver_pdl_get_refc(data->pdl));
    driver_pdl_unlock(data->pdl);
    say(" %ld", driver_pdl_dec_refc(data->pdl));
}

static void monitors(Data *data)
{
    ErlDrvMonitor other;
    ErlDrvTermData caller = driver_caller(data->port);
    data->gone = caller;
    say("%d %d", driver_monitor_process(data->port, caller, &other), driver_monitor_process(data->port, caller, &data->monitor));
    say(" %d", driver_compare_monitors(&other, &data->monitor) != 0);
    say(" %d", driver_compare_monitors(&other, &other));
    say(" %d", driver_get_monitored_process(data->port, &other) == caller);
    say(" %d", driver_demonitor_process(data->port, &other));
    say(" %d", driver_demonitor_process(data->port, &other) > 0);
    say(" %d", driver_get_monitored_process(data->port, &other) == driver_term_nil);
}

/* With a process that has ended. */
static void nobody(Data *data)
{
    ErlDrvMonitor monitor;
    ErlDrvTermData words[] = {ERL_DRV_NIL};
    say("%d", driver_monitor_process(data->port, data->gone, &monitor));
    say(" %d %d", driver_send_term(data->port, data->gone, words, 1), erl_drv_send_term(driver_mk_port(data->port), data->gone, words, 1));
    say(" %d", driver_demonitor_process(data->port, &data->monitor));
    say(" %d", driver_get_monitored_process(data->port, &data->monitor) == driver_term_nil);
}

static void times(Data *data)
{
    unsigned long left;
    say("%d", driver_read_timer(data->port, &left));
    say(" %d %d", (int)left, driver_set_timer(data->port, 1000000));
    say(" %d", driver_read_timer(data->port, &left));
    say(" %d", left > 900000 && left <= 1000000);
    say(" %d %d", driver_cancel_timer(data->port), driver_cancel_timer(data->port));
    say(" %d", driver_set_timer(data->port, 1));
}

static void asynchronous(Data *data)
{
    unsigned key = driver_async_port_key(data->port);
    for (int number = 0; number < 5; number++) {
        int *given = driver_alloc(sizeof *given);
        *given = number;
        say("%d", driver_async(data->port, &key, work, given, driver_free) >= 0);
    }
}

static void descriptors(Data *data)
{
    say("%d", pipe(data->pipe));
    say(" %d", driver_select(data->port, (ErlDrvEvent)(long)data->pipe[0], ERL_DRV_READ | ERL_DRV_USE, 1));
    say(" %d", driver_select(data->port, (ErlDrvEvent)(long)-1, ERL_DRV_READ | ERL_DRV_USE, 1));
    say(" %d", driver_select(data->port, (ErlDrvEvent)(long)1000000, ERL_DRV_READ | ERL_DRV_USE, 1));
    say(" %d", (int)write(data->pipe[1], "xyz", 3));
    close(data->pipe[1]);
}

/* What functions return for a port that is none. */
static void no_port(Data *data)
{
    ErlDrvBinary *binary = driver_alloc_binary(4);
    ErlDrvMonitor monitor = data->monitor;
    ErlDrvSizeT low = 0, high = 0;
    ErlDrvTermData words[] = {ERL_DRV_NIL};
    ErlIOVec vector;
    unsigned long left = 7;
    int count = 7;
    say("%d %d", driver_output(NO_PORT, "x", 1), driver_output2(NO_PORT, "x", 1, "y", 1));
    say(" %d", driver_output_binary(NO_PORT, "x", 1, binary, 0, 4));
    say(" %d %d", driver_output_term(NO_PORT, words, 1), driver_send_term(NO_PORT, driver_caller(data->port), words, 1));
    say(" %d", erl_drv_output_term(driver_term_nil, words, 1));
    say(" %d", erl_drv_send_term(driver_term_nil, driver_caller(data->port), words, 1));
    say(" %d %d", driver_enq(NO_PORT, "x", 1), driver_pushq(NO_PORT, "x", 1));
    say(" %d %d", driver_enq_bin(NO_PORT, binary, 0, 4), driver_pushq_bin(NO_PORT, binary, 0, 4));
    say(" %d %d %d", driver_enq(NO_PORT, "x", 0), (int)driver_deq(NO_PORT, 1), (int)driver_sizeq(NO_PORT));
    say(" %d", driver_peekq(NO_PORT, &count) == NULL);
    say(" %d %d", count, (int)driver_peekqv(NO_PORT, &vector));
    say(" %d %d", driver_set_timer(NO_PORT, 1), driver_cancel_timer(NO_PORT));
    say(" %d %d", driver_read_timer(NO_PORT, &left), (int)left);
    say(" %d", driver_select(NO_PORT, 0, ERL_DRV_READ, 1));
    say(" %d %d", driver_failure(NO_PORT, 1), driver_failure_eof(NO_PORT));
    say(" %d %d", driver_failure_atom(NO_PORT, "reason"), driver_failure_posix(NO_PORT, ENOENT));
    say(" %d %d", driver_exit(NO_PORT, 0), driver_lock_driver(NO_PORT));
    say(" %d", driver_pdl_create(NO_PORT) == NULL);
    say(" %d", driver_monitor_process(NO_PORT, driver_caller(data->port), &monitor));
    say(" %d", driver_demonitor_process(NO_PORT, &monitor));
    say(" %d", driver_get_monitored_process(NO_PORT, &monitor) == driver_term_nil);
    say(" %d", driver_mk_port(NO_PORT) == driver_term_nil);
    say(" %d", driver_connected(NO_PORT) == driver_term_nil);
    say(" %d", driver_caller(NO_PORT) == driver_term_nil);
    say(" %d", driver_create_port(NO_PORT, driver_caller(data->port), "none", NULL) == NO_PORT);
    say(" %ld %u", driver_async(NO_PORT, NULL, work, NULL, NULL), driver_async_port_key(NO_PORT));
    say(" %d %d", get_port_flags(NO_PORT), erl_drv_consume_timeslice(NO_PORT, 1));
    set_busy_port(NO_PORT, 1);
    set_port_control_flags(NO_PORT, PORT_CONTROL_FLAG_BINARY);
    erl_drv_set_os_pid(NO_PORT, 1);
    erl_drv_busy_msgq_limits(NO_PORT, &low, &high);
    say(" %d %d", low == ERL_DRV_BUSY_MSGQ_DISABLED, high == ERL_DRV_BUSY_MSGQ_DISABLED);
    driver_free_binary(binary);
}

/* Ends the port in the middle of a call. Stock has stopped the driver then, so its data is not there any more. */
static void end(ErlDrvPort port)
{
    after_end[0] = driver_failure_atom(port, "first reason");
    after_end[1] = driver_output(port, "x", 1);
    after_end[2] = driver_failure_atom(port, "second reason");
    after_end[3] = (int)driver_sizeq(port);
}

static int other_init(void)
{
    other_inits++;
    return 0;
}

static ErlDrvData other_start(ErlDrvPort port, char *command)
{
    return (ErlDrvData)port;
}

static void other_output(ErlDrvData given, char *bytes, ErlDrvSizeT size)
{
    driver_output((ErlDrvPort)given, bytes, size);
}

static ErlDrvEntry other_entry = {
    .init = other_init, .start = other_start, .output = other_output, .driver_name = "linked_in_too",
    .extended_marker = ERL_DRV_EXTENDED_MARKER, .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
};

static ErlDrvSSizeT control(ErlDrvData given, unsigned operation, char *bytes, ErlDrvSizeT size, char **result, ErlDrvSizeT room)
{
    Data *data = (Data *)given;
    if (operation != 20)
        length = 0;
    switch (operation) {
    case 1: binaries(); break;
    case 2: output(data); break;
    case 3: queues(data); break;
    case 4: terms(data); break;
    case 5: ports(data); break;
    case 6: locks(); break;
    case 7: threads(data); break;
    case 8: system_facts(); break;
    case 9: data_lock(data); break;
    case 10: monitors(data); break;
    case 11: times(data); break;
    case 12: asynchronous(data); break;
    case 13: descriptors(data); break;
    case 14: set_busy_port(data->port, size > 0); break;
    case 15: set_port_control_flags(data->port, PORT_CONTROL_FLAG_BINARY); break;
    case 16:
        say("%d", driver_select(data->port, (ErlDrvEvent)(long)data->pipe[0], ERL_DRV_READ | ERL_DRV_USE, 0));
        data->pipe[0] = -1;
        break;
    case 17: bad_terms(data); break;
    case 18: no_port(data); break;
    case 19: nobody(data); break;
    case 20: break;
    case 21: driver_deq(data->port, driver_sizeq(data->port)); break;
    case 22: libraries(bytes, size); break;
    case 23: say("%d", driver_lock_driver(data->port)); break;
    case 24: say("%d", remove_driver_entry(&entry)); add_driver_entry(&other_entry); say(" %d", other_inits); break;
    case 25: say("%d", remove_driver_entry(&other_entry)); say(" %d", remove_driver_entry(&other_entry)); break;
    case 26: say("%d %d %d %d", after_end[0], after_end[1], after_end[2], after_end[3]); break;
    case 27: usleep(400000); set_busy_port(data->port, 1); break;
    case 30: driver_failure(data->port, 7); return 0;
    case 31: driver_failure_atom(data->port, "a reason"); return 0;
    case 32: driver_failure_posix(data->port, ENOSPC); return 0;
    case 33: driver_failure_eof(data->port); return 0;
    case 34: driver_exit(data->port, ENOSPC); return 0;
    case 35: driver_exit(data->port, 0); return 0;
    case 36: driver_failure(data->port, 0); return 0;
    case 37: driver_failure(data->port, -3); return 0;
    case 38: end(data->port); return 0;
    case 40: *result = NULL; return 0;
    case 41: {
        ErlDrvBinary *binary = driver_alloc_binary(300);
        memset(binary->orig_bytes, 'r', 300);
        *result = (char *)binary;
        return 0;
    }
    default: return -1;
    }
    if (length > room)
        *result = driver_alloc(length);
    memcpy(*result, text, length);
    return length;
}

static ErlDrvSSizeT call(ErlDrvData given, unsigned operation, char *bytes, ErlDrvSizeT size, char **result, ErlDrvSizeT room,
                         unsigned *flags)
{
    static char kept[] = {(char)131, 97, 5};
    if (operation == 1) {
        *flags |= DRIVER_CALL_KEEP_BUFFER;
        *result = kept;
        return sizeof kept;
    }
    if (operation == 2)
        return -1;
    if (size > room)
        *result = driver_alloc(size);
    memcpy(*result, bytes, size);
    return size;
}

static ErlDrvEntry entry = {
    .start = start, .stop = stop, .ready_input = ready_input, .driver_name = "linked_in", .control = control,
    .timeout = timeout, .outputv = outputv, .ready_async = ready_async, .call = call,
    .extended_marker = ERL_DRV_EXTENDED_MARKER, .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION, .process_exit = process_exit, .stop_select = stop_select,
    /* On stock a driver that is locked as a whole locks itself out when it makes a port. */
    .driver_flags = ERL_DRV_FLAG_SOFT_BUSY | ERL_DRV_FLAG_USE_PORT_LOCKING,
};

DRIVER_INIT(linked_in)
{
    return &entry;
}
