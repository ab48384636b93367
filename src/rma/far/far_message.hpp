// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a window that spans nodes say to each other. All of it are messages of the window's own
// communicator, on the channel that nobody else uses there, so they have the eager protocol, the announcements, the
// credits and the failures of any message.
//
//   put, accumulate   kRequestTag: FarRequest | Comb[] | data
//   long put          kRequestTag: FarRequest | Comb, then kDataTag: the data, received where they belong
//   get, with result  kRequestTag: FarRequest | Comb[] | data, then kReplyTag back: what was there
//   compare and swap  kRequestTag: FarRequest | Comb | new element | expected element, then kReplyTag back
//   flush             kRequestTag, then kReplyTag back, empty: all requests before it are done
//   put, accumulate before a flush that is foreseen   the answer of a flush, when it is done
//   lock              kRequestTag, then kLockTag back, one byte: whether it was taken
//   unlock, post, complete   kRequestTag
// Where the target has to say first whether the memory is attached (dynamic windows), one byte on kVerdictTag goes back
// before anything else happens; of a short put and of an accumulate, when it is done.
//
// Thread safety: values. Invariants: the requests of one origin are done in order. Sources: MPI-5.0, chapter 12; Sun
// HPC ClusterTools, "Sun MPI Implementation", One-Sided Message Passing Using Remote Process.
#pragma once

#include <cstdint>

#include "datatype/op/predefined_op.hpp"
#include "datatype/types/basic.hpp"

namespace starling::rma {

enum FarTag : std::int32_t { kRequestTag = 1, kDataTag, kReplyTag, kLockTag, kVerdictTag };

enum class FarAct : std::uint8_t {
  kPut,
  kLongPut,
  kGet,
  kAccumulate,
  kCompareAndSwap,
  kFlush,
  kLock,
  kTryLock,
  kUnlock,
  kPosted,
  kCompleted,
};

struct FarRequest {
  enum Flag : std::uint8_t {
    kFetches = 1,    ///< an accumulate whose old values are wanted
    kExclusive = 2,  ///< of locks
    kAsks = 4,       ///< the target says whether [begin, end) is attached
    kAnswers = 8,    ///< the target answers when the access is done, as it answers a flush
  };

  FarAct act = FarAct::kFlush;
  datatype::PredefinedOp op = datatype::PredefinedOp::kNone;
  datatype::Basic type = datatype::Basic::kNone;  ///< of the elements of an accumulate
  std::uint8_t flags = 0;
  std::uint32_t combs = 0;
  std::uint64_t bytes = 0;  ///< of data at the target
  std::uint64_t begin = 0;  ///< what the whole access touches, of which this may be a part
  std::uint64_t end = 0;

  [[nodiscard]] bool has(Flag flag) const noexcept { return (flags & flag) != 0; }
};
static_assert(sizeof(FarRequest) == 32, "requests travel between nodes");

/// `count` stretches of the target's memory, of `bytes` each, one every `stride` bytes. Addresses count from the
/// beginning of the target's part, in dynamic windows from 0.
struct Comb {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::int64_t stride = 0;
  std::uint64_t count = 1;
};
static_assert(sizeof(Comb) == 32, "requests travel between nodes");

}  // namespace starling::rma
