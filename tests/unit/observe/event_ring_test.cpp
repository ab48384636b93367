// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/event_ring.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>

namespace starling::observe {
namespace {

constexpr std::uint32_t kEvents = 16;

class EventRings : public testing::Test {
 protected:
  Event numbered(std::uint64_t number) {
    Event event;
    event.kind = EventKind::kCall;
    // All words alike, so that a torn copy shows.
    event.begin_ticks = event.end_ticks = event.bytes = event.sequence = event.site = number;
    return event;
  }
  void put(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t number = from; number < to; ++number) ring_.put(numbered(number));
  }

  struct alignas(kCacheLine) Line {
    std::byte bytes[kCacheLine];
  };
  std::unique_ptr<Line[]> memory_ = std::make_unique<Line[]>(EventRing::bytes(kEvents) / sizeof(Line) + 1);
  EventRing ring_{memory_[0].bytes, kEvents};
  EventReader reader_{ring_};
  std::vector<Event> events_;
};

TEST_F(EventRings, GiveBackWhatWasPutInOrder) {
  put(0, 5);
  EXPECT_EQ(reader_.read(&events_, 100), 0U);
  ASSERT_EQ(events_.size(), 5U);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(events_[i].begin_ticks, i);
  EXPECT_EQ(reader_.read(&events_, 100), 0U);
  EXPECT_EQ(events_.size(), 5U);
}

TEST_F(EventRings, AreReadInPieces) {
  put(0, 10);
  EXPECT_EQ(reader_.read(&events_, 4), 0U);
  EXPECT_EQ(events_.size(), 4U);
  EXPECT_EQ(reader_.read(&events_, 100), 0U);
  ASSERT_EQ(events_.size(), 10U);
  EXPECT_EQ(events_.back().begin_ticks, 9U);
}

TEST_F(EventRings, CountWhatWasOverwritten) {
  put(0, 100);
  const std::uint64_t lost = reader_.read(&events_, 1000);
  ASSERT_FALSE(events_.empty());
  EXPECT_EQ(lost + events_.size(), 100U);
  EXPECT_GE(events_.size(), kEvents - 1);
  EXPECT_EQ(events_.front().begin_ticks, lost);
}

TEST_F(EventRings, GiveNoTornEventWhileTheOwnerWrites) {
  constexpr std::uint64_t kAll = 200'000;
  std::atomic<bool> done{false};
  std::thread owner([&] {
    put(0, kAll);
    done = true;
  });
  std::uint64_t lost = 0;
  std::uint64_t next = 0;
  for (bool last = false; !last;) {
    last = done;
    events_.clear();
    lost += reader_.read(&events_, kEvents);
    for (const Event& event : events_) {
      ASSERT_GE(event.begin_ticks, next);
      next = event.begin_ticks + 1;
      ASSERT_TRUE(event.end_ticks == event.begin_ticks && event.bytes == event.begin_ticks &&
                  event.sequence == event.begin_ticks && event.site == event.begin_ticks);
    }
    next = std::max(next, lost);
  }
  owner.join();
  EXPECT_EQ(next, kAll);
}

TEST_F(EventRings, TakeModulesUntilThereIsNoRoom) {
  const std::vector<std::byte> record(EventRing::kModuleBytes / 2, std::byte{7});
  EXPECT_TRUE(ring_.modules().empty());
  EXPECT_TRUE(ring_.add_module(record));
  put(0, kEvents);
  EXPECT_TRUE(ring_.add_module(record));
  EXPECT_FALSE(ring_.add_module(std::span(record).first(8)));
  ASSERT_EQ(ring_.modules().size(), EventRing::kModuleBytes);
  EXPECT_EQ(ring_.modules().back(), std::byte{7}) << "events do not lie upon them";
}

}  // namespace
}  // namespace starling::observe
