// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// KernelChoice: whether the kernel or the target itself copies what an origin puts into a target that may be asked, or
// gets from it. The kernel copies up to some KiB in much the same time, 0.7 to 2.5 us by machine; the target takes 0.5
// us and more for more, and puts to it overlap. So it is learnt, for accesses of each size by themselves.
//
// Thread safety: the world's lock. Invariants: an access is asked for once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/id.hpp"
#include "tuning/quicker_way.hpp"

namespace starling::rma {

class KernelChoice {
 public:
  enum class Access : std::uint8_t { kPut, kGet };

  /// What is shorter the target always copies sooner.
  static constexpr std::uint64_t kLeastBytes = 512;

  /// target: whose trials of each kind and size are not together with those of another.
  explicit KernelChoice(LocalRank target) noexcept {
    std::uint32_t seed = static_cast<std::uint32_t>(target.value) * 2 * kSizes;
    for (auto* ways : {&puts_, &gets_}) {
      for (tuning::QuickerWay& way : *ways) way = tuning::QuickerWay(seed++);
    }
  }

  /// Whether the next access, of at least kLeastBytes, goes by the kernel.
  [[nodiscard]] bool next_is_kernel(Access access, std::uint64_t bytes) noexcept {
    return (access == Access::kPut ? puts_ : gets_)[size_of(bytes)].next_is_second();
  }

 private:
  static constexpr std::uint32_t kSizes = 5;

  /// From 512 bytes on, each twice as long.
  [[nodiscard]] static std::size_t size_of(std::uint64_t bytes) noexcept {
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(bytes / kLeastBytes)) - 1, kSizes - 1);
  }

  std::array<tuning::QuickerWay, kSizes> puts_;
  std::array<tuning::QuickerWay, kSizes> gets_;
};

}  // namespace starling::rma
