// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The collective calls of one rank: picks an algorithm for each call and runs its coroutine, to the end for a blocking
// call, behind a request for a nonblocking or persistent one. All run the same body of the algorithm.
//
// Thread safety: every call needs the world's lock (progress::Engine::lock); blocking calls give it up while they wait.
// Arguments have been checked by the caller: ranks are in range, counts not negative, types committed, operators valid.
// Invariants: all ranks of a communicator make their collective calls on it in the same order (MPI-5.0, 6.14), so the
// sequence number that names a call, and with it the tag of its messages, is the same on every rank.
// A failure is reported on the ranks that can see it; they still take part to the end, so that no other rank hangs.
#pragma once

#include <cstdint>
#include <memory>

#include "base/ref.hpp"
#include "base/status.hpp"
#include "collective/arguments/arguments.hpp"
#include "config/config.hpp"
#include "memory/placement.hpp"
#include "p2p/point_to_point.hpp"

namespace starling::collective {

class Call;
class PersistentCall;
class Task;

/// The body of a collective operation that a higher layer adds (collective I/O). It outlives its task.
class CollectiveBody {
 public:
  virtual Task run(Call& call) = 0;

 protected:
  ~CollectiveBody() = default;
};

class Collectives {
 public:
  /// `p2p` outlives it. placement: of the job. Fails when a STARLING_COLL_<OP> names no algorithm; the message lists
  /// those there are.
  static Result<std::unique_ptr<Collectives>> create(p2p::PointToPoint& p2p, const memory::Placement& placement,
                                                     const config::Store& config);
  virtual ~Collectives() = default;

  /// Blocking.
  virtual Status run(const Arguments& arguments) = 0;

  /// Nonblocking. Keeps communicator, datatypes and operator alive until completion, and copies the arrays of counts,
  /// displacements and types: only the buffers are the caller's until then. Calls that move nothing share one request,
  /// which is complete: look at complete() before setting a continuation.
  virtual Result<p2p::Request*> start(const Arguments& arguments) = 0;

  /// Takes note of a call of which every rank of the communicator knows that it moves nothing, as run() and start()
  /// do, and returns true. False, and nothing happens, where more is to be done: on an intercommunicator, where calls
  /// are compared or listened to, and where the call fails.
  virtual bool pass_empty(comm::Communicator& comm, Operation operation, std::int32_t root) = 0;
  /// The same for a call of which this rank knows that it sends and receives nothing, where others may: gatherv,
  /// scatterv, alltoallv and alltoallw. Also false where this rank has to wait for others nevertheless.
  virtual bool pass_without_data(comm::Communicator& comm, Operation operation, std::int32_t root) = 0;
  /// The request of such a call, which may be that of others at the same time.
  virtual p2p::Request& empty_request() noexcept = 0;

  /// Persistent: every start runs the algorithm that is chosen here.
  virtual Result<Ref<PersistentCall>> prepare(const Arguments& arguments) = 0;
  virtual Result<p2p::Request*> start(PersistentCall& call) = 0;

  // The same for bodies of a higher layer.
  virtual Status run(comm::Communicator& comm, CollectiveBody& body) = 0;
  virtual Result<p2p::Request*> start(comm::Communicator& comm, CollectiveBody& body) = 0;

  /// Ends every call on the communicator that waits. Its messages have been ended before
  /// (p2p::PointToPoint::interrupt), and no coroutine is running (progress::AsyncEventHandler).
  virtual void interrupt(const comm::Communicator& comm, const Status& why) = 0;
  /// Who hears of the program's collectives; null: nobody.
  virtual void set_listener(observe::Listener* listener) = 0;
  /// The program says which share, 0 to 1, of its work between two calls it has done: this rank's predictions change.
  virtual void tell_progress(double fraction) = 0;
  /// With STARLING_LATE_TABLE: prints who was late for the calls of the communicators whose rank 0 this is, and on
  /// rank 0 of `world` what the rank's call sites took. Local.
  virtual void report_late_ranks(const comm::Communicator& world) = 0;

  // For constructors of communicators: plain bytes, blocking, the same size on every rank.
  Status broadcast(comm::Communicator& comm, void* data, std::int64_t bytes, std::int32_t root);
  /// `all` takes size() pieces of `bytes`, in rank order.
  Status allgather(comm::Communicator& comm, const void* mine, void* all, std::int64_t bytes);
};

}  // namespace starling::collective
