// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ranks as processes that send each other packets of random sizes while one of them is killed at a random moment: the
// others get all that they send each other, in order, from the dead one a beginning, and hear that it is lost.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <random>

#include "support/sanitized.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {
namespace {

constexpr std::int32_t kStormRanks = 4;
constexpr std::uint64_t kStormPackets = 60;

enum Exit : int { kWell, kLate, kOutOfOrder, kWrongBytes, kWrongLoss, kNoTransport };

/// One rank, in a process of its own.
class KillRank final : private Sink {
 public:
  KillRank(const Roster& roster, Listener& listener, std::int32_t rank, std::int32_t victim, std::uint64_t seed)
      : rank_(rank), victim_(victim), random_(seed + static_cast<std::uint64_t>(rank)) {
    auto made =
        TcpTransport::create({roster, std::span(&listener, 1)}, impatient_settings(), WorldRank(rank), PeerId(0));
    if (!made.ok()) _exit(kNoTransport);
    end_ = std::move(made).value();
  }

  Exit run() {
    const std::int64_t until = now_ns() + TcpNodes::kLongNs;
    while (result_ == kWell && !(is_through() && end_->flush())) {
      if (now_ns() > until) return kLate;
      const bool moved = send_some();
      if (!end_->poll(*this) && !moved) sleep();
    }
    end_.reset();
    return result_;
  }

 private:
  void on_packet(PeerId peer, const Packet& packet) override {
    if (packet.words[0] != received_[peer.index()]++) result_ = kOutOfOrder;
    if (!tests::are_all(packet.payload, static_cast<std::byte>(packet.words[0]))) result_ = kWrongBytes;
  }
  void on_lost(PeerId peer, LostBy /*by*/, const Status& /*why*/) override {
    if (peer.value != victim_ || std::exchange(is_lost_, true)) result_ = kWrongLoss;
  }

  [[nodiscard]] bool is_through() const {
    for (std::int32_t peer = 0; peer < kStormRanks; ++peer) {
      const bool is_dead = peer == victim_ && is_lost_;
      if (peer == rank_ || is_dead) continue;
      if (sent_[peer] != kStormPackets || received_[peer] != kStormPackets) return false;
    }
    return true;
  }
  bool send_some() {
    bool moved = false;
    for (std::int32_t to = 0; to < kStormRanks; ++to) {
      if (to == rank_ || sent_[to] == kStormPackets || random_() % 2 == 0) continue;
      const std::vector<std::byte> payload(random_() % (random_() % 4 == 0 ? 150'000 : 100),
                                           static_cast<std::byte>(sent_[to]));
      if (!end_->try_send_words(Address(to), {}, {sent_[to], 0}, payload.data(), payload.size())) continue;
      ++sent_[to];
      moved = true;
    }
    static_cast<void>(end_->take_failure());
    return moved;
  }
  void sleep() {
    if (!end_->wake_source()->arm()) return;
    pollfd watched{end_->wake_source()->descriptor(), POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(random_() % 3));
  }

  std::int32_t rank_;
  std::int32_t victim_;
  std::mt19937_64 random_;
  std::unique_ptr<TcpTransport> end_;
  std::uint64_t sent_[kStormRanks] = {};
  std::uint64_t received_[kStormRanks] = {};
  bool is_lost_ = false;
  Exit result_ = kWell;
};

/// Starts all ranks; each has its own listener only, so that it closes with the process.
std::vector<pid_t> start(std::int32_t victim, std::uint64_t seed) {
  ListedRoster roster;
  roster.job = seed;
  EXPECT_TRUE(fill_randomly(roster.secret).ok());
  std::vector<Listener> listeners;
  for (std::int32_t rank = 0; rank < kStormRanks; ++rank) {
    listeners.push_back(Listener::open(SocketAddress::loopback(), {}).value());
    roster.ranks.push_back({listeners.back().address()});
  }
  std::vector<pid_t> ranks;
  for (std::int32_t rank = 0; rank < kStormRanks; ++rank) {
    const pid_t process = fork();
    if (process == 0) {
      for (std::int32_t other = 0; other < kStormRanks; ++other) {
        if (other != rank) listeners[static_cast<std::size_t>(other)].close();
      }
      _exit(KillRank(roster, listeners[static_cast<std::size_t>(rank)], rank, victim, seed).run());
    }
    ranks.push_back(process);
  }
  return ranks;
}

TEST(TcpKill, TheOthersLoseNothingAndHearOfTheDeath) {
  std::random_device device;
  for (int round = 0; round < (kUnderSanitizer ? 10 : 40); ++round) {
    const std::uint64_t seed = device();
    std::mt19937_64 random(seed);
    const auto victim = static_cast<std::int32_t>(random() % kStormRanks);
    const std::vector<pid_t> ranks = start(victim, seed);
    usleep(static_cast<useconds_t>(random() % 40'000));
    kill(ranks[static_cast<std::size_t>(victim)], SIGKILL);
    for (std::int32_t rank = 0; rank < kStormRanks; ++rank) {
      int status = 0;
      ASSERT_EQ(waitpid(ranks[static_cast<std::size_t>(rank)], &status, 0), ranks[static_cast<std::size_t>(rank)]);
      const bool was_killed = rank == victim && WIFSIGNALED(status);
      EXPECT_TRUE(was_killed || (WIFEXITED(status) && WEXITSTATUS(status) == kWell))
          << "rank " << rank << ", victim " << victim << ", status " << status << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace starling::transport::tcp
