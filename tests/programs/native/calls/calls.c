/* How a call goes on: on other schedulers, later, in parts; what a library waits for; queues of bytes. */
#define _GNU_SOURCE
#include <erl_nif.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <errno.h>

#define FUNCTION(name) static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
#define YES_OR_NO(value) enif_make_atom(env, (value) ? "yes" : "no")

/* Counts down, one part at a time, on ordinary and on dirty schedulers by turns. */
FUNCTION(count_down)
{
    static const int places[] = {0, ERL_NIF_DIRTY_JOB_CPU_BOUND, ERL_NIF_DIRTY_JOB_IO_BOUND};
    unsigned left;
    if (!enif_get_uint(env, argv[0], &left)) return enif_make_badarg(env);
    ERL_NIF_TERM seen = enif_make_list_cell(env, enif_make_int(env, enif_thread_type()), argv[1]);
    if (left == 0) return seen;
    ERL_NIF_TERM next[] = {enif_make_uint(env, left - 1), seen};
    return enif_schedule_nif(env, "count_down", places[left % 3], count_down, 2, next);
}

FUNCTION(thread_type)
{
    return enif_make_int(env, enif_thread_type());
}

/* Raises what it is told to, from where it runs. */
FUNCTION(raise_now)
{
    return enif_raise_exception(env, argv[0]);
}

FUNCTION(raise_later)
{
    return enif_schedule_nif(env, "raise_later", ERL_NIF_DIRTY_JOB_CPU_BOUND, raise_now, 1, argv);
}

FUNCTION(bad_later)
{
    return enif_schedule_nif(env, "bad_later", 77, raise_now, argc, argv);
}

/* Uses up its slice and says so. */
FUNCTION(consume)
{
    int exhausted = 0, times = 0;
    while (!exhausted && times < 1000) {
        exhausted = enif_consume_timeslice(env, 10);
        times++;
    }
    return enif_make_int(env, times <= 10 && times > 0);
}

/* The state of a sum that is computed in parts, each of some part of a slice. */
FUNCTION(sum)
{
    ErlNifUInt64 from, to, total;
    if (!enif_get_uint64(env, argv[0], &from) || !enif_get_uint64(env, argv[1], &to) || !enif_get_uint64(env, argv[2], &total))
        return enif_make_badarg(env);
    for (; from <= to; from++) {
        total += from;
        if (from % 1000 == 0 && enif_consume_timeslice(env, 10)) {
            ERL_NIF_TERM next[] = {enif_make_uint64(env, from + 1), argv[1], enif_make_uint64(env, total)};
            return enif_schedule_nif(env, "sum", 0, sum, 3, next);
        }
    }
    return enif_make_uint64(env, total);
}

FUNCTION(sleep_ms)
{
    unsigned ms;
    if (!enif_get_uint(env, argv[0], &ms)) return enif_make_badarg(env);
    usleep(ms * 1000);
    return YES_OR_NO(enif_is_current_process_alive(env));
}

/* The ends of a pipe, as objects that are stopped before they are closed. */
typedef struct {
    int descriptor;
    int is_open;
    ErlNifPid told;
} End;

static ErlNifResourceType *end_type;

static void end_stopped(ErlNifEnv *caller, void *place, ErlNifEvent event, int is_direct)
{
    End *end = place;
    ErlNifEnv *env = enif_alloc_env();
    end->is_open = 0;
    close(event);
    enif_send(caller, &end->told, env, enif_make_tuple2(env, enif_make_atom(env, "stopped"), enif_make_atom(env, event == end->descriptor ? "right" : "wrong")));
    enif_free_env(env);
}

static ERL_NIF_TERM end_of(ErlNifEnv *env, int descriptor)
{
    End *end = enif_alloc_resource(end_type, sizeof(End));
    end->descriptor = descriptor;
    end->is_open = 1;
    enif_self(env, &end->told);
    ERL_NIF_TERM term = enif_make_resource(env, end);
    enif_release_resource(end);
    return term;
}

FUNCTION(make_pipe)
{
    int ends[2];
    if (pipe2(ends, O_NONBLOCK)) return enif_make_badarg(env);
    return enif_make_tuple2(env, end_of(env, ends[0]), end_of(env, ends[1]));
}

FUNCTION(read_end)
{
    End *end;
    char buffer[100];
    if (!enif_get_resource(env, argv[0], end_type, (void **)&end)) return enif_make_badarg(env);
    ssize_t count = read(end->descriptor, buffer, sizeof buffer);
    if (count < 0) return enif_make_atom(env, errno == EAGAIN ? "again" : "error");
    return enif_make_string_len(env, buffer, count, ERL_NIF_LATIN1);
}

