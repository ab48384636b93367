// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A rank asleep on the descriptor of its OfiTransport is woken by all that may let it go on.
#include <poll.h>

#include <atomic>
#include <cstdio>
#include <random>
#include <thread>

#include "support/sanitized.hpp"
#include "unit/transport/ofi_nodes.hpp"

namespace starling::transport::ofi {
namespace {

bool is_readable(OfiTransport& end, int timeout_ms) {
  pollfd watched{end.wake_source()->descriptor(), POLLIN, 0};
  return ::poll(&watched, 1, timeout_ms) == 1;
}

class OfiWake : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = why_not(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

// libfabric 1.17's net, which is the default, has a descriptor that is given up; that of sockets wakes.
INSTANTIATE_TEST_SUITE_P(Each, OfiWake, testing::Values("", "sockets"), [](const auto& provider) {
  return std::string(*provider.param != 0 ? provider.param : "default");
});

TEST_P(OfiWake, APacketWakes) {
  OfiNodes nodes(2, GetParam());
  nodes.send(0, 1, 1, 8);
  nodes.send(1, 0, 1, 8);
  ASSERT_TRUE(nodes.await(0, 1));
  ASSERT_TRUE(nodes.await(1, 1));
  ASSERT_TRUE(nodes.poll_until(
      [&] { return nodes.end(0).flush() && nodes.end(1).flush() && nodes.end(1).wake_source()->arm(); }));
  ASSERT_TRUE(nodes.try_send(0, 1, 2, 3000));
  EXPECT_TRUE(is_readable(nodes.end(1), 30'000));
  ASSERT_TRUE(nodes.await(1, 2));
}

TEST_P(OfiWake, ACallWakes) {
  OfiNodes nodes(2, GetParam());
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(1).wake_source()->arm(); }));
  EXPECT_FALSE(nodes.try_send(0, 1, 1));
  nodes.end(0).poll(nodes.inbox(0));
  EXPECT_TRUE(is_readable(nodes.end(1), 30'000));
}

TEST_P(OfiWake, ADeathWakes) {
  OfiNodes nodes(2, GetParam());
  nodes.send(0, 1, 1, 8);
  ASSERT_TRUE(nodes.await(1, 1));
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush() && nodes.end(1).wake_source()->arm(); }));
  nodes.cut_connections();
  EXPECT_TRUE(is_readable(nodes.end(1), 30'000));
  nodes.ends[0].reset();
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(1).is_dead(Address(0)); }));
}

/// Each rank, a thread, sends to each other until all have all, and sleeps whenever nothing moves.
class OfiStorm {
 public:
  OfiStorm(std::int32_t ranks, std::uint64_t seed, const std::string& provider)
      : ranks_(ranks), seed_(seed), nodes_(ranks, provider) {}

  void run(std::uint64_t packets) {
    std::vector<std::thread> threads;
    for (std::int32_t rank = 0; rank < ranks_; ++rank) threads.emplace_back([=, this] { run_rank(rank, packets); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  using Counts = std::vector<std::uint64_t>;

  void run_rank(std::int32_t rank, std::uint64_t packets) {
    std::mt19937_64 random(seed_ + static_cast<std::uint64_t>(rank));
    Counts sent(static_cast<std::size_t>(ranks_));
    Counts received(sent.size());
    for (Counts* counts : {&sent, &received}) (*counts)[static_cast<std::size_t>(rank)] = packets;
    const Counts all(sent.size(), packets);
    OfiTransport& end = nodes_.end(rank);
    bool armed = false;
    while (!lost_ && (sent != all || received != all || !end.flush())) {
      bool moved = false;
      for (std::int32_t to = 0; to < ranks_; ++to) {
        std::uint64_t& count = sent[static_cast<std::size_t>(to)];
        for (std::uint64_t burst = 1 + random() % 80; burst != 0 && count < packets; --burst) {
          if (!nodes_.try_send(rank, to, count, random() % 8 == 0 ? random() % OfiTransport::kMaxPayload : 8)) break;
          ++count;
          moved = true;
        }
      }
      moved |= receive(rank, received);
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
    ++through_;
    while (!lost_ && through_ != ranks_) receive(rank, received);
  }

  bool receive(std::int32_t rank, Counts& received) {
    tcp::TcpInbox inbox;
    const bool moved = nodes_.end(rank).poll(inbox);
    for (const auto& message : inbox.messages) {
      EXPECT_EQ(message.word, received[static_cast<std::size_t>(message.from)]++)
          << "from " << message.from << " to " << rank << ", seed " << seed_;
      EXPECT_TRUE(message.is_whole());
    }
    return moved;
  }

  std::int32_t ranks_;
  std::uint64_t seed_;
  OfiNodes nodes_;
  std::atomic<bool> lost_{false};
  std::atomic<std::int32_t> through_{0};
};

TEST_P(OfiWake, AStormArrivesInOrderAndNobodySleepsForEver) {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  for (std::uint64_t round = 0; round < (kUnderSanitizer ? 1 : 3); ++round)
    OfiStorm(4, seed + round, GetParam()).run(500);
}

}  // namespace
}  // namespace starling::transport::ofi
