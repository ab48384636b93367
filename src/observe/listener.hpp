// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Listener: hears at once what happens in its rank. The components tell it where there is one; they look for it only
// off the path of a short message, so that a rank to which nobody listens does nothing for it.
//
// Thread safety: the world's lock, which is held while it listens. Invariants: it neither makes progress nor waits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling::observe {

enum class OccurrenceKind : std::uint8_t {
  kCallBegun,
  kCallEnded,
  kWaitBegun,           ///< a wait has become long: number is its WaitKind, rank a world rank
  kWaitEnded,           ///< number: nanoseconds since it had become long
  kMessageSent,         ///< rank: the destination in the communicator
  kMessageEarly,        ///< a message has come before its receive. rank: the source in the communicator
  kMessageMatched,      ///< a message has met its receive. rank: as above; number: 1 where the message had come before
  kCollectiveBegun,     ///< number: of the communicator's collectives on this rank, from 1; rank: the root
  kCollectiveEnded,     ///< number: as above
  kCommunicatorMade,    ///< number: its processes, on an intercommunicator those of the remote group
  kCommunicatorFreed,   ///< by the program
  kProcessFailed,       ///< rank: a world rank
  kCommunicatorRevoked  ///< this rank has learnt of it
};
inline constexpr std::size_t kOccurrenceKinds = 13;

struct Occurrence {
  static constexpr std::uint32_t kNoContext = ~std::uint32_t{0};

  OccurrenceKind kind = OccurrenceKind::kCallBegun;
  std::uint32_t call = 0;                 ///< index of the MPI function in the generated table; 0: none
  std::uint32_t context_id = kNoContext;  ///< of the communicator (comm::Communicator::context_id)
  std::int32_t rank = -1;                 ///< negative: any, or none
  std::int32_t tag = -1;
  std::uint64_t bytes = 0;
  std::uint64_t number = 0;
};

class Listener {
 public:
  virtual void hear(const Occurrence& what) = 0;

 protected:
  ~Listener() = default;
};

}  // namespace starling::observe
