// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the cases of tests/mpi/spawn start. The first argument says what to do with those who spawned us.
#include <mpi.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/spawn/shared_work.hpp"

namespace {

MPI_Comm parent = MPI_COMM_NULL;
int rank = -1;
int size = -1;

void send_text(const std::string& text) {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, 1, parent);
}

/// Tells the first of the parents who we are.
void report() {
  int* app_number = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, static_cast<void*>(&app_number), &found);
  const int facts[3] = {rank, size, found != 0 ? *app_number : -1};
  MPI_Send(facts, 3, MPI_INT, 0, 2, parent);
}

/// One of all of us and all of the parents.
void count() {
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(parent, 1, &all);
  const int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  if (rank == 0) MPI_Send(&sum, 1, MPI_INT, 0, 3, parent);
  MPI_Comm_disconnect(&all);
}

/// What parents do with one communicator of all of us and all of them.
template <typename Work>
void work_with_parents(Work work) {
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(parent, 1, &all);
  work(all);
  MPI_Comm_disconnect(&all);
}

/// Sends every message of the parents back to its sender, until one is empty.
void echo() {
  int parents = 0;
  MPI_Comm_remote_size(parent, &parents);
  for (int ended = 0; ended < parents;) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, 4, parent, &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<char> data(static_cast<std::size_t>(bytes));
    MPI_Recv(data.data(), bytes, MPI_BYTE, status.MPI_SOURCE, 4, parent, MPI_STATUS_IGNORE);
    if (bytes == 0) {
      ++ended;
    } else {
      MPI_Ssend(data.data(), bytes, MPI_BYTE, status.MPI_SOURCE, 5, parent);
    }
  }
}

/// Spawns a child of our own, which counts us, and tells the parents that it did.
void spawn_grandchild(const char* program) {
  char mode[] = "count";
  char* arguments[] = {mode, nullptr};
  MPI_Comm child = MPI_COMM_NULL;
  MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(child, 0, &all);
  const int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  if (rank == 0) {
    int told = 0;
    MPI_Recv(&told, 1, MPI_INT, 0, 3, child, MPI_STATUS_IGNORE);
    sum = sum == told ? sum : -1;
    MPI_Send(&sum, 1, MPI_INT, 0, 3, parent);
  }
  MPI_Comm_disconnect(&all);
  MPI_Comm_disconnect(&child);
}

/// Connects with a port and sends a word to everybody there.
void connect(const char* port) {
  MPI_Comm there = MPI_COMM_NULL;
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &there);
  int servers = 0;
  MPI_Comm_remote_size(there, &servers);
  for (int server = 0; server < servers; ++server) MPI_Send(&rank, 1, MPI_INT, server, 6, there);
  MPI_Comm_disconnect(&there);
}

/// Binds all of the parents' world to our world, though only one of them spawned us.
void meet_all() {
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_create(MPI_COMM_WORLD, 0, parent, 0, 9, &all);
  int others = 0;
  MPI_Comm_remote_size(all, &others);
  for (int other = 0; other < others; ++other) MPI_Send(&rank, 1, MPI_INT, other, 7, all);
  MPI_Comm_disconnect(&all);
}

std::string folder() {
  char path[PATH_MAX] = "";
  return getcwd(path, sizeof path) != nullptr ? path : "";
}

std::string host() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "report";
  if (mode == "early") return 3;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (parent == MPI_COMM_NULL) MPI_Abort(MPI_COMM_WORLD, 9);
  if (mode == "report") report();
  if (mode == "count") count();
  if (mode == "windows") work_with_parents(starling::tests::use_windows);
  if (mode == "file") work_with_parents([&](MPI_Comm all) { starling::tests::use_file(all, argv[2]); });
  if (mode == "echo") echo();
  if (mode == "arguments") {
    for (int i = 2; i < argc; ++i) send_text(argv[i]);
    send_text("");
  }
  if (mode == "folder") send_text(folder());
  if (mode == "host") send_text(host());
  if (mode == "grandchild") spawn_grandchild(argv[0]);
  if (mode == "connect") connect(argv[2]);
  if (mode == "meet") meet_all();
  if (mode == "abort") MPI_Abort(MPI_COMM_WORLD, 7);
  if (mode == "crash") std::abort();
  if (mode == "sleep") sleep(600);
  if (mode == "later") {  // lives on after it has let go of those who spawned it
    MPI_Comm_disconnect(&parent);
    sleep(1);
    std::printf("the child has lived on\n");
  }
  if (mode != "free" && parent != MPI_COMM_NULL) MPI_Comm_disconnect(&parent);
  if (mode == "free") MPI_Comm_free(&parent);
  MPI_Finalize();
  return 0;
}
