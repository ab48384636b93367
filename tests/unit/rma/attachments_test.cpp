// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/shared/attachments.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <thread>

namespace starling::rma {
namespace {

TEST(Attachments, HoldWhatLiesInStretchesThatTouch) {
  auto table = std::make_unique<AttachmentTable>();
  Attachments mine;
  EXPECT_FALSE(table->holds(100, 101));
  ASSERT_TRUE(mine.add(*table, 100, 50).ok());
  ASSERT_TRUE(mine.add(*table, 150, 50).ok());
  EXPECT_TRUE(table->holds(100, 150));
  EXPECT_TRUE(table->holds(149, 150));
  EXPECT_TRUE(table->holds(150, 200));
  EXPECT_FALSE(table->holds(99, 120));
  EXPECT_TRUE(table->holds(140, 160));
  EXPECT_TRUE(table->holds(100, 200));
  EXPECT_FALSE(table->holds(100, 201));
  EXPECT_FALSE(table->holds(190, 201));
  EXPECT_FALSE(table->holds(200, 201));
}

TEST(Attachments, RefuseWhatOverlapsAndWhatWasNeverAttached) {
  auto table = std::make_unique<AttachmentTable>();
  Attachments mine;
  ASSERT_TRUE(mine.add(*table, 1000, 100).ok());
  for (const std::uint64_t begin : {901U, 1000U, 1050U, 1099U}) {
    const Status refused = mine.add(*table, begin, 100);
    EXPECT_EQ(refused.error_class(), ErrorClass::kRmaAttach) << begin;
  }
  EXPECT_EQ(mine.remove(*table, 1050).error_class(), ErrorClass::kRmaAttach);
  EXPECT_TRUE(mine.add(*table, 900, 100).ok());
  EXPECT_TRUE(mine.add(*table, 1100, 100).ok());
  EXPECT_TRUE(mine.remove(*table, 1000).ok());
  EXPECT_FALSE(table->holds(1000, 1001));
  EXPECT_TRUE(table->holds(900, 1000));
}

TEST(Attachments, TakeEmptyStretchesThatHoldNothing) {
  auto table = std::make_unique<AttachmentTable>();
  Attachments mine;
  ASSERT_TRUE(mine.add(*table, 64, 0).ok());
  EXPECT_FALSE(table->holds(64, 65));
  EXPECT_TRUE(mine.remove(*table, 64).ok());
  EXPECT_FALSE(mine.remove(*table, 64).ok());
}

TEST(Attachments, AgreeWithANaiveMapHoweverTheyChange) {
  constexpr std::uint64_t kSeed = 20261120;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  auto table = std::make_unique<AttachmentTable>();
  Attachments mine;
  std::map<std::uint64_t, std::uint64_t> naive;
  for (int step = 0; step < 3000; ++step) {
    const std::uint64_t slot = random() % 200;
    if (naive.contains(slot * 100)) {
      ASSERT_TRUE(mine.remove(*table, slot * 100).ok());
      naive.erase(slot * 100);
    } else {
      const std::uint64_t bytes = 1 + random() % 100;
      ASSERT_TRUE(mine.add(*table, slot * 100, bytes).ok());
      naive[slot * 100] = bytes;
    }
    const std::uint64_t begin = random() % 20000;
    const auto found = naive.find(begin / 100 * 100);
    const bool expected = found != naive.end() && begin + 5 <= found->first + found->second;
    EXPECT_EQ(table->holds(begin, begin + 5), expected);
  }
}

TEST(Attachments, StopCheckingWhenThereIsNoRoomToPublish) {
  auto table = std::make_unique<AttachmentTable>();
  Attachments mine;
  for (std::uint64_t i = 0; i <= AttachmentTable::kRoom; ++i) ASSERT_TRUE(mine.add(*table, 100 + i * 10, 5).ok());
  EXPECT_TRUE(table->holds(1, 2));
  ASSERT_TRUE(mine.remove(*table, 100).ok());
  EXPECT_FALSE(table->holds(1, 2));
  EXPECT_TRUE(table->holds(110, 115));
}

TEST(Attachments, AreSearchedWhileTheyChange) {
  auto table = std::make_unique<AttachmentTable>();
  Attachments mine;
  ASSERT_TRUE(mine.add(*table, 5000, 100).ok());
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    while (!stop.load()) wrong += table->holds(5000, 5100) ? 0 : 1;
  });
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(mine.add(*table, 100, 50).ok());
    ASSERT_TRUE(mine.remove(*table, 100).ok());
  }
  stop = true;
  reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace starling::rma
