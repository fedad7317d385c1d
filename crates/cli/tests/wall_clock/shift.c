// shift FILE PROGRAM ARGUMENTS...: runs a program whose wall clock is ahead by the whole seconds that FILE holds. The
// file is read whenever the program reads the clock, so the clock is set by writing the file. Nobody else's clock
// changes.
//
// The program does not find the kernel's vDSO, so each reading of a clock is a system call; a filter stops those of the
// wall clock, and what they return is changed.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXPECTED_THREADS = 4096 };

static const char *shift_file;

static long shift_seconds(void) {
  char text[64] = {0};
  int fd = open(shift_file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t count = read(fd, text, sizeof text - 1);
  close(fd);
  return count > 0 ? atol(text) : 0;
}

// The auxiliary vector lies behind the arguments and the environment, each of which ends with a null.
static void hide_vdso(pid_t thread) {
  struct user_regs_struct registers;
  ptrace(PTRACE_GETREGS, thread, 0, &registers);
  unsigned long at = registers.rsp;
  long arguments = ptrace(PTRACE_PEEKDATA, thread, at, 0);
  at += 8 * (arguments + 2);
  while (ptrace(PTRACE_PEEKDATA, thread, at, 0)) at += 8;
  for (at += 8;; at += 16) {
    long kind = ptrace(PTRACE_PEEKDATA, thread, at, 0);
    if (kind == AT_NULL) return;
    if (kind == AT_SYSINFO_EHDR) ptrace(PTRACE_POKEDATA, thread, at, (void *)AT_IGNORE);
  }
}

static void run(char **command) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettimeofday, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_time, 2, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_REALTIME, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  raise(SIGSTOP);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(125);
  execvp(command[0], command);
  _exit(126);
}

// Seconds come first in what both calls fill.
static void add_seconds(pid_t thread, unsigned long at, long seconds) {
  long read = ptrace(PTRACE_PEEKDATA, thread, at, 0);
  ptrace(PTRACE_POKEDATA, thread, at, read + seconds);
}

static void change_result(pid_t thread) {
  struct user_regs_struct registers;
  ptrace(PTRACE_GETREGS, thread, 0, &registers);
  long seconds = shift_seconds();
  if (registers.orig_rax == SYS_clock_gettime) {
    add_seconds(thread, registers.rsi, seconds);
  } else if (registers.orig_rax == SYS_gettimeofday && registers.rdi) {
    add_seconds(thread, registers.rdi, seconds);
  } else if (registers.orig_rax == SYS_time) {
    registers.rax += seconds;
    ptrace(PTRACE_SETREGS, thread, 0, &registers);
  }
}

// A thread that was just made stops once; that stop is not for it.
static int is_first_stop(pid_t thread) {
  static pid_t seen[EXPECTED_THREADS];
  int at = 0;
  while (at < EXPECTED_THREADS && seen[at] && seen[at] != thread) at++;
  if (at == EXPECTED_THREADS || seen[at] == thread) return 0;
  seen[at] = thread;
  return 1;
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  shift_file = arguments[1];
  pid_t child = fork();
  if (child == 0) run(arguments + 2);
  int status;
  waitpid(child, &status, 0);
  long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                 PTRACE_O_TRACEVFORK | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, child, 0, options)) return 125;
  ptrace(PTRACE_CONT, child, 0, 0);
  for (;;) {
    pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) return errno == ECHILD ? 0 : 125;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    int stop = WSTOPSIG(status), event = status >> 16, passed_on = 0;
    int how = PTRACE_CONT;
    if (event == PTRACE_EVENT_EXEC) {
      hide_vdso(thread);
    } else if (event == PTRACE_EVENT_SECCOMP) {
      how = PTRACE_SYSCALL;
    } else if (stop == (SIGTRAP | 0x80)) {
      change_result(thread);
    } else if (!event && stop != SIGTRAP) {
      passed_on = stop == SIGSTOP && thread != child && is_first_stop(thread) ? 0 : stop;
    }
    ptrace(how, thread, 0, passed_on);
  }
}
