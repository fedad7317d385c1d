/* cc: -pthread */
/* A library, and a driver in the same object, whose every callback takes the lock under which every function of the
   machine is called. */
#include <erl_nif.h>
#include <erl_driver.h>
#include <string.h>
#include <unistd.h>

static ErlNifMutex *lock;
static ErlNifResourceType *type;
static int downs, destroyed, made, fired_wanted, driver_downs, stops, stopped_ports, timeouts;
static int run_thread;
static ErlNifTid thread;

static void lock_it(void) { enif_mutex_lock(lock); }
static void unlock_it(void) { enif_mutex_unlock(lock); }

static void count(int *what) { lock_it(); (*what)++; unlock_it(); }

static void down(ErlNifEnv *env, void *object, ErlNifPid *pid, ErlNifMonitor *monitor) { count(&downs); }
static void destroy(ErlNifEnv *env, void *object) { count(&destroyed); }
static void stop_select(ErlNifEnv *env, void *object, ErlNifEvent event, int is_direct)
{
    count(&stops);
    close(event);
}

/* With the lock. */
static void *new_object(void) { made++; return enif_alloc_resource(type, 16); }

enum { SEND, SEND_BUILT, MONITOR, RELEASE, CLEAR, WISH, FIRE, KINDS };

static void do_one(ErlNifEnv *env, int what, ErlNifPid *pid)
{
    ErlNifMonitor monitor;
    void *object;
    ErlNifEnv *own;
    int ends[2];
    switch (what) {
    case SEND:
        lock_it();
        if (env) enif_send(env, pid, NULL, enif_make_atom(env, "progress"));
        unlock_it();
        break;
    case SEND_BUILT:
        own = enif_alloc_env();
        lock_it();
        enif_send(env, pid, own, enif_make_tuple1(own, enif_make_atom(own, "progress")));
        unlock_it();
        enif_free_env(own);
        break;
    case MONITOR:
        lock_it();
        object = new_object();
        if (!enif_monitor_process(env, object, pid, &monitor)) enif_demonitor_process(env, object, &monitor);
        enif_release_resource(object);
        unlock_it();
        break;
    case RELEASE:
        lock_it();
        enif_release_resource(new_object());
        unlock_it();
        break;
    case CLEAR:
        own = enif_alloc_env();
        lock_it();
        object = new_object();
        enif_make_resource(own, object);
        enif_release_resource(object);
        enif_free_env(own);
        unlock_it();
        break;
    case WISH:
        /* A message that holds the last reference is replaced, and given up. */
        if (!env || pipe(ends)) break;
        lock_it();
        object = new_object();
        own = enif_alloc_env();
        for (int i = 0; i < 2; i++) {
            void *other = new_object();
            enif_select_read(env, ends[0], object, pid, enif_make_resource(own, other), NULL);
            enif_release_resource(other);
        }
        enif_free_env(own);
        enif_select(env, ends[0], ERL_NIF_SELECT_READ | ERL_NIF_SELECT_CANCEL, object, pid, enif_make_atom(env,
            "undefined"));
        unlock_it();
        enif_select(env, ends[0], ERL_NIF_SELECT_STOP, object, NULL, enif_make_atom(env, "undefined"));
        enif_release_resource(object);
        close(ends[1]);
        break;
    case FIRE:
        lock_it();
        object = new_object();
        if (!enif_monitor_process(env, object, pid, &monitor)) {
            fired_wanted++;
            /* Kept for good. */
        } else {
            enif_release_resource(object);
        }
        unlock_it();
        break;
    }
}

static ERL_NIF_TERM work(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    int what, times;
    ErlNifPid pid;
    if (!enif_get_int(env, argv[0], &what) || !enif_get_local_pid(env, argv[1], &pid) || !enif_get_int(env, argv[2],
        &times))
        return enif_make_badarg(env);
    for (int i = 0; i < times; i++) do_one(env, what, &pid);
    return enif_make_atom(env, "ok");
}

