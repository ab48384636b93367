// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Several threads of each rank that do at once what programs do: messages, calls of all ranks, accesses, tasks that any
// of them takes, loops of tests, pauses; in an order by the dice, the same for the threads of one number on all ranks.
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/repeats.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

/// What the threads of one number have on all ranks. Made and freed by the ranks' main threads.
class ThreadsPlace {
 public:
  explicit ThreadsPlace(MPI_Comm world) {
    MPI_Comm_dup(world, &comm);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, static_cast<void*>(&count), &win);
    *count = 0;
    MPI_Barrier(comm);
  }
  ~ThreadsPlace() {
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
  }
  ThreadsPlace(const ThreadsPlace&) = delete;
  ThreadsPlace& operator=(const ThreadsPlace&) = delete;

  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Win win = MPI_WIN_NULL;
  int* count = nullptr;  ///< in the window; each rank's
};

/// One of the threads of a rank.
class StormThread {
 public:
  /// tasks: of all threads. seed: of this round.
  StormThread(Context& context, int number, const ThreadsPlace& place, MPI_Comm tasks, std::uint64_t seed)
      : world(context),
        number_(number),
        place_(place),
        tasks_(tasks),
        alike_(key_of(seed, number)),
        own_(key_of(seed, number, world.rank)) {}

  void run(int steps) {
    MPI_Win_lock_all(0, place_.win);
    for (step_ = 0; step_ < steps; ++step_) {
      switch (alike_() % 8) {
        case 0: pass_around(); break;
        case 1: exchange_with_all(); break;
        case 2: add_up(); break;
        case 3: broadcast(); break;
        case 4: exchange_later(); break;
        case 5: count_somewhere(); break;
        case 6: hand_out_and_take_a_task(); break;
        default: pause(); break;
      }
    }
    MPI_Win_unlock_all(place_.win);
    check_counts();
  }

 private:
  static constexpr int kSizes[] = {0, 8, 3000, 12'000, 30'000, 70'000};

  [[nodiscard]] int below(std::mt19937_64& dice, int end) const {
    return static_cast<int>(dice() % static_cast<std::uint64_t>(end));
  }
  [[nodiscard]] int size() { return kSizes[below(alike_, std::size(kSizes))]; }
  [[nodiscard]] int after(int distance) const { return (world.rank + distance) % world.size; }
  [[nodiscard]] int before(int distance) const { return (world.rank + world.size - distance) % world.size; }
  [[nodiscard]] std::uint64_t key(int from, int to) const { return key_of(number_, step_, from, to); }
  void check_data(const GuardedBuffer& in, std::uint64_t key) { CHECK(in.holds(key)); }

  void complete(std::vector<MPI_Request>& requests) {
    const int count = static_cast<int>(requests.size());
    int done = 0;
    switch (below(own_, 4)) {
      case 0: MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE); break;
      case 1:
        for (int i = 0; i < count; ++i) MPI_Waitany(count, requests.data(), &done, MPI_STATUS_IGNORE);
        break;
      case 2:
        while (done == 0) MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE);
        break;
      default:
        for (MPI_Request& request : requests) {
          for (done = 0; done == 0;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
        break;
    }
  }

  void pass_around() {
    const int bytes = size();
    const auto out = pattern(static_cast<std::size_t>(bytes), key(world.rank, after(1)));
    GuardedBuffer in(static_cast<std::size_t>(bytes));
    const int from = below(own_, 2) == 0 ? MPI_ANY_SOURCE : before(1);
    MPI_Sendrecv(out.data(), bytes, MPI_BYTE, after(1), step_, in.data(), bytes, MPI_BYTE, from, step_, place_.comm,
                 MPI_STATUS_IGNORE);
    check_data(in, key(before(1), world.rank));
  }

  void exchange_with_all() {
    const int bytes = size();
    std::vector<std::vector<unsigned char>> out;
    std::vector<GuardedBuffer> in;
    std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(world.size), MPI_REQUEST_NULL);
    in.reserve(static_cast<std::size_t>(world.size));
    for (int i = 0; i < world.size; ++i) {
      out.push_back(pattern(static_cast<std::size_t>(bytes), key(world.rank, after(i))));
      in.emplace_back(static_cast<std::size_t>(bytes));
      MPI_Request* const pair = &requests[2 * static_cast<std::size_t>(i)];
      MPI_Irecv(in.back().data(), bytes, MPI_BYTE, before(i), step_, place_.comm, &pair[0]);
      MPI_Isend(out.back().data(), bytes, MPI_BYTE, after(i), step_, place_.comm, &pair[1]);
    }
    complete(requests);
    for (int i = 0; i < world.size; ++i) check_data(in[static_cast<std::size_t>(i)], key(before(i), world.rank));
  }

