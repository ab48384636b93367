// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A target that waits in MPI serves short accesses to its private memory itself: they work although the kernel has
// begun to refuse process_vm_readv and process_vm_writev since the window was made. A target that computes serves none.
// Exit status 77 where this machine lets nobody refuse system calls.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

enum { kTarget = 1, kWords = 2048, kSkipped = 77 };

static double memory[kWords];
static double buffer[kWords];
static MPI_Win window;
static MPI_Win flag_window;
static atomic_int* refused;  // in memory that both ranks share: the target computes until it is set

static int refuse_copies(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "mpi_served: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// The accesses. Each returns what the call returned.
static int put_word(void) {
  const int put = MPI_Put(buffer, 1, MPI_DOUBLE, kTarget, 0, 1, MPI_DOUBLE, window);
  const int flushed = MPI_Win_flush(kTarget, window);
  return put != MPI_SUCCESS ? put : flushed;
}
static int put_many(void) { return MPI_Put(buffer, kWords, MPI_DOUBLE, kTarget, 0, kWords, MPI_DOUBLE, window); }
static int get_many(void) { return MPI_Get(buffer, kWords, MPI_DOUBLE, kTarget, 0, kWords, MPI_DOUBLE, window); }
static int add_many(void) {
  return MPI_Accumulate(buffer, kWords, MPI_DOUBLE, kTarget, 0, kWords, MPI_DOUBLE, MPI_SUM, window);
}
static int add_word(void) {
  const double one = 1;
  return MPI_Fetch_and_op(&one, buffer, MPI_DOUBLE, kTarget, 3, MPI_SUM, window);
}
static int swap_word(void) {
  const long long zero = 0;
  const long long wanted = 7;
  long long old = 1;
  const int code = MPI_Compare_and_swap(&wanted, &zero, &old, MPI_LONG_LONG, kTarget, 0, window);
  require(code != MPI_SUCCESS || old == 0, "a compare and swap has not given the old value");
  return code;
}

// The target polls nearly always; an access that it was too slow for is refused, changes nothing and is made again.
static void until_served(int (*access)(void), const char* name) {
  const double end = MPI_Wtime() + 20;
  while (access() != MPI_SUCCESS) {
    if (MPI_Wtime() < end) continue;
    fprintf(stderr, "mpi_served: the target has not served %s in 20 s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void fill(double first) {
  for (int i = 0; i < kWords; ++i) buffer[i] = first + i;
}

static void access_the_target(void) {
  fill(100);
  const double end = MPI_Wtime() + 20;
  while (put_word() == MPI_SUCCESS) {  // the target may not have left MPI yet
    require(MPI_Wtime() < end, "puts work at a target that computes: does the kernel refuse copies?");
  }
  atomic_store(refused, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  until_served(put_many, "a put of 16 KiB");
  fill(-5);
  until_served(get_many, "a get of 16 KiB");
  require(buffer[0] == 100 && buffer[kWords - 1] == 100 + kWords - 1, "a get brought other values than were put");
  fill(1);
  until_served(add_many, "an accumulate of 16 KiB");
  until_served(add_word, "a fetch and add");
  require(buffer[0] == 103 + 4, "a fetch and add has not given the old value");
  buffer[0] = 0;
  until_served(put_word, "a put of 8 bytes");
  until_served(swap_word, "a compare and swap");
  MPI_Barrier(MPI_COMM_WORLD);
}

static void be_the_target(void) {
  const struct timespec computes = {0, 1000000};
  while (!atomic_load(refused)) nanosleep(&computes, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);  // here it serves
  long long swapped = 0;
  memcpy(&swapped, memory, sizeof swapped);
  require(swapped == 7, "the compare and swap has not changed the target");
  require(memory[3] == 103 + 4 + 1, "the accumulates have not changed the target");
  require(memory[kWords - 1] == 100 + 1 + 2 * (kWords - 1), "the accumulate has not changed the last element");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_allocate_shared(rank == 0 ? sizeof *refused : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &refused, &flag_window);
  MPI_Win_shared_query(flag_window, 0, &bytes, &unit, &refused);
  if (rank == 0) atomic_init(refused, 0);
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  if (!refuse_copies()) {
    MPI_Finalize();
    return kSkipped;
  }
  MPI_Win_lock_all(0, window);
  if (rank == kTarget) {
    be_the_target();
  } else {
    access_the_target();
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Win_free(&flag_window);
  MPI_Finalize();
  return 0;
}
