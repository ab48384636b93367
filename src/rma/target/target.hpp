// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Target: what a rank knows of another rank's part of a window; and the two ends of an access.
//
// Thread safety: the world's lock. Invariants: address + bytes does not overflow; addresses are numbers until the copy
// itself, for those of dynamic windows and of other processes are no pointers here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"
#include "base/id.hpp"
#include "datatype/types/datatype.hpp"

namespace starling::rma {

/// How the memory of a target is reached.
enum class Reach : std::uint8_t {
  kDirect,          ///< loads and stores
  kKernel,          ///< the kernel copies (process_vm_readv, process_vm_writev)
  kTargetOrKernel,  ///< the target copies what is short while it waits in MPI, the kernel the rest
  kTargetHandler,   ///< the target copies
  kFar,             ///< it is on another node, and is sent messages (far/)
};

/// Whether this rank may access the target now, and by which right.
enum class Opened : std::uint8_t { kNo = 0, kStarted, kShared, kExclusive, kUnchecked };

struct alignas(kCacheLine) Target {
  std::uint64_t address =
      0;  ///< where the part begins: in this process where it is direct, else in the target's; far: 0
  std::uint64_t bytes = 0;
  std::int64_t disp_unit = 1;
  PeerId peer;      ///< for the kernel: by which number p2p knows its process
  LocalRank local;  ///< for its target handler: its index in the segment of this node; none where it is far
  Reach reach = Reach::kDirect;
  Opened opened = Opened::kNo;
  bool plain = false;  ///< direct, and a place within [0, bytes) needs no other check
};
static_assert(sizeof(Target) == kCacheLine);

/// The origin's end of an access.
struct Buffer {
  void* address = nullptr;  ///< read only by put and accumulate
  std::int64_t count = 0;
  const datatype::Datatype* type = nullptr;
};

/// The bytes that elements of a type touch, relative to the address of the first.
struct Stretch {
  std::int64_t begin;
  std::int64_t end;
};

[[nodiscard]] inline Stretch stretch_of(std::int64_t count, const datatype::Datatype& type) noexcept {
  const std::int64_t last = (count - 1) * type.extent();
  return {std::min<std::int64_t>(last, 0) + type.true_lb(), std::max<std::int64_t>(last, 0) + type.true_ub()};
}

/// The target's end.
struct Place {
  std::int32_t rank = 0;  ///< of the window's group, or p2p::kProcNull
  std::int64_t disp = 0;
  std::int64_t count = 0;
  const datatype::Datatype* type = nullptr;
};

}  // namespace starling::rma
