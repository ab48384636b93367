// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MemoryPointer: the shared pointer as an atomic number in the memory that all ranks of the file share.
// Thread safety: any rank at any time. Invariants: all ranks hold the same block; rank 0 gives it back.
#pragma once

#include <atomic>

#include "io/pointer/shared_pointer.hpp"
#include "memory/arena.hpp"
#include "world/world.hpp"

namespace starling::io {

class MemoryPointer final : public SharedPointer {
 public:
  /// Null in a good Result: the arena is full.
  static Result<std::unique_ptr<SharedPointer>> make(world::World& world, comm::Communicator& comm);
  MemoryPointer(memory::JobSegment& segment, std::uint64_t place, bool owns) noexcept;

  // relaxed: the number orders nothing else; data are ordered by messages.
  Result<std::int64_t> get() override { return word_->load(std::memory_order_relaxed); }
  Status set(std::int64_t etypes) override {
    word_->store(etypes, std::memory_order_relaxed);
    return {};
  }
  Result<std::int64_t> advance(std::int64_t etypes) override {
    return word_->fetch_add(etypes, std::memory_order_relaxed);
  }
  Result<std::unique_ptr<Claim>> start_advance(std::int64_t etypes) override;
  Status release() override;

 private:
  memory::JobSegment& segment_;
  std::uint64_t place_;
  bool owns_;  ///< this rank gives the block back
  std::atomic<std::int64_t>* word_;
};

}  // namespace starling::io
