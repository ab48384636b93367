// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FilePointers: the individual and the shared pointer of one open file, in etypes of the current view.
// Thread safety: the holder of the world's lock. Source: MPI-5.0, chapter 14.4.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "io/pointer/shared_pointer.hpp"
#include "world/world.hpp"

namespace starling::io {

/// Which position an access has, and what moves on behind it.
enum class Pointer : std::uint8_t { kExplicit, kIndividual, kShared };

class FilePointers {
 public:
  FilePointers() noexcept = default;
  /// shared: null, there is none.
  explicit FilePointers(std::unique_ptr<SharedPointer> shared) noexcept : shared_(std::move(shared)) {}

  [[nodiscard]] std::int64_t individual() const noexcept { return individual_; }
  void set_individual(std::int64_t etypes) noexcept { individual_ = etypes; }

  /// Ok when there is a shared pointer.
  [[nodiscard]] Status check_shared() const;
  [[nodiscard]] bool has_shared() const noexcept { return shared_ != nullptr; }
  /// Where there is one.
  [[nodiscard]] SharedPointer& shared() const noexcept { return *shared_; }

  /// Where an access of so many etypes begins; moves the pointer. offset: for kExplicit.
  Result<std::int64_t> claim(Pointer pointer, std::int64_t offset, std::int64_t etypes);
  /// The same for the shared pointer in the order of the ranks. Collective.
  Result<std::int64_t> claim_in_order(world::World& world, comm::Communicator& comm, std::int64_t etypes);

 private:
  std::int64_t individual_ = 0;
  std::unique_ptr<SharedPointer> shared_;
};

}  // namespace starling::io
