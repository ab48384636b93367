// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A rank asleep on its descriptor is woken by all that may let it go on, whenever that comes.
#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

#include "unit/transport/loop_nodes.hpp"

namespace starling::transport::loop {
namespace {

bool is_readable(LoopTransport& end, int timeout_ms) {
  pollfd watched{end.wake_source()->descriptor(), POLLIN, 0};
  return ::poll(&watched, 1, timeout_ms) == 1;
}

/// Sleeps until the descriptor says that something may be there; false after a time that only a lost wake-up takes.
bool sleep_for_more(LoopTransport& end) { return !end.wake_source()->arm() || is_readable(end, 30'000); }

TEST(LoopWake, IsSilentUntilSomethingArrives) {
  LoopNodes nodes(2, {});
  ASSERT_TRUE(nodes.end(1).wake_source()->arm());
  EXPECT_FALSE(is_readable(nodes.end(1), 0));
  ASSERT_TRUE(nodes.send(0, 1, 1));
  EXPECT_TRUE(is_readable(nodes.end(1), 30'000));
  EXPECT_FALSE(nodes.end(1).wake_source()->arm());
  EXPECT_EQ(nodes.take(1).size(), 1U);
  ASSERT_TRUE(nodes.end(1).wake_source()->arm());
  EXPECT_FALSE(is_readable(nodes.end(1), 0));
}

TEST(LoopWake, ARankThatIsAwakeIsNotRung) {
  LoopNodes nodes(2, {});
  ASSERT_TRUE(nodes.send(0, 1, 1));
  EXPECT_FALSE(is_readable(nodes.end(1), 0));
}

TEST(LoopWake, RoomWakesTheSenderThatFoundNone) {
  LoopNodes nodes(2, {});
  while (nodes.send(0, 1, 0)) {
  }
  ASSERT_TRUE(nodes.end(0).wake_source()->arm());
  EXPECT_FALSE(is_readable(nodes.end(0), 0));
  nodes.take(1);
  EXPECT_TRUE(is_readable(nodes.end(0), 30'000));
  EXPECT_FALSE(nodes.end(0).wake_source()->arm());
}

TEST(LoopWake, ASenderThatKnowsOfPacketsUnderWayIsWokenWhenTheyAreTaken) {
  LoopNodes nodes(2, {});
  ASSERT_TRUE(nodes.send(0, 1, 1));
  ASSERT_EQ(nodes.end(0).in_flight(Address(1)), 1U);
  ASSERT_TRUE(nodes.end(0).wake_source()->arm());
  nodes.take(1);
  EXPECT_TRUE(is_readable(nodes.end(0), 30'000));
}

TEST(LoopWake, ABrokenLinkWakesBothEnds) {
  LoopNodes nodes(2, {});
  for (const std::int32_t rank : {0, 1}) ASSERT_TRUE(nodes.end(rank).wake_source()->arm());
  nodes.network->kill(WorldRank(0));
  for (const std::int32_t rank : {0, 1}) EXPECT_TRUE(is_readable(nodes.end(rank), 30'000));
}

TEST(LoopWake, ADelayedPacketWakesWhenItArrives) {
  LoopNodes nodes(2, {.delay_us = 3'000});
  ASSERT_TRUE(nodes.send(0, 1, 1));
  ASSERT_TRUE(sleep_for_more(nodes.end(1)));
  EXPECT_EQ(nodes.take(1).size(), 1U);
}

TEST(LoopWake, ASenderThatFlushesIsWokenWhenAllHasArrived) {
  LoopNodes nodes(2, {.delay_us = 3'000});
  ASSERT_TRUE(nodes.send(0, 1, 1));
  ASSERT_FALSE(nodes.end(0).flush());
  while (!nodes.end(0).flush()) ASSERT_TRUE(sleep_for_more(nodes.end(0)));
  EXPECT_EQ(nodes.take(1).size(), 1U);
}

/// Each rank sends to each other until all have all, and sleeps whenever nothing moves.
class Storm {
 public:
  Storm(std::int32_t ranks, const Settings& settings, std::uint64_t seed)
      : ranks_(ranks), seed_(seed), nodes_(ranks, settings) {}

  void run(std::uint64_t packets) {
    std::vector<std::thread> threads;
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      threads.emplace_back([this, rank, packets] { run_rank(rank, packets); });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  struct Progress {
    std::vector<std::uint64_t> sent;
    std::vector<std::uint64_t> received;
    std::mt19937_64 random;
  };

  void run_rank(std::int32_t rank, std::uint64_t packets) {
    const auto ranks = static_cast<std::size_t>(ranks_);
    Progress progress{std::vector<std::uint64_t>(ranks), std::vector<std::uint64_t>(ranks),
                      std::mt19937_64(seed_ + static_cast<std::uint64_t>(rank))};
    for (auto* counts : {&progress.sent, &progress.received}) (*counts)[static_cast<std::size_t>(rank)] = packets;
    const std::vector<std::uint64_t> all(ranks, packets);
    LoopTransport& end = nodes_.end(rank);
    bool armed = false;
    while (!lost_ && (progress.sent != all || progress.received != all)) {
      bool moved = send_some(rank, packets, progress);
      moved |= receive(rank, progress);
      if (moved) {
        armed = false;
      } else if (!armed) {
        armed = end.wake_source()->arm();  // then one more round, as in a wait
      } else {
        if (!is_readable(end, 30'000)) lost_ = true;
        armed = false;
      }
    }
    EXPECT_FALSE(lost_) << "rank " << rank << " was not woken, seed " << seed_;
    // Others wait for what this rank still keeps.
    while (!lost_ && !end.flush()) receive(rank, progress);
  }

  bool send_some(std::int32_t rank, std::uint64_t packets, Progress& progress) {
    bool moved = false;
    for (std::int32_t to = 0; to < ranks_; ++to) {
      std::uint64_t& sent = progress.sent[static_cast<std::size_t>(to)];
      for (std::uint64_t burst = progress.random() % 80; burst != 0 && sent < packets; --burst) {
        if (!nodes_.send(rank, to, sent, progress.random() % 8 == 0 ? progress.random() % 6000 : 8)) break;
        ++sent;
        moved = true;
      }
      // A burst of none is no reason to sleep.
      moved |= sent < packets && nodes_.end(rank).in_flight(Address(to)) == 0;
    }
    return moved;
  }

  bool receive(std::int32_t rank, Progress& progress) {
    LoopInbox inbox;
    const bool moved = nodes_.end(rank).poll(inbox);
    for (const LoopInbox::Message& message : inbox.messages) {
      std::uint64_t& expected = progress.received[static_cast<std::size_t>(message.from)];
      EXPECT_EQ(message.word, expected) << "from " << message.from << " to " << rank << ", seed " << seed_;
      for (const std::byte byte : message.payload) EXPECT_EQ(byte, static_cast<std::byte>(message.word));
      nodes_.end(rank).publish_held(Address(message.from), ++expected);
    }
    return moved;
  }

  std::int32_t ranks_;
  std::uint64_t seed_;
  LoopNodes nodes_;
  std::atomic<bool> lost_{false};
};

TEST(LoopWake, AStormArrivesInOrderAndNobodySleepsForEver) {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Storm(4, {}, seed).run(2000);
  Storm(4, {.delay_us = 50, .delay = Delay::kRandom, .seed = seed}, seed).run(500);
  Storm(3, {.link_packets = 1}, seed).run(500);
}

}  // namespace
}  // namespace starling::transport::loop
