// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the exchange thread is made of: a lock, a signal, a thread, and an allgather that goes on by itself. They are
// the machine's and MPI's, or, where the library is compiled for simulated clusters (STARLING_SIMULATED), SimGrid's:
// its processes take turns on one thread of the machine and must not block it, and its MPI knows one thread of each.
//
// Thread safety: as std::mutex, std::condition_variable and std::thread have it; an Allgather has one owner at a time.
#pragma once

#include <mpi.h>

#include <vector>

#if defined(STARLING_SIMULATED)
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <simgrid/s4u.hpp>
#include <string>

namespace starling::pap {

class Lock {
 public:
  void lock() { mutex_->lock(); }
  void unlock() { mutex_->unlock(); }

 private:
  friend class Signal;
  simgrid::s4u::MutexPtr mutex_ = simgrid::s4u::Mutex::create();
};

class Signal {
 public:
  void notify_one() { condition_->notify_one(); }
  void wait(std::unique_lock<Lock>& guard) { condition_->wait(guard.mutex()->mutex_); }
  void wait_for(std::unique_lock<Lock>& guard, std::chrono::duration<double> time) {
    std::unique_lock<simgrid::s4u::Mutex> held(*guard.mutex()->mutex_, std::adopt_lock);
    condition_->wait_for(held, time.count());
    held.release();
  }

 private:
  simgrid::s4u::ConditionVariablePtr condition_ = simgrid::s4u::ConditionVariable::create();
};

/// Beside its process, on the same simulated node, which has a core for it.
class Thread {
 public:
  Thread() = default;
  explicit Thread(const std::function<void()>& work)
      : actor_(simgrid::s4u::Actor::create("thread", simgrid::s4u::this_actor::get_host(), work)) {}
  [[nodiscard]] bool joinable() const { return actor_ != nullptr; }
  void join() {
    actor_->join();
    actor_ = nullptr;
  }

 private:
  simgrid::s4u::ActorPtr actor_;
};

inline double clock_s() { return simgrid::s4u::Engine::get_clock(); }
/// Whoever looks again and again takes time for it.
inline void yield() { simgrid::s4u::this_actor::sleep_for(20e-6); }

/// Of the same number of doubles from each rank, in ever longer messages: as many steps as the binary logarithm of the
/// ranks (Bruck). Made by all ranks at once.
class Allgather {
 public:
  explicit Allgather(MPI_Comm comm) {
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &size_);
    static int made = 0;  // by whichever processes; all of one collection take the number of their first
    number_ = made++;
    PMPI_Bcast(&number_, 1, MPI_INT, 0, comm);
  }
  int begin(const std::vector<double>& mine, std::vector<double>& all) {
    done_ = std::make_shared<bool>(false);
    const auto work = [number = number_, rank = rank_, size = size_, mine, &all, done = done_] {
      std::vector<double> have = mine;  // of this rank and those that follow it
      for (int step = 1; step < size; step *= 2) {
        const auto box = [&](int to) {
          return simgrid::s4u::Mailbox::by_name("pap." + std::to_string(number) + "." + std::to_string(step) + "." +
                                                std::to_string(to));
        };
        const std::size_t count = mine.size() * static_cast<std::size_t>(std::min(step, size - step));
        // SimGrid's MPI has its messages, and so all of the simulation, copied by what they point to: here a pointer.
        auto* told = new std::vector<double>(have.begin(), have.begin() + static_cast<std::ptrdiff_t>(count));
        const auto sent = box((rank + size - step) % size)->put_async(&told, sizeof(double) * count);
        const std::unique_ptr<std::vector<double>> heard(box(rank)->get<std::vector<double>>());
        have.insert(have.end(), heard->begin(), heard->end());
        sent->wait();
      }
      const auto first =
          static_cast<std::ptrdiff_t>(mine.size()) * (size - rank) % static_cast<std::ptrdiff_t>(have.size());
      std::rotate_copy(have.begin(), have.begin() + first, have.end(), all.begin());
      *done = true;
    };
    simgrid::s4u::Actor::create("allgather", simgrid::s4u::this_actor::get_host(), work);
    return MPI_SUCCESS;
  }
  int test(int* done) {
    *done = *done_ ? 1 : 0;
    return MPI_SUCCESS;
  }

 private:
  int number_ = 0;
  int rank_ = 0;
  int size_ = 0;
  std::shared_ptr<bool> done_;
};

}  // namespace starling::pap

#else
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace starling::pap {

using Lock = std::mutex;
using Signal = std::condition_variable;
using Thread = std::thread;

/// Seconds of the machine's monotonic clock.
inline double clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
inline void yield() { std::this_thread::yield(); }

/// Of the same number of doubles from each rank, which both vectors have room for. Gives back MPI's codes.
class Allgather {
 public:
  explicit Allgather(MPI_Comm comm) : comm_(comm) {}
  int begin(const std::vector<double>& mine, std::vector<double>& all) {
    const int numbers = static_cast<int>(mine.size());
    return PMPI_Iallgather(mine.data(), numbers, MPI_DOUBLE, all.data(), numbers, MPI_DOUBLE, comm_, &request_);
  }
  int test(int* done) { return PMPI_Test(&request_, done, MPI_STATUS_IGNORE); }

 private:
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace starling::pap
#endif
