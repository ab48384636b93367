// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A rank asleep on its descriptor is woken by all that may let it go on, whenever that comes.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>

#include "support/sanitized.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {
namespace {

bool is_readable(TcpTransport& end, int timeout_ms) {
  pollfd watched{end.wake_source()->descriptor(), POLLIN, 0};
  return ::poll(&watched, 1, timeout_ms) == 1;
}

/// It would be woken since a socket has room, and not only to look how its peers are, as it does now and then.
bool has_event_of_room(TcpTransport& end) {
  epoll_event events[8];
  const int found = epoll_wait(end.wake_source()->descriptor(), events, 8, 0);
  return std::any_of(events, events + std::max(found, 0), [](const epoll_event& event) {
    return EventSet::about(event).kind == EventOf::Kind::kConnection && (event.events & EPOLLOUT) != 0;
  });
}

/// Joined, and with nothing under way.
void settle(TcpNodes& nodes) {
  nodes.send(0, 1, 1, 8);
  ASSERT_TRUE(nodes.await(1, 1));
  nodes.inbox(1).messages.clear();
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush() && nodes.end(1).flush(); }));
}

TEST(TcpWake, IsSilentUntilSomethingArrives) {
  TcpNodes nodes(2);
  settle(nodes);
  ASSERT_TRUE(nodes.end(1).wake_source()->arm());
  EXPECT_FALSE(is_readable(nodes.end(1), 0));
  ASSERT_TRUE(nodes.try_send(0, 1, 1, 8));
  EXPECT_TRUE(is_readable(nodes.end(1), 30'000));
  EXPECT_FALSE(nodes.end(1).wake_source()->arm());
  nodes.end(1).poll(nodes.inbox(1));
  EXPECT_EQ(nodes.inbox(1).messages.size(), 1U);  // arm() lets the next poll look
  EXPECT_TRUE(nodes.end(1).wake_source()->arm());
}

TEST(TcpWake, ACallWakes) {
  TcpNodes nodes(2);
  ASSERT_TRUE(nodes.end(1).wake_source()->arm());
  EXPECT_FALSE(nodes.try_send(0, 1, 1));
  EXPECT_TRUE(is_readable(nodes.end(1), 30'000));
}

/// The system has room for less than a packet of the longest kind on its way, however it moves and keeps the bytes.
void narrow(TcpNodes& nodes) {
  const int bytes = 64 * 1024;
  for (const std::int32_t rank : {0, 1}) {
    const int socket = nodes.socket(rank, 1 - rank);
    for (const int option : {SO_SNDBUF, SO_RCVBUF})
      ASSERT_EQ(setsockopt(socket, SOL_SOCKET, option, &bytes, sizeof bytes), 0);
  }
}

TEST(TcpWake, RoomWakesTheSenderThatFoundNone) {
  TcpNodes nodes(2);
  settle(nodes);
  narrow(nodes);
  // The system may move to the other socket a little later what this one has taken, and so make room that is no news.
  const bool is_full = nodes.until([&] {
    while (nodes.try_send(0, 1, 0, 100'000)) {
    }
    if (nodes.end(0).wake_source()->arm() && !is_readable(nodes.end(0), 0)) return true;
    nodes.end(0).poll(nodes.inbox(0));
    return false;
  });
  ASSERT_TRUE(is_full);
  EXPECT_TRUE(nodes.until([&] {
    nodes.end(1).poll(nodes.inbox(1));
    return has_event_of_room(nodes.end(0));
  }));
}

/// A packet that the sockets take only in part.
class LongPacket {
 public:
  explicit LongPacket(TcpNodes& nodes) : nodes_(nodes), data_(TcpTransport::kLongest) {
    const std::optional<std::size_t> taken =
        nodes_.end(0).try_begin(Address(1), {}, {0, 0}, data_.data(), data_.size());
    EXPECT_TRUE(taken.has_value());
    left_ = data_.size() - taken.value_or(data_.size());
  }

  /// What the socket takes of the rest.
  std::size_t go_on() {
    const std::size_t taken = nodes_.end(0).go_on(Address(1), data_.data() + data_.size() - left_, left_);
    left_ -= taken;
    return taken;
  }
  [[nodiscard]] std::size_t left() const noexcept { return left_; }

 private:
  TcpNodes& nodes_;
  std::vector<std::byte> data_;
  std::size_t left_ = 0;
};

TEST(TcpWake, RoomWakesTheSenderThatOwesTheRestOfAPayloadThoughItTriesAfterItHasArmed) {
  TcpNodes nodes(2);
  settle(nodes);
  narrow(nodes);
  LongPacket packet(nodes);
  nodes.end(0).wake_source()->arm();
  // The last round before a sleep.
  nodes.end(0).poll(nodes.inbox(0));
  packet.go_on();
  ASSERT_NE(packet.left(), 0U);
  EXPECT_TRUE(nodes.until([&] {
    nodes.end(1).poll(nodes.inbox(1));
    return has_event_of_room(nodes.end(0));
  }));
}

TEST(TcpWake, AfterManyTriesInVainTheRestOfAPayloadWaitsForTheEvent) {
  TcpNodes nodes(2);
  settle(nodes);
  narrow(nodes);
  LongPacket packet(nodes);
  // The socket may take a little meanwhile, as the system moves it to the other one.
  for (int in_vain = 0; in_vain < 3000; ++in_vain) {
    if (packet.go_on() != 0) in_vain = 0;
  }
  ASSERT_NE(packet.left(), 0U);
  ASSERT_TRUE(nodes.until([&] {
    nodes.end(1).poll(nodes.inbox(1));
    return has_event_of_room(nodes.end(0));
  }));
  EXPECT_EQ(packet.go_on(), 0U);  // it has not heard of it
  EXPECT_TRUE(nodes.poll_until([&] { return packet.left() == 0 || (packet.go_on() != 0 && packet.left() == 0); }));
}

TEST(TcpWake, ArmingWritesWhatIsKept) {
  TcpNodes nodes(2);
  settle(nodes);
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(nodes.try_send(0, 1, 1, 8));
  EXPECT_NE(nodes.end(0).in_flight(Address(1)), 0U);
  ASSERT_TRUE(nodes.end(0).wake_source()->arm());
  EXPECT_EQ(nodes.end(0).in_flight(Address(1)), 0U);
}

TEST(TcpWake, ARankThatFlushesIsWokenToLookAgain) {
  TcpNodes nodes(2);
  settle(nodes);
  narrow(nodes);
  const LongPacket packet(nodes);
  // So often in half a minute: whether its peers are silent it looks only once a second.
  int woken = 0;
  EXPECT_TRUE(nodes.until([&] {
    EXPECT_FALSE(nodes.end(0).flush());
    nodes.end(0).wake_source()->arm();
    if (is_readable(nodes.end(0), 30'000)) ++woken;
    nodes.end(0).poll(nodes.inbox(0));
    return woken == 40;
  }));
}

/// Each rank sends to each other until all have all, and sleeps whenever nothing moves.
class TcpStorm {
 public:
  TcpStorm(std::int32_t ranks, std::uint64_t seed) : ranks_(ranks), seed_(seed), nodes_(ranks) {}

  void run(std::uint64_t packets) {
    std::vector<std::thread> threads;
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      threads.emplace_back([this, rank, packets] { run_rank(rank, packets); });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  struct Begun {
    std::vector<std::byte> payload;
    std::size_t left = 0;
  };
  struct Progress {
    std::vector<std::uint64_t> sent;
    std::vector<std::uint64_t> received;
    std::vector<Begun> begun;
    std::mt19937_64 random;
  };

  void run_rank(std::int32_t rank, std::uint64_t packets) {
    const auto ranks = static_cast<std::size_t>(ranks_);
    Progress progress{std::vector<std::uint64_t>(ranks), std::vector<std::uint64_t>(ranks), std::vector<Begun>(ranks),
                      std::mt19937_64(seed_ + static_cast<std::uint64_t>(rank))};
    for (auto* counts : {&progress.sent, &progress.received}) (*counts)[static_cast<std::size_t>(rank)] = packets;
    const std::vector<std::uint64_t> all(ranks, packets);
    TcpTransport& end = nodes_.end(rank);
    bool armed = false;
    while (!lost_ && (progress.sent != all || progress.received != all || !end.flush())) {
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
    // Others may still wait for an answer of this rank's machine only.
    ++through_;
    while (!lost_ && through_ != ranks_) receive(rank, progress);
  }

  bool send_some(std::int32_t rank, std::uint64_t packets, Progress& progress) {
    bool moved = false;
    for (std::int32_t to = 0; to < ranks_; ++to) {
      std::uint64_t& sent = progress.sent[static_cast<std::size_t>(to)];
      for (std::uint64_t burst = 1 + progress.random() % 80; burst != 0 && sent < packets; --burst) {
        if (!send_one(rank, to, sent, progress)) break;
        ++sent;
        moved = true;
      }
    }
    return moved;
  }

  /// A short packet, a longer one, or one that leaves in parts.
  bool send_one(std::int32_t rank, std::int32_t to, std::uint64_t word, Progress& progress) {
    TcpTransport& end = nodes_.end(rank);
    Begun& begun = progress.begun[static_cast<std::size_t>(to)];
    if (begun.left != 0) {
      begun.left -= end.go_on(Address(to), begun.payload.data() + begun.payload.size() - begun.left, begun.left);
      return begun.left == 0;
    }
    const std::size_t bytes = progress.random() % 8 == 0 ? progress.random() % 100'000 : 8;
    const std::size_t longest = progress.random() % 64 == 0 ? end.longest(Address(to)) : 0;
    if (longest == 0) return nodes_.try_send(rank, to, word, bytes);
    begun.payload.assign(1 + progress.random() % longest, static_cast<std::byte>(word));
    const std::optional<std::size_t> taken =
        end.try_begin(Address(to), {}, {word, 0}, begun.payload.data(), begun.payload.size());
    if (taken) begun.left = begun.payload.size() - *taken;
    return taken && begun.left == 0;
  }

  bool receive(std::int32_t rank, Progress& progress) {
    TcpInbox inbox;
    const bool moved = nodes_.end(rank).poll(inbox);
    for (const TcpInbox::Message& message : inbox.messages) {
      std::uint64_t& expected = progress.received[static_cast<std::size_t>(message.from)];
      EXPECT_EQ(message.word, expected) << "from " << message.from << " to " << rank << ", seed " << seed_;
      EXPECT_TRUE(message.is_whole());
      nodes_.end(rank).publish_held(Address(message.from), ++expected);
    }
    return moved;
  }

  std::int32_t ranks_;
  std::uint64_t seed_;
  TcpNodes nodes_;
  std::atomic<bool> lost_{false};
  std::atomic<std::int32_t> through_{0};
};

TEST(TcpWake, AStormArrivesInOrderAndNobodySleepsForEver) {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  for (std::uint64_t round = 0; round < (kUnderSanitizer ? 1 : 3); ++round) TcpStorm(4, seed + round).run(700);
}

}  // namespace
}  // namespace starling::transport::tcp
