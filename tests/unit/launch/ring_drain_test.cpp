// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/record/ring_drain.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "observe/tracer.hpp"

namespace starling::launch {
namespace {

using observe::RecordKind;

constexpr std::uint16_t kBarrier = 80;

class RingDrains : public testing::Test {
 protected:
  void SetUp() override {
    memory::JobGeometry geometry;
    geometry.ranks = geometry.world_ranks = 2;
    geometry.trace_events = 64;
    segment_ = memory::JobSegment::create(geometry).value();
    log_ = EventLogFile::create_unnamed(1 << 20).value();
    drain_ = std::make_unique<RingDrain>(loop_, *segment_, 5, log_);
  }
  std::unique_ptr<observe::Tracer> tracer(std::uint32_t rank) {
    return std::make_unique<observe::Tracer>(segment_->event_ring(LocalRank(rank)), observe::TraceMode::kAll,
                                             segment_->rank(LocalRank(rank)).card, 2);
  }
  struct Record {
    std::int32_t of;
    std::string body;
  };
  std::multimap<RecordKind, Record> records() {
    std::string bytes;
    log_.read_all([&](std::string_view piece) { bytes += piece; });
    std::multimap<RecordKind, Record> found;
    for (std::size_t at = 0; at < bytes.size();) {
      observe::RecordHead head;
      std::memcpy(&head, bytes.data() + at, sizeof head);
      found.emplace(head.kind, Record{head.of, bytes.substr(at + sizeof head, head.bytes)});
      at += sizeof head + (head.bytes + 7) / 8 * 8;
    }
    return found;
  }
  template <typename T>
  static T value_in(const Record& record) {
    T value;
    EXPECT_EQ(record.body.size(), sizeof value);
    std::memcpy(&value, record.body.data(), sizeof value);
    return value;
  }

  EventLoop loop_;
  std::unique_ptr<memory::JobSegment> segment_;
  EventLogFile log_;
  std::unique_ptr<RingDrain> drain_;
};

TEST_F(RingDrains, WriteWhatRanksRecordWhileTheyRunAndAfterwards) {
  const auto first = tracer(0);
  const auto second = tracer(1);
  drain_->start();
  first->begin_call(kBarrier);
  first->end_call();
  loop_.after(30'000'000, [this] { loop_.stop(); });
  ASSERT_TRUE(loop_.run());
  EXPECT_EQ(records().count(RecordKind::kEvents), 3U) << "two marks at the start, and the call";
  second->begin_call(kBarrier);
  drain_->finish();
  const auto found = records();
  EXPECT_EQ(found.count(RecordKind::kEvents), 4U) << "the call that rank 1 has not left";
  const auto last = std::prev(found.upper_bound(RecordKind::kEvents));
  EXPECT_EQ(last->second.of, 1);
  EXPECT_EQ(value_in<observe::Event>(last->second).kind, observe::EventKind::kOpenCall);
  EXPECT_EQ(found.count(RecordKind::kCounts), 2U);
  EXPECT_GE(found.count(RecordKind::kClock), 2U);
  EXPECT_EQ(found.find(RecordKind::kClock)->second.of, 5);
  EXPECT_EQ(found.count(RecordKind::kLost), 0U);
  ASSERT_EQ(found.count(RecordKind::kRank), 2U);
  EXPECT_EQ(value_in<observe::RankRecord>(found.find(RecordKind::kRank)->second).node, 5);
}

TEST_F(RingDrains, SayWhatWasOverwritten) {
  const auto traced = tracer(0);
  for (int i = 0; i < 1000; ++i) {
    traced->begin_call(kBarrier);
    traced->end_call();
  }
  drain_->finish();
  const auto found = records();
  ASSERT_EQ(found.count(RecordKind::kLost), 1U);
  const auto lost = value_in<std::uint64_t>(found.find(RecordKind::kLost)->second);
  EXPECT_EQ(lost + found.find(RecordKind::kEvents)->second.body.size() / sizeof(observe::Event), 1001U);
}

TEST_F(RingDrains, TellACommunicatorOnceAndAgainWhenItIsNamed) {
  observe::CommunicatorFacts facts;
  facts.context_id = 6;
  facts.members = {WorldRank(0), WorldRank(1)};
  observe::CommunicatorDirectory directory = segment_->directory();
  const std::uint32_t place = directory.join(facts);
  drain_->start();
  directory.rename(place, "solver");
  drain_->finish();
  const auto found = records();
  ASSERT_EQ(found.count(RecordKind::kCommunicator), 2U);
  const std::string& body = std::prev(found.upper_bound(RecordKind::kCommunicator))->second.body;
  observe::CommunicatorRecord record;
  std::memcpy(&record, body.data(), sizeof record);
  EXPECT_EQ(record.context_id, 6U);
  EXPECT_EQ(record.members, 2U);
  EXPECT_EQ(body.substr(sizeof record, 6), "solver");
  EXPECT_EQ(body.size(), sizeof record + 8 + 2 * sizeof(std::uint32_t));
}

}  // namespace
}  // namespace starling::launch
