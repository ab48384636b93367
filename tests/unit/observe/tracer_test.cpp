// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/tracer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "observe/module_record.hpp"

namespace starling::observe {
namespace {

constexpr std::uint32_t kTracedEvents = 64;
constexpr std::uint16_t kSend = 35;
constexpr std::uint16_t kBarrier = 80;

class Tracers : public testing::Test {
 protected:
  std::unique_ptr<Tracer> tracer(TraceMode mode) {
    auto made = std::make_unique<Tracer>(ring_, mode, card_, 4);
    made->time_always(kBarrier);
    return made;
  }
  static TracedMessage message(std::int32_t peer, std::uint64_t bytes, std::uint8_t flags = 0) {
    TracedMessage made;
    made.peer = PeerId(peer);
    made.tag = 7;
    made.context_id = 0;
    made.bytes = bytes;
    made.flags = flags;
    return made;
  }
  /// The events of a kind, so far.
  std::vector<Event> of(EventKind kind) {
    std::vector<Event> all;
    EventReader reader(ring_);
    EXPECT_EQ(reader.read(&all, kTracedEvents), 0U);
    std::erase_if(all, [&](const Event& event) { return event.kind != kind; });
    return all;
  }

  struct alignas(kCacheLine) Line {
    std::byte bytes[kCacheLine];
  };
  std::unique_ptr<Line[]> memory_ = std::make_unique<Line[]>(EventRing::bytes(kTracedEvents) / sizeof(Line) + 1);
  EventRing ring_{memory_[0].bytes, kTracedEvents};
  StatusCard card_;
};

TEST_F(Tracers, CountShortCallsAndTellThemWithTheNextThatIsTold) {
  const auto traced = tracer(TraceMode::kLong);
  for (int i = 0; i < 3; ++i) {
    traced->begin_call(kSend);
    traced->end_call();
  }
  EXPECT_TRUE(of(EventKind::kCall).empty());
  traced->begin_call(kBarrier);
  traced->end_call();
  const std::vector<Event> calls = of(EventKind::kCall);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].call, kBarrier);
  EXPECT_EQ(calls[0].skipped, 3U);
  EXPECT_EQ(ring_.count(kSend).load(), 3U);
  EXPECT_EQ(ring_.count(kBarrier).load(), 1U);
}

TEST_F(Tracers, TellEveryCallWhereAllAreWanted) {
  const auto traced = tracer(TraceMode::kAll);
  traced->begin_call(kSend);
  traced->sent(message(1, 8));
  traced->end_call();
  const std::vector<Event> calls = of(EventKind::kCall);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].peer, 1);
  EXPECT_EQ(calls[0].tag, 7);
  EXPECT_EQ(calls[0].bytes, 8U);
  EXPECT_EQ(calls[0].flags & Event::kBegunLate, 0);
}

TEST_F(Tracers, TellALongMessageAndItsCall) {
  const auto traced = tracer(TraceMode::kLong);
  traced->begin_call(kSend);
  traced->sent(message(2, 1 << 20, Event::kRendezvous));
  traced->end_call();
  const std::vector<Event> sends = of(EventKind::kSend);
  const std::vector<Event> calls = of(EventKind::kCall);
  ASSERT_EQ(sends.size(), 1U);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(sends[0].sequence, 1U);
  EXPECT_EQ(calls[0].begin_ticks, sends[0].begin_ticks);
  EXPECT_NE(calls[0].flags & Event::kBegunLate, 0);
}

TEST_F(Tracers, CountTheMessagesOfEachPairOnBothSides) {
  const auto traced = tracer(TraceMode::kAll);
  traced->begin_call(kSend);
  traced->sent(message(1, 8));
  traced->sent(message(2, 8));
  traced->sent(message(1, 8));
  EXPECT_EQ(traced->arrived(PeerId(3)), 1U);
  EXPECT_EQ(traced->arrived(PeerId(3)), 2U);
  EXPECT_EQ(traced->arrived(PeerId(0)), 1U);
  EXPECT_EQ(traced->arrived(PeerId(9)), 0U) << "of another job";
  traced->end_call();
  const std::vector<Event> sends = of(EventKind::kSend);
  ASSERT_EQ(sends.size(), 3U);
  EXPECT_EQ(sends[0].sequence, 1U);
  EXPECT_EQ(sends[1].sequence, 1U);
  EXPECT_EQ(sends[2].sequence, 2U);
}

TEST_F(Tracers, TellAWaitBeforeItsCallAndWhatItWaitedFor) {
  const auto traced = tracer(TraceMode::kLong);
  Awaited awaited;
  awaited.peer = PeerId(3);
  awaited.tag = 5;
  awaited.context_id = 2;
  awaited.as = AwaitedAs::kReceive;
  traced->begin_call(kSend);
  traced->begin_wait(Wait(WaitKind::kOne, awaited));
  traced->begin_wait(Wait(WaitKind::kOne, awaited));  // described anew
  traced->received(message(3, 8), traced->arrived(PeerId(3)), 0);
  traced->end_wait();
  traced->end_call();
  const std::vector<Event> waits = of(EventKind::kWait);
  const std::vector<Event> calls = of(EventKind::kCall);
  const std::vector<Event> receives = of(EventKind::kReceive);
  ASSERT_EQ(waits.size(), 1U);
  ASSERT_EQ(calls.size(), 1U);
  ASSERT_EQ(receives.size(), 1U) << "a short message that was waited for is told";
  EXPECT_EQ(waits[0].peer, 3);
  EXPECT_EQ(waits[0].tag, 5);
  EXPECT_EQ(waits[0].context_id, 2U);
  EXPECT_EQ(calls[0].begin_ticks, waits[0].begin_ticks);
  EXPECT_EQ(receives[0].sequence, 1U);
}

