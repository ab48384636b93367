// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/shared/attachments.hpp"

#include <algorithm>
#include <string>

#include "base/format.hpp"

namespace starling::rma {

// All orders that C++ permits are tried in tests/weak_memory/records_test.cpp.

bool AttachmentTable::search(std::uint64_t begin, std::uint64_t end) const noexcept {
  std::uint32_t low = 0;
  const std::uint32_t all = std::min(count.load(std::memory_order_relaxed), kRoom);
  std::uint32_t high = all;
  // The last stretch that begins at or before `begin`.
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (entries[middle].begin.load(std::memory_order_relaxed) <= begin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return false;
  std::uint64_t reached = entries[low - 1].end.load(std::memory_order_relaxed);
  if (reached <= begin) return false;
  for (; reached < end && low < all; ++low) {
    if (entries[low].begin.load(std::memory_order_relaxed) != reached) return false;
    reached = entries[low].end.load(std::memory_order_relaxed);
  }
  return end <= reached;
}

bool AttachmentTable::holds(std::uint64_t begin, std::uint64_t end) const noexcept {
  while (true) {
    const std::uint32_t before = version.load(std::memory_order_acquire);
    if (overflowed.load(std::memory_order_relaxed) != 0) return true;
    const bool found = search(begin, end);
    // The loads above come before the one below.
    std::atomic_thread_fence(std::memory_order_acquire);
    if ((before & 1) == 0 && version.load(std::memory_order_relaxed) == before) return found;
    cpu_relax();
  }
}

Status not_attached(std::int32_t rank) {
  return Status::error(ErrorClass::kRmaRange,
                       formatted("rank {} has attached no memory that holds the access; target_disp is an address "
                                 "there, as MPI_Get_address gives it",
                                 rank));
}

Status Attachments::add(AttachmentTable& table, std::uint64_t begin, std::uint64_t bytes) {
  if (bytes == 0) {
    empty_.push_back(begin);
    return {};
  }
  const std::uint64_t end = begin + bytes;
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), begin,
                                      [](std::uint64_t at, const Stretch& stretch) { return at < stretch.begin; });
  const bool overlaps = (after != stretches_.end() && after->begin < end) ||
                        (after != stretches_.begin() && std::prev(after)->end > begin);
  if (overlaps) {
    return Status::error(ErrorClass::kRmaAttach,
                         "the memory overlaps with memory that is attached already; detach that first");
  }
  stretches_.insert(after, {begin, end});
  publish(table);
  return {};
}

Status Attachments::remove(AttachmentTable& table, std::uint64_t begin) {
  if (const auto found = std::find(empty_.begin(), empty_.end(), begin); found != empty_.end()) {
    empty_.erase(found);
    return {};
  }
  if (std::erase_if(stretches_, [&](const Stretch& stretch) { return stretch.begin == begin; }) == 0) {
    return Status::error(ErrorClass::kRmaAttach,
                         "no memory is attached at this address; pass the address that was given to MPI_Win_attach");
  }
  publish(table);
  return {};
}

void Attachments::publish(AttachmentTable& table) const noexcept {
  const std::uint32_t version = table.version.load(std::memory_order_relaxed);
  table.version.store(version + 1, std::memory_order_relaxed);
  // The odd version comes before the stores below.
  std::atomic_thread_fence(std::memory_order_release);
  const bool fits = stretches_.size() <= AttachmentTable::kRoom;
  table.overflowed.store(fits ? 0 : 1, std::memory_order_relaxed);
  for (std::size_t i = 0; fits && i < stretches_.size(); ++i) {
    table.entries[i].begin.store(stretches_[i].begin, std::memory_order_relaxed);
    table.entries[i].end.store(stretches_[i].end, std::memory_order_relaxed);
  }
  table.count.store(fits ? static_cast<std::uint32_t>(stretches_.size()) : 0, std::memory_order_relaxed);
  table.version.store(version + 2, std::memory_order_release);
}

}  // namespace starling::rma
