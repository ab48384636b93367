// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/coroutine/frame_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace starling::collective {
namespace {

TEST(FramePool, GivesBlocksOfEverySizeAgain) {
  FramePool pool;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{70'000}, std::size_t{3'000'000}}) {
    void* block = pool.allocate(bytes);
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, bytes);
    FramePool::release(block);
    EXPECT_EQ(pool.allocate(bytes), block) << bytes;
    FramePool::release(block);
  }
}

TEST(FramePool, HasNoLimitToBlocksInUse) {
  FramePool pool;
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) {
    blocks.push_back(pool.allocate(200'000));
    ASSERT_NE(blocks.back(), nullptr);
    std::memset(blocks.back(), i, 200'000);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(static_cast<unsigned char*>(blocks[i])[199'999], i);
  for (void* block : blocks) FramePool::release(block);
}

}  // namespace
}  // namespace starling::collective
