// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The point-to-point engine of one rank: matching, protocols and requests over whatever transport reaches each peer.
//
// Thread safety: every call needs the world's lock (progress::Engine::lock) under MPI_THREAD_MULTIPLE; blocking calls
// give it up while they wait. Arguments have been checked by the caller: ranks are in range, buffers and datatypes
// valid. Source: MPI-5.0, chapter 3; Sun HPC ClusterTools, "Sun MPI Implementation", Shared-Memory Point-to-Point.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.hpp"
#include "comm/communicator.hpp"
#include "config/config.hpp"
#include "datatype/datatype.hpp"
#include "p2p/matching/envelope.hpp"
#include "p2p/request/request.hpp"
#include "progress/engine.hpp"
#include "transport/remote_memory.hpp"

namespace starling::p2p {

/// The null process, at the value of the ABI as are the wildcards, so that mpi/ passes them through.
inline constexpr std::int32_t kProcNull = -3;

/// Buffered sends are standard sends from a buffer that mpi/ manages.
enum class SendMode : std::uint8_t { kStandard, kSynchronous, kReady };

/// Which of a communicator's context ids a message travels under.
enum class Channel : std::uint8_t { kPointToPoint, kCollective, kPartitioned };

/// One side of a message. rank is the destination or the source in comm, or a wildcard, or kProcNull.
struct Message {
  void* buffer;  ///< a send reads only
  std::int64_t count;
  const datatype::Datatype* type;
  std::int32_t rank;
  std::int32_t tag;
  comm::Communicator* comm;
  Channel channel = Channel::kPointToPoint;
};

[[nodiscard]] inline std::uint32_t context_id_of(const Message& message) noexcept {
  if (message.channel == Channel::kPointToPoint) [[likely]]
    return message.comm->context_id();
  return message.channel == Channel::kCollective ? message.comm->collective_context_id()
                                                 : message.comm->partitioned_context_id();
}

/// A message that a matched probe has taken out of the queue (MPI_Message).
struct UnexpectedMessage;
using MatchedMessage = UnexpectedMessage;

class Engine {
 public:
  /// `progress` and `segment` outlive the engine. Full connections are opened here when the configuration asks.
  static Result<std::unique_ptr<Engine>> create(progress::Engine& progress, const config::Store& config);
  virtual ~Engine() = default;

  // Blocking.
  virtual Status send(const Message& message, SendMode mode) = 0;
  virtual Status receive(const Message& message, Completion* completion) = 0;

  // Nonblocking. Buffers stay valid until completion; communicator and datatype may be freed before it. Never null.
  // Sends that left at once may share one request, which is complete: look at complete() before setting a continuation.
  virtual Request* isend(const Message& message, SendMode mode) = 0;
  virtual Request* ireceive(const Message& message) = 0;

  // Probes. False: nothing matches now.
  virtual bool iprobe(const Message& pattern, Completion* completion) = 0;
  virtual MatchedMessage* improbe(const Message& pattern, Completion* completion) = 0;
  virtual Request* imreceive(MatchedMessage& matched, const Message& message) = 0;

  /// Polls until the request is complete.
  void wait(Request& request) {
    progress().wait([&] { return request.complete(); });
  }

  /// Adds the processes of another segment, in which this one has a place, as peers. Their numbers follow one another;
  /// the first is returned. In their messages context ids count from first_context on.
  virtual Result<std::int32_t> attach(memory::JobSegment& segment, std::uint32_t place,
                                      std::uint32_t first_context) = 0;
  /// Whether anything to or from the peers that came with `first` is still under way here.
  [[nodiscard]] virtual bool busy_with(std::int32_t first) = 0;
  /// Lets these peers go, with what came from them and nobody received. They are not busy.
  virtual void detach(std::int32_t first) = 0;

  /// Completes what peers can see before the rank leaves: sends still queued, acknowledgements owed.
  virtual Status drain() = 0;

  [[nodiscard]] virtual progress::Engine& progress() noexcept = 0;

  /// The memories of other ranks, where the machine lets this one reach them.
  [[nodiscard]] virtual transport::RemoteMemory& remote_memory() noexcept = 0;

  /// Pending operations, for the hang report and for leak checks in tests.
  struct Pending {
    std::int64_t posted_receives = 0;
    std::int64_t unexpected_messages = 0;
    std::int64_t unexpected_bytes = 0;
    std::int64_t sends = 0;
  };
  [[nodiscard]] virtual Pending pending() const = 0;
};

}  // namespace starling::p2p
