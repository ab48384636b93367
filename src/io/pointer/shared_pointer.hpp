// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SharedPointer: the file pointer that all ranks of an open file have in common: one number that an access moves by
// itself, in the memory that the ranks share or, where they are on several nodes, in a window at rank 0. So nothing is
// left behind on any disk.
//
// Thread safety: the holder of the world's lock; what waits gives it up. Invariants: all ranks of a file have the same
// kind, and all have it or none. Source: MPI-5.0, chapter 14.4.4.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.hpp"
#include "io/operation/claim.hpp"

namespace starling::io {

class SharedPointer {
 public:
  virtual ~SharedPointer() = default;
  SharedPointer(const SharedPointer&) = delete;
  SharedPointer& operator=(const SharedPointer&) = delete;

  // In etypes of the current view.
  virtual Result<std::int64_t> get() = 0;
  /// Rank 0.
  virtual Status set(std::int64_t etypes) = 0;
  /// Moves the pointer on and returns where it was.
  virtual Result<std::int64_t> advance(std::int64_t etypes) = 0;
  /// The same without waiting. The claim stays where it is until nothing is under way.
  virtual Result<std::unique_ptr<Claim>> start_advance(std::int64_t etypes) = 0;

  /// Collective, once no rank uses it any more.
  virtual Status release() = 0;

 protected:
  SharedPointer() = default;
};

}  // namespace starling::io
