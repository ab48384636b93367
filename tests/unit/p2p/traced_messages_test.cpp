// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the tracer hears of the messages of two traced ranks: both sides name each message alike.
#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "observe/tracer.hpp"
#include "unit/p2p/two_ranks.hpp"

namespace starling::p2p {
namespace {

using observe::Event;
using observe::EventKind;

constexpr std::int32_t kMessages = 60;

struct Plan {
  std::int64_t bytes;
  bool waits;  ///< rank 1 receives it last, with a matched probe
};

std::vector<Plan> plan() {
  std::mt19937 random(7);
  std::vector<Plan> messages;
  for (std::int32_t i = 0; i < kMessages; ++i)
    messages.push_back({static_cast<std::int64_t>(1 + random() % (i % 3 == 0 ? 300'000 : 2000)), i % 4 == 1});
  return messages;
}

void send_all(TestRank& self, const std::vector<Plan>& messages) {
  std::vector<std::vector<std::byte>> data;
  std::vector<Request*> requests;
  for (std::int32_t i = 0; i < kMessages; ++i) {
    data.emplace_back(static_cast<std::size_t>(messages[static_cast<std::size_t>(i)].bytes));
    requests.push_back(self.p2p.isend(self.bytes(data.back().data(), messages[static_cast<std::size_t>(i)].bytes, 1, i),
                                      i % 5 == 0 ? SendMode::kSynchronous : SendMode::kStandard));
  }
  for (Request* request : requests) {
    self.p2p.wait(*request);
    request->dispose();
  }
}

/// Those that wait come through the unexpected queue and a matched probe, the last first.
void receive_all(TestRank& self, const std::vector<Plan>& messages) {
  std::vector<std::byte> data(300'000);
  for (std::int32_t i = 0; i < kMessages; ++i) {
    if (messages[static_cast<std::size_t>(i)].waits) continue;
    ASSERT_TRUE(self.p2p.receive(self.bytes(data.data(), 300'000, 0, i), nullptr).ok());
  }
  for (std::int32_t i = kMessages - 1; i >= 0; --i) {
    if (!messages[static_cast<std::size_t>(i)].waits) continue;
    Completion completion;
    MatchedMessage* matched = nullptr;
    self.p2p.progress().wait(
        [&] { return (matched = self.p2p.improbe(self.bytes(nullptr, 0, 0, i), &completion)) != nullptr; });
    Request* request = self.p2p.imreceive(*matched, self.bytes(data.data(), 300'000, 0, i));
    self.p2p.wait(*request);
    request->dispose();
  }
}

std::vector<Event> events_of(memory::JobSegment& segment, std::uint32_t rank, EventKind kind) {
  std::vector<Event> events;
  observe::EventReader(segment.event_ring(LocalRank(rank))).read(&events, 10'000);
  std::erase_if(events, [&](const Event& event) { return event.kind != kind; });
  return events;
}

TEST(TracedMessages, AreNamedAlikeBySenderAndReceiver) {
  const config::Store config;
  auto geometry = transport::shm::geometry(2, config);
  geometry.world_ranks = 2;
  geometry.trace_events = 1024;
  const auto segment = memory::JobSegment::create(geometry).value();
  segment->header().usable_cores = 2;
  segment->header().trace_mode = observe::TraceMode::kAll;
  const memory::Placement placement({{{WorldRank(0), WorldRank(1)}, 2}}, 0);
  const std::vector<Plan> messages = plan();
  std::vector<std::thread> threads;
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      segment->rank(LocalRank(static_cast<std::uint32_t>(rank))).pid.store(getpid());
      progress::Engine progress(*segment, LocalRank(static_cast<std::uint32_t>(rank)), config);
      const auto p2p = PointToPoint::create(progress, {*segment, placement, WorldRank(rank), config, {}}).value();
      comm::Communicator world(
          0, Ref<comm::Group>::adopt(new comm::Group({process_of(WorldRank(0)), process_of(WorldRank(1))})), rank, {});
      TestRank self{rank, 2, *p2p, world, *segment, nullptr};
      rank == 0 ? send_all(self, messages) : receive_all(self, messages);
      EXPECT_TRUE(p2p->drain().ok());
    });
  }
  for (std::thread& thread : threads) thread.join();

  const std::vector<Event> sends = events_of(*segment, 0, EventKind::kSend);
  const std::vector<Event> receives = events_of(*segment, 1, EventKind::kReceive);
  ASSERT_EQ(sends.size(), static_cast<std::size_t>(kMessages));
  ASSERT_EQ(receives.size(), static_cast<std::size_t>(kMessages));
  std::map<std::uint64_t, Event> sent;
  for (const Event& send : sends) sent[send.sequence] = send;
  ASSERT_EQ(sent.size(), sends.size());
  int unexpected = 0;
  for (const Event& receive : receives) {
    const auto found = sent.find(receive.sequence);
    ASSERT_NE(found, sent.end());
    const Event send = found->second;
    sent.erase(found);
    EXPECT_EQ(receive.peer, 0);
    EXPECT_EQ(send.peer, 1);
    EXPECT_EQ(receive.tag, send.tag);
    EXPECT_EQ(receive.bytes, send.bytes);
    EXPECT_EQ(receive.context_id, send.context_id);
    EXPECT_EQ(static_cast<std::int64_t>(send.bytes), messages[static_cast<std::size_t>(send.tag)].bytes);
    const bool came_before = (receive.flags & Event::kUnexpected) != 0;
    unexpected += came_before ? 1 : 0;
    EXPECT_TRUE(came_before || !messages[static_cast<std::size_t>(send.tag)].waits);
    EXPECT_LE(came_before ? receive.begin_ticks : send.begin_ticks, receive.end_ticks);
  }
  EXPECT_GE(unexpected, kMessages / 4);
}

}  // namespace
}  // namespace starling::p2p
