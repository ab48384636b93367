// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ChoiceCache: the algorithms chosen before on a communicator, so that a repeated call does not weigh them all again.
// Thread safety: none; one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collective/choose/algorithm.hpp"

namespace starling::collective {

class ChoiceCache {
 public:
  /// Null where none is known.
  [[nodiscard]] const Algorithm* find(const Shape& shape) const noexcept {
    const Choice& choice = choices_[place(shape)];
    return choice.algorithm != nullptr && choice.key == key(shape) && choice.bytes == shape.bytes ? choice.algorithm
                                                                                                  : nullptr;
  }
  void keep(const Shape& shape, const Algorithm& algorithm) noexcept {
    choices_[place(shape)] = Choice{key(shape), shape.bytes, &algorithm};
  }

 private:
  struct Choice {
    std::uint32_t key = 0;
    std::int64_t bytes = 0;
    const Algorithm* algorithm = nullptr;
  };
  static constexpr std::size_t kChoices = 64;

  static std::uint32_t key(const Shape& shape) noexcept {
    return static_cast<std::uint32_t>(shape.operation) << 8 | (shape.commutative ? 1U : 0U) | (shape.dense ? 2U : 0U) |
           (shape.has_segments ? 4U : 0U) | (shape.predicted ? 8U : 0U) | (shape.late ? 16U : 0U) |
           (shape.root_stays ? 32U : 0U);
  }
  static std::size_t place(const Shape& shape) noexcept {
    const auto bytes = static_cast<std::uint64_t>(shape.bytes);
    return (static_cast<std::size_t>(shape.operation) * 5 + bytes + (bytes >> 6) + (bytes >> 12)) % kChoices;
  }

  std::array<Choice, kChoices> choices_;
};

}  // namespace starling::collective