TEST_F(Tracers, LeaveOutTheMessagesWithinCollectives) {
  const auto traced = tracer(TraceMode::kLong);
  traced->begin_call(kBarrier);
  traced->sent(message(1, 1 << 20, Event::kCollective));
  traced->received(message(1, 1 << 20, Event::kCollective), traced->arrived(PeerId(1)), 0);
  traced->end_call();
  EXPECT_TRUE(of(EventKind::kSend).empty());
  EXPECT_TRUE(of(EventKind::kReceive).empty());
  traced->begin_call(kSend);
  traced->sent(message(1, 1 << 20));
  traced->end_call();
  ASSERT_EQ(of(EventKind::kSend).size(), 1U);
  EXPECT_EQ(of(EventKind::kSend)[0].sequence, 2U) << "they are counted";
}

TEST_F(Tracers, TellACollectiveAsTheCardHasIt) {
  const auto traced = tracer(TraceMode::kLong);
  traced->begin_call(kBarrier);
  card_.collective.begun = 1;
  CollectiveCard::Entry& entry = card_.collective.entry(1);
  entry.context_id = 4;
  entry.sequence = 51;
  entry.root = 2;
  entry.bytes = 80;
  traced->end_call();
  const std::vector<Event> calls = of(EventKind::kCall);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].sequence, 51U);
  EXPECT_EQ(calls[0].context_id, 4U);
  EXPECT_EQ(calls[0].peer, 2);
  EXPECT_EQ(calls[0].bytes, 80U);
  EXPECT_NE(calls[0].flags & Event::kCollective, 0);
}

TEST_F(Tracers, TellNoCallsWithinCalls) {
  const auto traced = tracer(TraceMode::kAll);
  traced->begin_call(kBarrier);
  traced->begin_call(kSend);
  traced->end_call();
  traced->end_call();
  ASSERT_EQ(of(EventKind::kCall).size(), 1U);
  EXPECT_EQ(of(EventKind::kCall)[0].call, kBarrier);
}

TEST_F(Tracers, TellTheTrafficAtTheEnd) {
  const auto traced = tracer(TraceMode::kLong);
  traced->sent(message(3, 100));
  traced->sent(message(3, 50));
  traced->tell_end();
  const std::vector<Event> traffic = of(EventKind::kTraffic);
  ASSERT_EQ(traffic.size(), 1U);
  EXPECT_EQ(traffic[0].peer, 3);
  EXPECT_EQ(traffic[0].sequence, 2U);
  EXPECT_EQ(traffic[0].bytes, 150U);
  EXPECT_EQ(of(EventKind::kMark).size(), 2U);
}

TEST_F(Tracers, TellWhereACallWasMadeAndInWhichFileOnce) {
  const auto traced = tracer(TraceMode::kAll);
  const auto here = reinterpret_cast<std::uintptr_t>(&getpid);  // of the C library
  const auto own = reinterpret_cast<std::uintptr_t>(&testing::InitGoogleTest);
  for (const std::uintptr_t site : {here, here + 1, own, here, std::uintptr_t{0}, std::uintptr_t{64}}) {
    traced->begin_call(kSend, site);
    traced->end_call();
  }
  const std::vector<Event> calls = of(EventKind::kCall);
  ASSERT_EQ(calls.size(), 6U);
  EXPECT_EQ(calls[0].site, here);
  EXPECT_EQ(calls[1].site, here + 1);
  std::span<const std::byte> rest = ring_.modules();
  std::vector<std::string> paths;
  while (!rest.empty()) {
    ModuleRecord module;
    std::memcpy(&module, rest.data(), sizeof module);
    paths.emplace_back(reinterpret_cast<const char*>(rest.data() + sizeof module), module.path_bytes);
    EXPECT_TRUE(std::filesystem::exists(paths.back())) << paths.back();
    const std::uintptr_t site = paths.size() == 1 ? here : own;
    EXPECT_TRUE(site >= module.begin && site < module.end);
    EXPECT_LE(module.bias, module.begin);
    rest = rest.subspan(sizeof module + module.padded_path_bytes());
  }
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_NE(paths[0], paths[1]);
}

TEST_F(Tracers, TellWhereACallWasMadeThatNeverEnds) {
  const auto traced = tracer(TraceMode::kAll);
  traced->begin_call(kSend, 4711);
  EXPECT_EQ(ring_.head().open_site.load(), 4711U);
}

}  // namespace
}  // namespace starling::observe
