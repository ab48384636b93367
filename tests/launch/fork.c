// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// launch_fork <what>: rank 0 forks a child, which does what it is told; then the ranks exchange a message, which
// nothing of the child's may disturb. Prints how the child ended.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_child;

static void finalize_at_exit(void) {
  int over = 0;
  MPI_Finalized(&over);
  if (is_child) printf("the child sees %s\n", over ? "the end of MPI" : "a running MPI");
  if (!over) MPI_Finalize();
}

static int child(const char* what) {
  int word = 666;
  is_child = 1;
  if (strcmp(what, "send") == 0) MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (strcmp(what, "finalize") == 0) MPI_Finalize();
  if (strcmp(what, "init") == 0) MPI_Init(NULL, NULL);
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  if (strcmp(what, "grandchild") == 0) {
    const pid_t below = fork();
    if (below == 0) MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    int status = 0;
    waitpid(below, &status, 0);
    exit(WEXITSTATUS(status));
  }
  if (strcmp(what, "memory") == 0) {
    char* memory = malloc(1 << 20);
    memset(memory, 1, 1 << 20);
    free(memory);
  }
  exit(0);  // and not _exit: with the handlers of the parent
}

static int run_child(const char* what) {
  if (strcmp(what, "system") == 0) return system("exit 0");
  if (strcmp(what, "popen") == 0) {
    FILE* pipe = popen("exit 0", "r");
    return pclose(pipe);
  }
  const pid_t process = strcmp(what, "vfork") == 0 ? vfork() : fork();
  if (process == 0) {
    if (strcmp(what, "vfork") == 0) {
      execl("/bin/true", "true", (char*)0);
      _exit(1);
    }
    child(what);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return status;
}

int main(int argc, char** argv) {
  int rank = 0;
  int word = 0;
  const char* what = argc > 1 ? argv[1] : "memory";
  MPI_Init(&argc, &argv);
  atexit(finalize_at_exit);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("unwritten");  // in the buffer while the child is forked; it must come once
    const int status = run_child(what);
    printf("\nthe child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    word = 42;
    MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank 1 has received %d\n", word);
  }
  return 0;
}
