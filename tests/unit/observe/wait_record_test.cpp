// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/wait_record.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace starling::observe {
namespace {

Awaited receive_from(std::int32_t peer, std::int32_t tag) {
  Awaited awaited;
  awaited.peer = PeerId(peer);
  awaited.tag = tag;
  awaited.context_id = 6;
  awaited.as = AwaitedAs::kReceive;
  return awaited;
}

TEST(WaitRecord, GivesBackWhatWasPublished) {
  WaitRecord record;
  Wait wait(WaitKind::kAny);
  wait.add(receive_from(3, 7));
  Awaited under_way = receive_from(4, -1);
  under_way.as = AwaitedAs::kSend;
  under_way.under_way = true;
  wait.add(under_way);
  record.publish(wait, 5, 11);
  const std::optional<WaitSample> sample = record.read();
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->wait.kind(), WaitKind::kAny);
  EXPECT_EQ(sample->wait.pending(), 2U);
  ASSERT_EQ(sample->wait.awaited().size(), 2U);
  EXPECT_EQ(sample->wait.awaited()[0], receive_from(3, 7));
  EXPECT_EQ(sample->wait.awaited()[1], under_way);
  EXPECT_EQ(sample->moves, 5U);
  EXPECT_EQ(sample->calls, 11U);
  EXPECT_FALSE(sample->wait.has_more());
}

TEST(WaitRecord, TellsTheFirstSixteenAndTheNumberOfAll) {
  WaitRecord record;
  Wait wait(WaitKind::kAll);
  for (std::int32_t peer = 0; peer < 20; ++peer) wait.add(receive_from(peer, 0));
  wait.add_untold(1000);
  record.publish(wait, 0, 0);
  const std::optional<WaitSample> sample = record.read();
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->wait.awaited().size(), Wait::kMost);
  EXPECT_EQ(sample->wait.awaited().back().peer, PeerId(15));
  EXPECT_EQ(sample->wait.pending(), 1020U);
  EXPECT_TRUE(sample->wait.has_more());
}

TEST(WaitRecord, IsNotReadWhileItIsWritten) {
  WaitRecord record;
  record.publish(Wait(WaitKind::kOne, receive_from(1, 1)), 0, 0);
  record.version.fetch_add(1);
  EXPECT_FALSE(record.read().has_value());
  record.version.fetch_add(1);
  EXPECT_TRUE(record.read().has_value());
}

/// All operations of a published wait have one number as peer and tag, and the number of moves is the same.
TEST(WaitRecord, NeverMixesTwoWaits) {
  WaitRecord record;
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (std::int32_t number = 1; !stop; ++number) {
      Wait wait(WaitKind::kAll);
      for (int i = 0; i < number % 17; ++i) wait.add(receive_from(number, number));
      record.publish(wait, static_cast<std::uint64_t>(number), 0);
    }
  });
  int read = 0;
  while (read < 20'000) {
    const std::optional<WaitSample> sample = record.read();
    if (!sample) continue;
    ++read;
    ASSERT_EQ(sample->wait.awaited().size(), sample->moves % 17);
    for (const Awaited& awaited : sample->wait.awaited()) {
      ASSERT_EQ(awaited.peer.value, static_cast<std::int32_t>(sample->moves));
      ASSERT_EQ(awaited.tag, awaited.peer.value);
    }
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace starling::observe
