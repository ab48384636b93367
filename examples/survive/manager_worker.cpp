// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A manager that hands out tasks, and workers that may die: what a dead worker had is handed out again, and nothing is
// ever rolled back. There is no collective call after the start, so there is nothing to revoke either.
//
//   mpiexec --survive -n 5 manager_worker [TASKS] [DEATHS]      workers 1 to DEATHS die in the middle of a task
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

namespace {

enum Tag { kTask = 1, kResult = 2 };
constexpr long kStop = -1;

long work(long task) {
  long sum = 0;
  for (long i = 0; i < 100'000; ++i) sum += (task * i) % 7;
  return sum;
}

void be_worker(int rank, int deaths) {
  for (int done = 0;; ++done) {
    long task = kStop;
    if (MPI_Recv(&task, 1, MPI_LONG, 0, kTask, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS || task == kStop)
      return;
    if (rank <= deaths && done == rank) kill(getpid(), SIGKILL);
    const long result[2] = {task, work(task)};
    if (MPI_Send(result, 2, MPI_LONG, 0, kResult, MPI_COMM_WORLD) != MPI_SUCCESS) return;
  }
}

class Manager {
 public:
  Manager(int size, long tasks)
      : has_(static_cast<std::size_t>(size), kStop), results_(static_cast<std::size_t>(tasks), 0) {
    for (long task = 0; task < tasks; ++task) waiting_.push_back(task);
  }

  /// The sum of all results; -1 when no worker is left.
  long run() {
    for (std::size_t worker = 1; worker < has_.size(); ++worker) give(static_cast<int>(worker));
    while (left() > 0) {
      long result[2];
      MPI_Status status;
      if (MPI_Recv(result, 2, MPI_LONG, MPI_ANY_SOURCE, kResult, MPI_COMM_WORLD, &status) != MPI_SUCCESS) {
        take_back_from_the_dead();
        if (living_ == 0) return -1;
        continue;
      }
      results_[static_cast<std::size_t>(result[0])] = result[1];
      ++done_;
      has_[static_cast<std::size_t>(status.MPI_SOURCE)] = kStop;
      give(status.MPI_SOURCE);
    }
    for (std::size_t worker = 1; worker < has_.size(); ++worker) {
      MPI_Send(&kStop, 1, MPI_LONG, static_cast<int>(worker), kTask, MPI_COMM_WORLD);
    }
    long sum = 0;
    for (const long result : results_) sum += result;
    return sum;
  }

 private:
  [[nodiscard]] long left() const { return static_cast<long>(results_.size()) - done_; }

  void give(int worker) {
    if (waiting_.empty()) return;
    long& has = has_[static_cast<std::size_t>(worker)];
    has = waiting_.front();
    waiting_.pop_front();
    // A worker that is dead by now is found dead by the next receive.
    MPI_Send(&has, 1, MPI_LONG, worker, kTask, MPI_COMM_WORLD);
  }

  /// Acknowledged, the deaths do not stand in the way of the next receive.
  void take_back_from_the_dead() {
    MPIX_Comm_failure_ack(MPI_COMM_WORLD);
    MPI_Group dead = MPI_GROUP_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &dead);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    int count = 0;
    MPI_Group_size(dead, &count);
    living_ = static_cast<int>(has_.size()) - 1 - count;
    std::vector<bool> idle(has_.size(), true);
    for (int i = 0; i < count; ++i) {
      int worker = 0;
      MPI_Group_translate_ranks(dead, 1, &i, all, &worker);
      idle[static_cast<std::size_t>(worker)] = false;
      long& has = has_[static_cast<std::size_t>(worker)];
      if (has != kStop) waiting_.push_front(has);
      has = kStop;
    }
    for (std::size_t worker = 1; worker < has_.size(); ++worker) {
      if (idle[worker] && has_[worker] == kStop) give(static_cast<int>(worker));
    }
    MPI_Group_free(&dead);
    MPI_Group_free(&all);
  }

  std::vector<long> has_;  ///< the task of each worker
  std::vector<long> results_;
  std::deque<long> waiting_;
  long done_ = 0;
  int living_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const long tasks = argc > 1 ? std::atol(argv[1]) : 200;
  const int deaths = argc > 2 ? std::atoi(argv[2]) : 2;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int status = 0;
  if (rank != 0) {
    be_worker(rank, deaths);
  } else {
    long expected = 0;
    for (long task = 0; task < tasks; ++task) expected += work(task);
    const long sum = Manager(size, tasks).run();
    std::printf("%ld tasks, %d workers of whom %d died: %s\n", tasks, size - 1, deaths,
                sum == expected ? "every result is there" : "results are missing");
    status = sum == expected ? 0 : 1;
  }
  MPI_Finalize();
  return status;
}
