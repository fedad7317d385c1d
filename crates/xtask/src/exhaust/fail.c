// fail EXECUTABLES KINDS FROM COUNT ERRNO SECONDS REPORT PROGRAM ARGUMENTS...: runs a program, and has some system calls
// of the executables with these names fail: of those of KINDS (see `kinds`), COUNT calls from the FROM-th on, which is
// the first if it is 1. With COUNT 0 none fails, and calls are counted. Names have commas between them.
//
// After SECONDS the program is asked to end by SIGUSR1, which a node obeys, and is killed if it does not. REPORT gets
// `counted KIND CALLS` for each kind, `failed THREAD CALL FILE` for the first calls that failed, and at last
// `ended STATUS`, `killed SIGNAL`, `waited` (it ended when it was asked to) or `hung`. The exit status is the program's.
//
// A filter of the kernel hands those calls to this program, which lets them go on or answers for the kernel. So neither
// the program nor its libraries are changed, and calls that do not go through the C library are seen too. The filter is
// inherited by programs that it starts; their calls go on.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_FILTER = 128, CALLS_REPORTED = 8, SECONDS_TO_END = 10, OUT_OF_REACH = 125 };

// What else must hold for a call to be of its kind.
enum condition { ALWAYS, ON_FILE, IS_THREAD, IS_PROGRAM, IS_DUPLICATE };

static const struct kind {
  const char *name;
  enum condition condition;
  int calls[16]; // ends with -1
} kinds[] = {
    {"open", ALWAYS, {SYS_open, SYS_openat, SYS_openat2, SYS_creat, -1}},
    {"read", ON_FILE, {SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_preadv2, SYS_getdents64, -1}},
    {"write", ON_FILE, {SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_pwritev2, -1}},
    {"space", ALWAYS, {SYS_fallocate, SYS_ftruncate, SYS_truncate, SYS_fsync, SYS_fdatasync, -1}},
    {"names", ALWAYS, {SYS_rename, SYS_renameat, SYS_renameat2, SYS_mkdir, SYS_mkdirat, SYS_unlink, SYS_unlinkat,
                       SYS_rmdir, SYS_link, SYS_linkat, SYS_symlink, SYS_symlinkat, -1}},
    {"looks", ALWAYS, {SYS_stat, SYS_lstat, SYS_newfstatat, SYS_statx, SYS_readlink, SYS_readlinkat, SYS_access,
                       SYS_faccessat, SYS_faccessat2, -1}},
    {"sockets", ALWAYS, {SYS_socket, SYS_socketpair, -1}},
    {"accept", ALWAYS, {SYS_accept, SYS_accept4, -1}},
    {"pipes", ALWAYS, {SYS_pipe, SYS_pipe2, -1}},
    {"events", ALWAYS, {SYS_epoll_create, SYS_epoll_create1, SYS_eventfd, SYS_eventfd2, SYS_timerfd_create,
                        SYS_inotify_init1, SYS_signalfd4, SYS_memfd_create, SYS_pidfd_open, -1}},
    {"copies", IS_DUPLICATE, {SYS_dup, SYS_fcntl, -1}},
    {"watches", ALWAYS, {SYS_epoll_ctl, -1}},
    {"threads", IS_THREAD, {SYS_clone, SYS_clone3, -1}},
    {"programs", IS_PROGRAM, {SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, -1}},
    {"memory", ALWAYS, {SYS_mmap, SYS_mremap, SYS_brk, -1}},
    {"pages", ALWAYS, {SYS_mprotect, SYS_madvise, -1}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static unsigned long counted[KINDS];
static int chosen[KINDS];
static const char *executables;

// Whether a name is one of those with commas between them.
static int is_among(const char *names, const char *name) {
  size_t length = strlen(name);
  for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : 0)
    if (!strncmp(at, name, length) && strchr(",", at[length])) return 1;
  return 0;
}

static int has_call(const struct kind *kind, int call) {
  for (const int *at = kind->calls; *at >= 0; at++)
    if (*at == call) return 1;
  return 0;
}

// Each call has a pair of a comparison and the answer.
static struct sock_fprog filter(void) {
  static struct sock_filter lines[LONGEST_FILTER];
  int count = 0;
  lines[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int at = 0; at < KINDS; at++) {
    for (const int *call = kinds[at].calls; chosen[at] && *call >= 0; call++) {
      lines[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, *call, 0, 1);
      lines[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
  }
  lines[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return (struct sock_fprog){count, lines};
}

// The descriptor of the filter is the lowest that is free here; the parent fetches it while this process is stopped.
static void run(char **command) {
  struct sock_fprog program = filter();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) _exit(OUT_OF_REACH);
  unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
  int listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  if (listener < 0) _exit(OUT_OF_REACH);
  raise(SIGSTOP);
  execvp(command[0], command);
  _exit(OUT_OF_REACH + 1);
}

static int is_executable(pid_t thread) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/%d/exe", thread);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  const char *name = strrchr(path, '/');
  return name && is_among(executables, name + 1);
}

static int is_on_file(pid_t thread, int fd) {
  char link[64];
  struct stat found;
  snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, fd);
  return !stat(link, &found) && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
}

// The flags of a new thread or process: an argument, or the first word of a structure.
static unsigned long clone_flags(pid_t thread, const struct seccomp_data *data) {
  unsigned long flags = 0;
  if (data->nr == SYS_clone) return data->args[0];
  if (data->nr != SYS_clone3) return 0;
  struct iovec here = {&flags, sizeof flags}, there = {(void *)data->args[0], sizeof flags};
  process_vm_readv(thread, &here, 1, &there, 1, 0);
  return flags;
}

// Where the program's data ends, or 0 while it has none.
static unsigned long break_of(pid_t thread) {
  char path[64], line[512];
  unsigned long end = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", thread);
  FILE *maps = fopen(path, "re");
  if (!maps) return 0;
  while (!end && fgets(line, sizeof line, maps))
    if (strstr(line, "[heap]")) sscanf(line, "%*x-%lx", &end);
  fclose(maps);
  return end;
}

static int holds(enum condition condition, pid_t thread, const struct seccomp_data *data) {
  switch (condition) {
  case ON_FILE: return is_on_file(thread, (int)data->args[0]);
  case IS_THREAD: return !!(clone_flags(thread, data) & CLONE_THREAD);
  case IS_PROGRAM: return !(clone_flags(thread, data) & CLONE_THREAD);
  case IS_DUPLICATE: return data->nr == SYS_dup || data->args[1] == F_DUPFD || data->args[1] == F_DUPFD_CLOEXEC;
  // brk(0) asks where the break is.
  default: return data->nr != SYS_brk || (data->args[0] && break_of(thread));
  }
}

static int kind_of(pid_t thread, const struct seccomp_data *data) {
  for (int at = 0; at < KINDS; at++)
    if (chosen[at] && has_call(&kinds[at], data->nr) && holds(kinds[at].condition, thread, data)) return at;
  return -1;
}

static int fetch_listener(pid_t child) {
  int status, descriptor = -1;
  if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status)) return -1;
  int process = syscall(SYS_pidfd_open, child, 0);
  // What this process has inherited is open there too, so that the filter's is the last one.
  for (int fd = 3; fd < 1024 && descriptor < 0; fd++) {
    char link[64], path[64] = {0};
    snprintf(link, sizeof link, "/proc/%d/fd/%d", child, fd);
    if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, "seccomp"))
      descriptor = syscall(SYS_pidfd_getfd, process, fd, 0);
  }
  close(process);
  return descriptor;
}

