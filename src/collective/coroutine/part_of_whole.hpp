// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PartOfWhole: what a communicator that no program sees keeps: which ranks of the program's communicator it has, for
// messages to people. Calls on it have one of kLevelTags in their tag.
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "comm/extension.hpp"

namespace starling::collective {

inline constexpr std::int32_t kLevelTags = 0x18000000;

class PartOfWhole final : public comm::Extension {
 public:
  explicit PartOfWhole(std::vector<std::int32_t> ranks) noexcept : ranks_(std::move(ranks)) {}
  [[nodiscard]] std::int32_t rank_in_whole(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::int32_t> ranks_;
};

}  // namespace starling::collective
