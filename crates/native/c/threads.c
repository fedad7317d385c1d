/* Threads that libraries start. In C, because such a thread may end in the middle of a function (enif_thread_exit),
 * which must not unwind through Rust. */

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int suggested_stack_size;
} ThreadOptions;

/* A handle of a thread; ErlNifTid points to it. Freed when the thread is joined. */
typedef struct Thread {
    pthread_t thread;
    char *name;
    void *(*function)(void *);
    void *argument;
} Thread;

/* Stacks of threads are sized in units of 1024 words. */
enum { STACK_UNIT_BYTES = 1024 * sizeof(void *), MOST_STACK_UNITS = 64 * 1024 };

static __thread Thread *current;

ThreadOptions *enif_thread_opts_create(char *name)
{
    (void)name;
    ThreadOptions *options = malloc(sizeof *options);
    if (options != NULL)
        options->suggested_stack_size = -1;
    return options;
}

void enif_thread_opts_destroy(ThreadOptions *options)
{
    free(options);
}

static void *run(void *argument)
{
    current = argument;
    return current->function(current->argument);
}

int enif_thread_create(char *name, Thread **id, void *(*function)(void *), void *argument, ThreadOptions *options)
{
    Thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return ENOMEM;
    thread->function = function;
    thread->argument = argument;
    thread->name = name == NULL ? NULL : strdup(name);
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error == 0) {
        if (options != NULL && options->suggested_stack_size > 0 && options->suggested_stack_size <= MOST_STACK_UNITS) {
            size_t bytes = (size_t)options->suggested_stack_size * STACK_UNIT_BYTES;
            /* A size that the system refuses is only a suggestion. */
            (void)pthread_attr_setstacksize(&attributes, bytes);
        }
        /* Written before the thread starts, which may ask who it is. */
        *id = thread;
        error = pthread_create(&thread->thread, &attributes, run, thread);
        pthread_attr_destroy(&attributes);
    }
    if (error != 0) {
        *id = NULL;
        free(thread->name);
        free(thread);
        return error;
    }
    return 0;
}

/* A thread that no library has started gets a handle when it asks for one, and keeps it. */
Thread *enif_thread_self(void)
{
    if (current == NULL) {
        current = calloc(1, sizeof *current);
        if (current != NULL)
            current->thread = pthread_self();
    }
    return current;
}

int enif_equal_tids(Thread *one, Thread *other)
{
    return one == other;
}

void enif_thread_exit(void *result)
{
    pthread_exit(result);
}

int enif_thread_join(Thread *thread, void **result)
{
    if (thread == NULL)
        return EINVAL;
    int error = pthread_join(thread->thread, result);
    if (error == 0) {
        free(thread->name);
        free(thread);
    }
    return error;
}

char *enif_thread_name(Thread *thread)
{
    return thread == NULL ? NULL : thread->name;
}
