/* What experiments/pipe_ring.erl does, in C with epoll and one thread: the pace that the system allows.
 *
 *   cc -O2 -o pipe_ring benches/pipe_ring.c && ./pipe_ring 10 100000 8
 *
 * starts 8 rings of 10 programs, /bin/cat each. In each ring a number goes round, written as a line to a program and read
 * back from it, and loses one each time. Prints what the Erlang program prints: ports, and messages per second.
 * Each program is started in a session of its own, as a port's is: Linux shares the processor between sessions first
 * (sched_autogroup_enabled), so programs of one session with the ring would yield to it otherwise. A fourth argument,
 * `together`, leaves them in the ring's session, where the same calls pass 15 to 20 % more messages.
 *
 * Descriptors are registered once, edge-triggered, and a line is written where the one before it was read, so the
 * system calls for a message are a read and a write, and a part of a wait.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct member {
    int to, from;
    pid_t process;
    struct member *next;
    char line[32];
    size_t length;
};

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void start(struct member *member, int set, int together) {
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) || pipe2(output, O_CLOEXEC)) fail("pipe2");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    posix_spawn_file_actions_adddup2(&actions, output[1], 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    if (!together) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    char *arguments[] = {"cat", NULL};
    int error = posix_spawn(&member->process, "/bin/cat", &actions, &attributes, arguments, environ);
    if (error) {
        errno = error;
        fail("posix_spawn");
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(input[0]);
    close(output[1]);
    member->to = input[1];
    member->from = output[0];
    fcntl(member->from, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = member};
    if (epoll_ctl(set, EPOLL_CTL_ADD, member->from, &event)) fail("epoll_ctl");
}

static void pass(struct member *member, long number) {
    char line[32];
    int length = snprintf(line, sizeof line, "%ld\n", number);
    if (write(member->to, line, length) != length) fail("write");
}

/* Reads what is there; the number of a whole line, or -1. */
static long receive(struct member *member) {
    ssize_t bytes = read(member->from, member->line + member->length, sizeof member->line - 1 - member->length);
    if (bytes == -1 && errno == EAGAIN) return -1;
    if (bytes <= 0) fail("read");
    member->length += bytes;
    if (member->line[member->length - 1] != '\n') return -1;
    member->line[member->length] = 0;
    member->length = 0;
    return strtol(member->line, NULL, 10);
}

int main(int count, char **arguments) {
    int together = count == 5 && !strcmp(arguments[4], "together");
    if (count != 4 && !together) {
        fprintf(stderr, "usage: pipe_ring SIZE COUNT RINGS [together]\n");
        return 2;
    }
    long size = atol(arguments[1]), messages = atol(arguments[2]), rings = atol(arguments[3]);
    if (size < 1 || messages < 1 || rings < 1 || size > 100000 / rings) {
        fprintf(stderr, "pipe_ring: numbers out of range\n");
        return 2;
    }
    int set = epoll_create1(EPOLL_CLOEXEC);
    struct member *members = calloc(size * rings, sizeof *members);
    if (set == -1 || !members) fail("start");
    double begin = now_us();
    for (long at = 0; at < size * rings; at++) {
        long ring = at / size * size;
        members[at].next = &members[ring + (at - ring + 1) % size];
        start(&members[at], set, together);
    }
    double opened = now_us();
    for (long ring = 0; ring < rings; ring++) pass(&members[ring * size], messages);
    long running = rings;
    while (running > 0) {
        struct epoll_event events[256];
        int found = epoll_wait(set, events, 256, -1);
        if (found == -1 && errno != EINTR) fail("epoll_wait");
        for (int at = 0; at < found; at++) {
            struct member *member = events[at].data.ptr;
            long number = receive(member);
            if (number > 1) pass(member->next, number - 1);
            if (number == 1) running--;
        }
    }
    double end = now_us();
    printf("%ld ports opened, each in %.1f us\n", size * rings, (opened - begin) / (size * rings));
    printf("%ld messages, %.1f us each, %.0f messages/s\n", messages * rings,
           (end - opened) / (messages * rings), messages * rings / ((end - opened) / 1e6));
    for (long at = 0; at < size * rings; at++) {
        close(members[at].to);
        close(members[at].from);
    }
    for (long at = 0; at < size * rings; at++) waitpid(members[at].process, NULL, 0);
    return 0;
}
