// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Message: one side of a message, as a send, a receive or a probe names it.
// Thread safety: value types. Source: MPI-5.0, 3.2 to 3.4.
#pragma once

#include <cstdint>

#include "comm/communicator.hpp"
#include "datatype/types/datatype.hpp"
#include "observe/awaited.hpp"
#include "p2p/matching/envelope.hpp"

namespace starling::p2p {

/// The null process, at the value of the ABI as are the wildcards, so that mpi/ passes them through.
inline constexpr std::int32_t kProcNull = -3;

/// Buffered sends are standard sends from a buffer that mpi/ manages.
enum class SendMode : std::uint8_t {
  kStandard,
  kSynchronous,
  kReady,
  kCopiedOnce,  ///< a standard send whose receiver copies from this rank's memory, where it can and that may pay
};

/// Which of a communicator's context ids a message travels under.
enum class Channel : std::uint8_t { kPointToPoint, kCollective, kPartitioned };

/// rank is the destination or the source in comm, or a wildcard, or kProcNull.
struct Message {
  void* buffer;  ///< a send reads only
  std::int64_t count;
  const datatype::Datatype* type;
  std::int32_t rank;
  std::int32_t tag;
  comm::Communicator* comm;
  Channel channel = Channel::kPointToPoint;
  bool is_operand = false;  ///< of a receive: the message is an operand of a reduction, which this rank reads at once
};

[[nodiscard]] inline std::uint32_t context_id_of(const Message& message) noexcept {
  if (message.channel == Channel::kPointToPoint) [[likely]]
    return message.comm->context_id();
  return message.channel == Channel::kCollective ? message.comm->collective_context_id()
                                                 : message.comm->partitioned_context_id();
}

/// What a receive or a probe matches.
[[nodiscard]] inline Envelope pattern_of(const Message& message) noexcept {
  return {context_id_of(message), message.rank, message.tag};
}

/// A message under a context id, for the status card.
[[nodiscard]] inline observe::Awaited awaited_message(observe::AwaitedAs as, PeerId peer, std::int32_t tag,
                                                      std::uint32_t context_id) noexcept {
  observe::Awaited awaited;
  awaited.peer = peer;
  awaited.tag = tag;
  awaited.context_id = context_id & ~(comm::Communicator::kPartitioned | 1U);
  const bool partitioned = (context_id & comm::Communicator::kPartitioned) != 0;
  awaited.as = partitioned           ? observe::AwaitedAs::kPartitioned
               : context_id % 2 != 0 ? observe::AwaitedAs::kCollective
                                     : as;
  return awaited;
}

/// What a probe waits for.
[[nodiscard]] inline observe::Awaited awaited_by(const Message& pattern) noexcept {
  const PeerId peer = pattern.rank == kAnySource ? PeerId() : pattern.comm->peer(pattern.rank);
  return awaited_message(observe::AwaitedAs::kProbe, peer, pattern.tag, context_id_of(pattern));
}

}  // namespace starling::p2p