FUNCTION(write_end)
{
    End *end;
    ErlNifBinary bytes;
    if (!enif_get_resource(env, argv[0], end_type, (void **)&end) || !enif_inspect_binary(env, argv[1], &bytes)) return enif_make_badarg(env);
    return enif_make_long(env, write(end->descriptor, bytes.data, bytes.size));
}

/* 1 read, 2 write, 4 stop, 8 cancel; the message is the usual one, or one of the library's. */
FUNCTION(select_end)
{
    End *end;
    int mode;
    ErlNifPid self;
    if (!enif_get_resource(env, argv[0], end_type, (void **)&end) || !enif_get_int(env, argv[1], &mode)) return enif_make_badarg(env);
    enif_self(env, &self);
    if (enif_is_ref(env, argv[2]) || enif_is_identical(argv[2], enif_make_atom(env, "undefined")))
        return enif_make_int(env, enif_select(env, end->descriptor, mode, end, &self, argv[2]));
    if (mode == ERL_NIF_SELECT_READ) return enif_make_int(env, enif_select_read(env, end->descriptor, end, &self, argv[2], NULL));
    return enif_make_int(env, enif_select_write(env, end->descriptor, end, &self, argv[2], NULL));
}

/* A queue that is filled with an I/O list and emptied in parts. */
FUNCTION(queue)
{
    ErlNifIOQueue *queue = enif_ioq_create(ERL_NIF_IOQ_NORMAL);
    ErlNifIOVec vector, *inspected = &vector;
    ERL_NIF_TERM tail, parts = enif_make_list(env, 0), head;
    ErlNifBinary own;
    unsigned part;
    size_t size;
    if (!enif_get_uint(env, argv[1], &part)) return enif_make_badarg(env);
    if (!enif_inspect_iovec(env, 64, argv[0], &tail, &inspected)) {
        enif_ioq_destroy(queue);
        return enif_make_atom(env, "not_inspected");
    }
    int is_queued = enif_ioq_enqv(queue, inspected, 0);
    /* One that the machine allocates, since its place is not given, is freed by the library. */
    ErlNifIOVec *allocated = NULL;
    ERL_NIF_TERM unread;
    if (enif_inspect_iovec(NULL, 64, argv[0], &unread, &allocated)) enif_free_iovec(allocated);
    enif_alloc_binary(5, &own);
    memcpy(own.data, "-end-", 5);
    enif_ioq_enq_binary(queue, &own, 1);
    size_t all = enif_ioq_size(queue);
    int had_head = enif_ioq_peek_head(env, queue, &size, &head);
    while (enif_ioq_size(queue) > 0) {
        int count;
        SysIOVec *parts_of = enif_ioq_peek(queue, &count);
        size_t taken = parts_of[0].iov_len < part ? parts_of[0].iov_len : part;
        parts = enif_make_list_cell(env, enif_make_string_len(env, parts_of[0].iov_base, taken, ERL_NIF_LATIN1), parts);
        if (!enif_ioq_deq(queue, taken, NULL)) break;
    }
    int too_much = enif_ioq_deq(queue, 1, NULL);
    enif_ioq_destroy(queue);
    return enif_make_tuple7(env, YES_OR_NO(is_queued), enif_make_ulong(env, all), YES_OR_NO(had_head),
        had_head ? head : enif_make_list(env, 0), tail, parts, YES_OR_NO(too_much));
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
    ErlNifResourceTypeInit init = {.stop = end_stopped};
    end_type = enif_open_resource_type_x(env, "end", &init, ERL_NIF_RT_CREATE, NULL);
    return end_type ? 0 : 1;
}

static ErlNifFunc functions[] = {
    {"count_down", 2, count_down}, {"thread_type", 0, thread_type}, {"thread_type_cpu", 0, thread_type, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"thread_type_io", 0, thread_type, ERL_NIF_DIRTY_JOB_IO_BOUND}, {"raise_now", 1, raise_now},
    {"raise_cpu", 1, raise_now, ERL_NIF_DIRTY_JOB_CPU_BOUND}, {"raise_later", 1, raise_later}, {"bad_later", 1, bad_later},
    {"consume", 0, consume}, {"sum", 3, sum}, {"sleep_ms", 1, sleep_ms, ERL_NIF_DIRTY_JOB_IO_BOUND}, {"make_pipe", 0, make_pipe},
    {"read_end", 1, read_end}, {"write_end", 2, write_end}, {"select_end", 3, select_end}, {"queue", 2, queue},
};

ERL_NIF_INIT(calls, functions, load, NULL, NULL, NULL)
