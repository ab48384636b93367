// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One task at a time through nodes that idle: how long it takes there and back, and what the idling costs.
//
// usage: mpiexec -n 3 idle TASKS PAUSE_MS polled|asleep --farm-tree FILE
// `polled` keeps MPI below MPI_THREAD_MULTIPLE, so that relays poll. Prints at the server the median microseconds of a
// task, and for each process the share of a core that it used.
#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "starling/farm.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double processor_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The next task begins a pause after the last one is back.
class OneAtATime {
 public:
  OneAtATime(long count, std::chrono::milliseconds pause) : count_(count), pause_(pause) {}

  std::optional<long> next() {
    std::unique_lock lock(mutex_);
    back_.wait(lock, [this] { return !away_; });
    if (given_ == count_) return std::nullopt;
    std::this_thread::sleep_for(pause_);
    away_ = true;
    since_ = Clock::now();
    return given_++;
  }
  void take(long) {
    const std::lock_guard lock(mutex_);
    times_us_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - since_).count());
    away_ = false;
    back_.notify_one();
  }
  double median_us() {
    std::sort(times_us_.begin(), times_us_.end());
    return times_us_[times_us_.size() / 2];
  }

 private:
  const long count_;
  const std::chrono::milliseconds pause_;
  long given_ = 0;
  bool away_ = false;
  Clock::time_point since_;
  std::vector<double> times_us_;
  std::mutex mutex_;
  std::condition_variable back_;
};

}  // namespace

int main(int argc, char** argv) {
  starling::farm::Options options(argc, argv);
  if (argc != 4) return 3;
  options.summary = false;
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, argv[3] == std::string("polled") ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE,
                  &level);
  OneAtATime tasks(std::atol(argv[1]), std::chrono::milliseconds(std::atol(argv[2])));
  const Clock::time_point start = Clock::now();
  const double before_s = processor_s();
  const auto summary = starling::farm::run(
      options, [&] { return tasks.next(); }, [](long n) { return n; }, [&](long n) { tasks.take(n); });
  const double wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  const double share = (processor_s() - before_s) / wall_s;
  if (summary.server) std::printf("median %.0f us\n", tasks.median_us());
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::printf("rank %d: %.2f %% of a core\n", rank, 100 * share);
  MPI_Finalize();
}