static long seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

static void report_failed(FILE *report, pid_t thread, const struct seccomp_data *data, enum condition condition) {
  char name[32] = "?", link[64], path[256] = "";
  snprintf(link, sizeof link, "/proc/%d/comm", thread);
  FILE *comm = fopen(link, "re");
  if (comm) {
    if (fgets(name, sizeof name, comm)) name[strcspn(name, "\n")] = 0;
    fclose(comm);
  }
  if (condition == ON_FILE) {
    snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, (int)data->args[0]);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
  } else {
    int is_at = data->nr == SYS_openat || data->nr == SYS_newfstatat || data->nr == SYS_statx || data->nr == SYS_openat2;
    int is_plain = data->nr == SYS_open || data->nr == SYS_rename || data->nr == SYS_unlink || data->nr == SYS_mkdir ||
                   data->nr == SYS_stat || data->nr == SYS_readlink || data->nr == SYS_access;
    struct iovec here = {path, sizeof path - 1}, there = {(void *)data->args[is_at], sizeof path - 1};
    if ((is_at || is_plain) && process_vm_readv(thread, &here, 1, &there, 1, 0) < 0) path[0] = 0;
  }
  fprintf(report, "failed %s %d %s\n", name, data->nr, path);
}

int main(int count, char **arguments) {
  if (count < 9) return 2;
  executables = arguments[1];
  for (int at = 0; at < KINDS; at++) chosen[at] = is_among(arguments[2], kinds[at].name);
  unsigned long from = strtoul(arguments[3], 0, 10), failing = strtoul(arguments[4], 0, 10), calls = 0, failed = 0;
  int error = atoi(arguments[5]);
  FILE *report = fopen(arguments[7], "we");
  if (!report) return 2;
  pid_t child = fork();
  if (child == 0) run(arguments + 8);
  int listener = fetch_listener(child);
  if (listener < 0) {
    kill(child, SIGKILL);
    return OUT_OF_REACH;
  }
  long until = seconds_now() + atol(arguments[6]);
  int status = 0;
  const char *asked = 0;
  kill(child, SIGCONT);
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (seconds_now() >= until) {
      kill(child, asked ? SIGKILL : SIGUSR1);
      asked = asked ? "hung" : "waited";
      until = seconds_now() + SECONDS_TO_END;
    }
    // All of the program may have ended, so that nobody is left who would call.
    struct pollfd waiting = {listener, POLLIN, 0};
    if (poll(&waiting, 1, 20) <= 0) continue;
    if (!(waiting.revents & POLLIN)) {
      nanosleep(&(struct timespec){0, 5000000}, 0);
      continue;
    }
    struct seccomp_notif asks;
    memset(&asks, 0, sizeof asks);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asks)) continue;
    struct seccomp_notif_resp answer = {asks.id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    int kind = is_executable(asks.pid) ? kind_of(asks.pid, &asks.data) : -1;
    if (kind >= 0) {
      counted[kind]++;
      calls++;
      if (calls >= from && calls - from < failing) {
        // The kernel refuses to move the break by answering with where it is. C libraries take an error for a break.
        if (asks.data.nr == SYS_brk)
          answer.val = break_of(asks.pid);
        else
          answer.error = -error;
        answer.flags = 0;
        if (failed++ < CALLS_REPORTED) report_failed(report, asks.pid, &asks.data, kinds[kind].condition);
      }
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
  for (int at = 0; at < KINDS; at++)
    if (chosen[at]) fprintf(report, "counted %s %lu\n", kinds[at].name, counted[at]);
  if (asked) fprintf(report, "%s\n", asked);
  if (WIFSIGNALED(status)) {
    fprintf(report, "killed %d\n", WTERMSIG(status));
    fclose(report);
    return 128 + WTERMSIG(status);
  }
  fprintf(report, "ended %d\n", WEXITSTATUS(status));
  fclose(report);
  return WEXITSTATUS(status);
}
