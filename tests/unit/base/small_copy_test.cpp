// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/small_copy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "base/copy_past_caches.hpp"

namespace starling {
namespace {

TEST(SmallCopy, MovesEveryLengthAndNothingBeside) {
  constexpr std::size_t kLongest = 40;
  constexpr std::byte kUntouched{0xEE};
  std::array<std::byte, kLongest> from{};
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i + 1);
  for (std::size_t bytes = 0; bytes <= kLongest; ++bytes) {
    std::array<std::byte, kLongest + 2> to{};
    to.fill(kUntouched);
    small_copy(to.data() + 1, from.data(), bytes);
    EXPECT_EQ(to.front(), kUntouched) << bytes;
    for (std::size_t i = 0; i < kLongest + 1; ++i) {
      EXPECT_EQ(to[i + 1], i < bytes ? from[i] : kUntouched) << bytes << " bytes, byte " << i;
    }
  }
}

TEST(SmallCopy, TakesNoAddressForNoBytes) { small_copy(nullptr, nullptr, 0); }

TEST(CopyPastCaches, MovesEveryLengthAndNothingBeside) {
  constexpr std::size_t kLongest = 200;
  constexpr std::byte kUntouched{0xEE};
  std::array<std::byte, kLongest + 1> from{};
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i + 1);
  for (std::size_t bytes = 0; bytes <= kLongest; ++bytes) {
    alignas(kCacheLine) std::array<std::byte, kLongest + 1> to;
    to.fill(kUntouched);
    copy_past_caches(to.data(), from.data() + 1, bytes);
    for (std::size_t i = 0; i < to.size(); ++i) {
      EXPECT_EQ(to[i], i < bytes ? from[i + 1] : kUntouched) << bytes << " bytes, byte " << i;
    }
  }
}

}  // namespace
}  // namespace starling
