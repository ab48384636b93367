// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// launch_refuse <errno> <system call>[,...] <command>: runs the command in a sandbox that refuses these system calls,
// as a container's seccomp profile does. Exit status 77 where this machine lets nobody make one.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

struct call {
  const char* name;
  unsigned number;
};

static const struct call calls[] = {
    {"signalfd4", SYS_signalfd4},
    {"epoll_create1", SYS_epoll_create1},
    {"epoll_ctl", SYS_epoll_ctl},
#ifdef SYS_epoll_wait
    {"epoll_wait", SYS_epoll_wait},
#endif
    {"epoll_pwait", SYS_epoll_pwait},
    {"eventfd2", SYS_eventfd2},
    {"pidfd_open", SYS_pidfd_open},
    {"memfd_create", SYS_memfd_create},
    {"fallocate", SYS_fallocate},
    {"getrandom", SYS_getrandom},
    {"membarrier", SYS_membarrier},
    {"futex_waitv", SYS_futex_waitv},
    {"ptrace", SYS_ptrace},
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"rt_sigtimedwait", SYS_rt_sigtimedwait},
    {"socketpair", SYS_socketpair},
    {"pipe2", SYS_pipe2},
    {"setpgid", SYS_setpgid},
    {"prctl", SYS_prctl},
    {"sigaltstack", SYS_sigaltstack},
    {"clone", SYS_clone},
    {"madvise", SYS_madvise},
    {"ftruncate", SYS_ftruncate},
};

static unsigned number_of(const char* name) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    if (strcmp(calls[i].name, name) == 0) return calls[i].number;
  }
  fprintf(stderr, "launch_refuse: no such system call in its table: %s\n", name);
  exit(2);
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  struct sock_filter filter[64];
  unsigned short length = 0;
  const unsigned refusal = SECCOMP_RET_ERRNO | (unsigned)atoi(argv[1]);
  filter[length++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, nr));
  for (char* name = strtok(argv[2], ","); name != NULL; name = strtok(NULL, ",")) {
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number_of(name), 0, 1);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, refusal);
  }
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {length, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 77;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 77;
  execv(argv[3], argv + 3);
  perror(argv[3]);
  return 127;
}