/* Holds the lock so many milliseconds, and then does everything else under it. */
static ERL_NIF_TERM hold(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    int ms;
    ErlNifPid pid;
    if (!enif_get_int(env, argv[0], &ms) || !enif_get_local_pid(env, argv[1], &pid)) return enif_make_badarg(env);
    lock_it();
    usleep(ms * 1000);
    enif_send(env, &pid, NULL, enif_make_atom(env, "held"));
    unlock_it();
    for (int what = 0; what < KINDS; what++) do_one(env, what, &pid);
    return enif_make_atom(env, "ok");
}

/* A thread of the library's own, which sends to a process until it is stopped. */
static void *send_on(void *arg)
{
    ErlNifPid *pid = arg;
    while (__atomic_load_n(&run_thread, __ATOMIC_SEQ_CST)) {
        do_one(NULL, SEND_BUILT, pid);
        do_one(NULL, MONITOR, pid);
        do_one(NULL, RELEASE, pid);
        do_one(NULL, CLEAR, pid);
        usleep(500);
    }
    return NULL;
}

static ERL_NIF_TERM threads(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    static ErlNifPid pid;
    if (enif_get_local_pid(env, argv[0], &pid)) {
        run_thread = 1;
        enif_thread_create("sender", &thread, send_on, &pid, NULL);
    } else {
        __atomic_store_n(&run_thread, 0, __ATOMIC_SEQ_CST);
        enif_thread_join(thread, NULL);
    }
    return enif_make_atom(env, "ok");
}

static ERL_NIF_TERM counts(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    lock_it();
    ERL_NIF_TERM result = enif_make_tuple6(env, enif_make_int(env, fired_wanted - downs),
        enif_make_int(env, made - fired_wanted - destroyed), enif_make_atom(env, driver_downs > 0 ? "true" : "false"),
            enif_make_int(env, stopped_ports),
        enif_make_atom(env, timeouts > 0 ? "true" : "false"), enif_make_atom(env, stops > 0 ? "true" : "false"));
    unlock_it();
    return result;
}

/* An object whose destructor frees nothing is also made and dropped by the program. */
static ERL_NIF_TERM object(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    lock_it();
    void *object = new_object();
    ERL_NIF_TERM term = enif_make_resource(env, object);
    enif_release_resource(object);
    unlock_it();
    return term;
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
    ErlNifResourceTypeInit functions = {destroy, stop_select, down, 0, 0};
    lock = enif_mutex_create("lock");
    type = enif_open_resource_type_x(env, "object", &functions, ERL_NIF_RT_CREATE, NULL);
    return type == NULL;
}

static ErlNifFunc functions[] = {
    {"work", 3, work},
    {"work_cpu", 3, work, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"work_io", 3, work, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"hold", 2, hold, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"threads", 1, threads, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"counts", 0, counts},
    {"object", 0, object},
};

ERL_NIF_INIT(callbacks, functions, load, NULL, NULL, NULL)

static ErlDrvData driver_start(ErlDrvPort port, char *command)
{
    driver_set_timer(port, 1);
    return (ErlDrvData)port;
}

static void driver_stop(ErlDrvData data) { count(&stopped_ports); }

static void driver_timeout(ErlDrvData data)
{
    ErlDrvPort port = (ErlDrvPort)data;
    lock_it();
    timeouts++;
    driver_output(port, "tick", 4);
    driver_set_timer(port, 1);
    unlock_it();
}

static void driver_output_of(ErlDrvData data, char *bytes, ErlDrvSizeT size)
{
    ErlDrvPort port = (ErlDrvPort)data;
    ErlDrvMonitor monitor;
    lock_it();
    ErlDrvTermData caller = driver_caller(port);
    driver_monitor_process(port, caller, &monitor);
    ErlDrvTermData message[] = {ERL_DRV_ATOM, driver_mk_atom("monitored")};
    erl_drv_send_term(driver_mk_port(port), caller, message, sizeof message / sizeof *message);
    unlock_it();
}

static void driver_process_exit(ErlDrvData data, ErlDrvMonitor *monitor) { count(&driver_downs); }

static ErlDrvEntry driver = {
    .start = driver_start,
    .stop = driver_stop,
    .output = driver_output_of,
    .driver_name = "callbacks",
    .timeout = driver_timeout,
    .process_exit = driver_process_exit,
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
};

DRIVER_INIT(callbacks) { return &driver; }
