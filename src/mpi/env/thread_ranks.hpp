// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads of one process, for tests and for src/simulate: each thread has its own Context, and with it its own
// World. The thread calls MPI_Init, communicates and calls MPI_Finalize as a process would. The ranks stand on one
// node, or on several that a network joins, simulated, TCP or given: then each node has a job segment of its own, and
// its ranks reach those of other nodes by that network alone.
//
// Thread safety: several jobs may run in one process, one after the other or at once. A thread that helps a rank binds
// the rank's context with a ContextScope.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "mpi/boundary/context.hpp"
#include "observe/event_ring.hpp"
#include "transport/loop/settings.hpp"

namespace starling::mpi {

/// Makes a context current on this thread for as long as it lives.
class ContextScope {
 public:
  explicit ContextScope(Context& context) noexcept : previous_(std::exchange(internal::thread_context, &context)) {}
  ~ContextScope() { internal::thread_context = previous_; }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  Context* previous_;
};

/// Which ranks a node gets.
enum class Dealing : std::uint8_t {
  kBlocks,      ///< ranks that follow each other
  kRoundRobin,  ///< each rank goes to the next node, so that ranks on their node differ from those in the world
};

/// What joins the nodes.
enum class Joining : std::uint8_t {
  kSimulated,  ///< transport::loop
  kTcp,        ///< TCP over the loopback interface
  kGiven,      ///< ThreadRanks::given
};

/// A job whose ranks are threads.
struct ThreadRanks {
  int ranks = 1;
  int nodes = 1;  ///< from 1 to ranks
  Dealing dealing = Dealing::kBlocks;
  int cores_of_node = 0;         ///< that the ranks of each node have; 0: the nodes share those of this machine
  config::Overrides settings{};  ///< configuration variables of all ranks
  Joining joining = Joining::kSimulated;
  transport::loop::Settings network = {};    ///< if it is simulated
  transport::GivenNetwork* given = nullptr;  ///< outlives the job
  observe::TraceMode trace = observe::TraceMode::kOff;
  std::uint32_t trace_events = 0;  ///< in the ring of a traced rank, a power of two
};

/// The ranks of such a job, for who starts their threads: each of them makes the context of its rank current.
class ThreadJob {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ThreadJob>> create(const ThreadRanks& job);
  virtual ~ThreadJob() = default;

  [[nodiscard]] virtual Context& context(int rank) = 0;
  /// The ranks that have initialised MPI but not finalised it.
  [[nodiscard]] virtual int unfinished() const = 0;
};

/// Runs body(rank) on a thread for each rank and waits for all. Returns the number of ranks that initialised MPI but
/// did not finalise it, so 0 when all went well; -1 when the job cannot be made, which it then says.
int run_ranks_as_threads(const ThreadRanks& job, const std::function<void(int rank)>& body);

}  // namespace starling::mpi
