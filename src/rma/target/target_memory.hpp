// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TargetMemory: reads and writes the memory of targets, however each is reached: by loads and stores, by the kernel, or
// at the target's handler. Thread safety: the world's lock; asking a target handler gives it up.
#pragma once

#include <cstdint>

#include "p2p/point_to_point.hpp"
#include "rma/target/put_streams.hpp"
#include "rma/target/target.hpp"
#include "rma/target/target_service.hpp"

namespace starling::rma {

/// A position in the packed sequence of a target's data.
struct TargetPosition {
  std::uint64_t address;  ///< of displacement 0
  const Place* place;
  std::int64_t bytes = 0;  ///< of data before it
};

class TargetMemory {
 public:
  TargetMemory(p2p::PointToPoint& p2p, TargetService& service, PutStreams& puts) noexcept
      : p2p_(p2p), service_(service), puts_(puts) {}

  /// Moves the next bytes and advances.
  Status read(const Target& target, TargetPosition& at, void* to, std::int64_t bytes);
  Status write(const Target& target, TargetPosition& at, const void* from, std::int64_t bytes);

  /// Begins a write of one stretch, whose data may change at once and which is done after finish(). False: it must go
  /// another way.
  bool put(const Target& target, std::uint64_t address, const void* from, std::int64_t bytes);
  Status finish(const Target& target) {
    return target.reach == Reach::kTargetOrKernel ? puts_.finish(target.local) : Status();
  }
  Status finish_all() { return puts_.finish_all(); }

  /// Have the target itself do it, under the window's lock that the caller holds. False: it did not, and nothing has
  /// changed.
  bool combine(const Target& target, const Combination& what);
  bool swap(const Target& target, const Swap& what);

 private:
  /// Whether the target may be asked for so many bytes.
  static bool asks(const Target& target, std::uint64_t bytes) noexcept {
    return target.reach == Reach::kTargetHandler || (target.reach == Reach::kTargetOrKernel && bytes <= kAskedBytes);
  }
  /// Whether the kernel is to be called though the target may be asked.
  bool prefers_kernel(const Target& target, KernelChoice::Access access, std::uint64_t bytes) {
    return target.reach == Reach::kTargetOrKernel && bytes >= KernelChoice::kLeastBytes && bytes <= kAskedBytes &&
           service_.kernel_choice(target.local).next_is_kernel(access, bytes);
  }
  static Asking asking(const Target& target) noexcept {
    return target.reach == Reach::kTargetHandler ? Asking::kUntilDone : Asking::kWhileItPolls;
  }
  /// What is longer the kernel moves sooner: it copies once.
  static constexpr std::uint64_t kAskedBytes = std::uint64_t{16} * 1024;

  p2p::PointToPoint& p2p_;  ///< which knows the way to the memory of each peer
  TargetService& service_;
  PutStreams& puts_;
};

}  // namespace starling::rma
