// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Attachments: which memory of a rank belongs to a dynamic window, so that an access elsewhere is an error and not
// damage.
//
// The owner keeps a sorted list and a copy of it in shared memory; origins search the copy. A rank may attach more than
// the copy has room for; then accesses to it are not checked any more.
//
// Layout: AttachmentTable, behind the locks of the window's control part (control.hpp).
// Thread safety: Attachments: the owner's world lock. AttachmentTable::holds: any thread of any process, while the
// owner changes it (version is odd meanwhile: Boehm, "Can Seqlocks Get Along With Programming Language Memory Models?",
// 2012). Invariants: stretches are sorted, not empty, and do not overlap.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/cpu.hpp"
#include "base/status.hpp"

namespace starling::rma {

struct AttachmentTable {
  static constexpr std::uint32_t kRoom = 4092;
  struct Entry {
    std::atomic<std::uint64_t> begin{0};
    std::atomic<std::uint64_t> end{0};
  };

  alignas(kCacheLine) std::atomic<std::uint32_t> version{0};
  std::atomic<std::uint32_t> count{0};
  std::atomic<std::uint32_t> overflowed{0};
  Entry entries[kRoom];

  /// Whether [begin, end) is attached, in one stretch or in several that touch each other.
  [[nodiscard]] bool holds(std::uint64_t begin, std::uint64_t end) const noexcept;

 private:
  [[nodiscard]] bool search(std::uint64_t begin, std::uint64_t end) const noexcept;
};
static_assert(sizeof(AttachmentTable) == 65536, "tables lie in memory that processes share");

/// Why a rank's dynamic memory cannot be accessed where it has attached none.
[[nodiscard]] Status not_attached(std::int32_t rank);

class Attachments {
 public:
  /// kRmaAttach when it overlaps with what is attached.
  Status add(AttachmentTable& table, std::uint64_t begin, std::uint64_t bytes);
  /// kRmaAttach when nothing was attached at this address.
  Status remove(AttachmentTable& table, std::uint64_t begin);

 private:
  struct Stretch {
    std::uint64_t begin;
    std::uint64_t end;
  };
  void publish(AttachmentTable& table) const noexcept;

  std::vector<Stretch> stretches_;
  std::vector<std::uint64_t> empty_;  ///< attached with a size of 0: nothing but the right to be detached
};

}  // namespace starling::rma
