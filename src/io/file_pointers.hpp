// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FilePointers: the individual and the shared pointer of one open file, in etypes of the current view.
// Thread safety: the holder of the world's lock. Source: MPI-5.0, chapter 14.4.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "io/shared_pointer.hpp"
#include "world/world.hpp"

namespace starling::io {

/// Which position an access has, and what moves on behind it.
enum class Pointer : std::uint8_t { kExplicit, kIndividual, kShared };

class FilePointers {
 public:
  FilePointers() noexcept = default;
  /// shared_place: what SharedPointer::allocate gave rank 0.
  FilePointers(memory::JobSegment& segment, std::uint64_t shared_place) noexcept
      : shared_place_(shared_place), shared_(segment, shared_place) {}

  [[nodiscard]] std::int64_t individual() const noexcept { return individual_; }
  void set_individual(std::int64_t etypes) noexcept { individual_ = etypes; }

  /// Ok when there is a shared pointer.
  [[nodiscard]] Status check_shared() const;
  [[nodiscard]] bool has_shared() const noexcept { return shared_.exists(); }
  [[nodiscard]] std::int64_t shared() const noexcept { return shared_.get(); }
  void set_shared(std::int64_t etypes) noexcept { shared_.set(etypes); }
  /// Rank 0, once no rank uses the shared pointer any more.
  void release_shared(memory::JobSegment& segment) const { SharedPointer::release(segment, shared_place_); }

  /// Where an access of so many etypes begins; moves the pointer. offset: for kExplicit.
  std::int64_t claim(Pointer pointer, std::int64_t offset, std::int64_t etypes) noexcept;
  /// The same for the shared pointer in the order of the ranks. Collective.
  Result<std::int64_t> claim_in_order(world::World& world, comm::Communicator& comm, std::int64_t etypes);

 private:
  std::int64_t individual_ = 0;
  std::uint64_t shared_place_ = SharedPointer::kNowhere;
  SharedPointer shared_;
};

}  // namespace starling::io