  void add_up() {
    std::vector<int> numbers(static_cast<std::size_t>(below(alike_, 2) == 0 ? 1 : 5000), world.rank + step_);
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT, MPI_SUM, place_.comm);
    const int sum = world.size * (world.size - 1) / 2 + world.size * step_;
    CHECK_EQ(numbers.front(), sum);
    CHECK_EQ(numbers.back(), sum);
  }

  void broadcast() {
    const int bytes = size();
    const int root = below(alike_, world.size);
    GuardedBuffer data(static_cast<std::size_t>(bytes));
    if (world.rank == root) fill_pattern(data.data(), data.size(), key(root, root));
    MPI_Bcast(data.data(), bytes, MPI_BYTE, root, place_.comm);
    check_data(data, key(root, root));
  }

  void exchange_later() {
    std::vector<int> out(static_cast<std::size_t>(world.size), world.rank);
    std::vector<int> in(out.size(), -1);
    std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
    MPI_Ialltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, place_.comm, requests.data());
    MPI_Ibarrier(place_.comm, &requests[1]);
    complete(requests);
    for (int rank = 0; rank < world.size; ++rank) CHECK_EQ(in[static_cast<std::size_t>(rank)], rank);
  }

  void count_somewhere() {
    const int one = 1;
    int had = -1;
    const int target = below(own_, world.size);
    MPI_Fetch_and_op(&one, &had, MPI_INT, target, 0, MPI_SUM, place_.win);
    MPI_Win_flush(target, place_.win);
    CHECK(had >= 0);
    ++counted_;
  }

  /// To the next rank, for any of its threads. As many tasks come as are handed out, so each finds one.
  void hand_out_and_take_a_task() {
    const auto bytes_of_task = [](int tag) { return tag * 37 % 15'000; };
    const int tag = number_ * 1000 + step_;
    const auto out = pattern(static_cast<std::size_t>(bytes_of_task(tag)), key_of(world.rank, tag));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_BYTE, after(1), tag, tasks_, &request);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (below(own_, 2) == 0) {
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, tasks_, &message, &status);
    } else {
      for (int found = 0; found == 0;) {
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, tasks_, &found, &message, &status);
      }
    }
    CHECK_EQ(bytes_of(status), bytes_of_task(status.MPI_TAG));
    GuardedBuffer in(static_cast<std::size_t>(bytes_of(status)));
    MPI_Mrecv(in.data(), bytes_of(status), MPI_BYTE, &message, MPI_STATUS_IGNORE);
    check_data(in, key_of(status.MPI_SOURCE, status.MPI_TAG));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  /// Outside of MPI: asleep, or busy.
  void pause() {
    const std::chrono::microseconds length(below(own_, 400));
    if (below(own_, 2) == 0) {
      std::this_thread::sleep_for(length);
    } else {
      const auto end = std::chrono::steady_clock::now() + length;
      while (std::chrono::steady_clock::now() < end) continue;
    }
  }

  void check_counts() {
    int of_all = 0;
    int there = 0;
    MPI_Allreduce(&counted_, &of_all, 1, MPI_INT, MPI_SUM, place_.comm);
    MPI_Win_lock(MPI_LOCK_SHARED, world.rank, 0, place_.win);
    MPI_Get(&there, 1, MPI_INT, world.rank, 0, 1, MPI_INT, place_.win);
    MPI_Win_unlock(world.rank, place_.win);
    MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_SUM, place_.comm);
    CHECK_EQ(there, of_all);
  }

  Context& world;
  int number_;
  const ThreadsPlace& place_;
  MPI_Comm tasks_;
  std::mt19937_64 alike_;  ///< the same on all ranks
  std::mt19937_64 own_;
  int step_ = 0;
  int counted_ = 0;
};

MPI_CASE("threads of each rank do all that programs do at once", 1, 8) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  constexpr int kRounds = 3;
  constexpr int kMostThreads = 5;
  std::mt19937_64 dice = world.generator(12);
  MPI_Comm tasks = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &tasks);
  for (int round = 0; round < kRounds; ++round) {
    const int threads = 2 + static_cast<int>(dice() % (kMostThreads - 1));
    const std::uint64_t seed = dice();
    std::vector<std::unique_ptr<ThreadsPlace>> places;
    for (int i = 0; i < threads; ++i) places.push_back(std::make_unique<ThreadsPlace>(world.comm));
    world.run_threads(threads, [&](int number) {
      StormThread(world, number, *places[static_cast<std::size_t>(number)], tasks, seed).run(repeats(world, 100, 25));
    });
    MPI_Barrier(world.comm);
  }
  MPI_Comm_free(&tasks);
}

}  // namespace
}  // namespace starling::tests
