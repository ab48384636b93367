// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Region: shared memory of any size behind the fixed parts of the job segment, mapped by the processes that use it.
//
// One process creates it, which makes the job's file longer, and tells the others its place; they attach. The file has
// no name, so a region too is gone with the last process of the job, however that ends. Pages are real once committed.
//
// Thread safety: create() and give_back() from any thread of any process (JobHeader::arena_lock); the rest as its
// owner. Invariants: regions do not overlap; fresh pages are zero. Places that are given back are used again when
// nothing lies behind them; a file's 63 bits of addresses do not run out meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.hpp"
#include "memory/arena.hpp"
#include "memory/job_segment.hpp"

namespace starling::memory {

class Region {
 public:
  /// Where a region lies in the job's file.
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  /// A new region of at least one page. kNoMem with the reason.
  static Result<std::unique_ptr<Region>> create(JobSegment& segment, std::uint64_t bytes);
  /// Maps a region that another process has created.
  static Result<std::unique_ptr<Region>> attach(JobSegment& segment, const Place& place);
  /// Unmaps; the memory stays until somebody gives it back.
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  [[nodiscard]] const Place& place() const noexcept { return place_; }
  [[nodiscard]] std::byte* data() const noexcept { return data_; }

  /// Makes a part real; kNoMem when there is no room.
  Status commit(std::uint64_t begin, std::uint64_t bytes) const;

  /// Returns the memory to the machine. Called when no process uses the region any more.
  void give_back(const Arena::Guard& guard);

 private:
  Region(JobSegment& segment, const Place& place, std::byte* data) noexcept
      : segment_(segment), place_(place), data_(data) {}

  JobSegment& segment_;
  Place place_;
  std::byte* data_;
};

}  // namespace starling::memory
