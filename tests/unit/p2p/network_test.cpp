// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What p2p does over a network between two nodes: while a rank waits, and when the network breaks.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <string>
#include <thread>

#include "unit/p2p/two_ranks.hpp"

namespace starling::p2p {
namespace {

constexpr transport::loop::Settings kNetwork;

/// Rank 0 leaves when rank 1 is here and waits for nothing any more.
void meet(TestRank& self) {
  char word = 'x';
  const Message message = self.bytes(&word, 1, 1 - self.rank, 99);
  if (self.rank == 0) {
    EXPECT_TRUE(self.p2p.send(message, SendMode::kStandard).ok());
  }
  EXPECT_TRUE(self.p2p.receive(message, nullptr).ok());
  if (self.rank == 1) {
    EXPECT_TRUE(self.p2p.send(message, SendMode::kStandard).ok());
  }
}

std::int64_t process_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

TEST(Network, ARankThatWaitsForAnotherNodeBurnsNothing) {
  run_ranks(
      2, {},
      [](TestRank& self) {
        meet(self);
        char word = 'x';
        if (self.rank == 0) {
          const std::int64_t before = process_cpu_ns();
          EXPECT_TRUE(self.p2p.receive(self.bytes(&word, 1, 1, 1), nullptr).ok());
          EXPECT_LT(process_cpu_ns() - before, 200'000'000);
        } else {
          std::this_thread::sleep_for(std::chrono::milliseconds(400));
          EXPECT_TRUE(self.p2p.send(self.bytes(&word, 1, 0, 1), SendMode::kStandard).ok());
        }
      },
      &kNetwork);
}

TEST(BrokenNetwork, FailsAReceiveWhoseMessageHadArrivedInPart) {
  const transport::loop::Settings network{.whole_up_to = 100};  // the link holds a sixth of the message
  std::atomic<bool> has_some = false;
  run_ranks(
      2, {{"EAGER_LIMIT", "1m"}},
      [&](TestRank& self) {
        meet(self);
        constexpr std::int64_t kBytes = 300'000;
        std::vector<unsigned char> data(kBytes, 7);
        if (self.rank == 0) {
          Request* request = self.p2p.isend(self.bytes(data.data(), kBytes, 1, 1), SendMode::kStandard);
          EXPECT_FALSE(request->complete());
          while (!has_some) std::this_thread::yield();
          self.network->kill(WorldRank(0));
          self.p2p.mark_failed(PeerId(1));
          EXPECT_FALSE(request->failure.ok());
          request->dispose();
        } else {
          std::vector<unsigned char> got(kBytes);
          Request* receive = self.p2p.ireceive(self.bytes(got.data(), kBytes, 0, 1));
          Request* other = self.p2p.ireceive(self.bytes(got.data(), kBytes, 0, 2));
          while (std::ranges::count(got, 7) == 0) self.p2p.progress().poll();  // it comes into the buffer at once
          has_some = true;
          while (!self.network->mailbox(WorldRank(1)).is_broken(WorldRank(0))) std::this_thread::yield();
          EXPECT_FALSE(receive->complete());
          self.p2p.mark_failed(PeerId(0));
          EXPECT_TRUE(receive->complete() && !receive->failure.ok());
          EXPECT_TRUE(other->complete() && !other->failure.ok());
          receive->dispose();
          other->dispose();
        }
      },
      &network, AtEnd::kLeave);
}

TEST(BrokenNetwork, FailsASendWithASentenceThatNamesBothRanks) {
  run_ranks(
      2, {},
      [](TestRank& self) {
        meet(self);
        if (self.rank != 0) return;
        self.network->cut(0, 1);
        char word = 'x';
        const Status sent = self.p2p.send(self.bytes(&word, 1, 1, 1), SendMode::kStandard);
        EXPECT_EQ(sent.error_class(), ErrorClass::kProcFailed);
        EXPECT_NE(sent.message().find("from rank 0 to rank 1"), std::string::npos) << sent.message();
      },
      &kNetwork, AtEnd::kLeave);
}

TEST(BrokenNetwork, WakesASenderThatSleepsBeforeAFullLink) {
  run_ranks(
      2, {{"WAIT", "sleep"}},
      [](TestRank& self) {
        meet(self);
        if (self.rank == 0) {
          // More than the link holds and the peer ever takes.
          std::vector<unsigned char> data(20'000'000);
          const auto size = static_cast<std::int64_t>(data.size());
          Request* request = self.p2p.isend(self.bytes(data.data(), size, 1, 1), SendMode::kStandard);
          self.p2p.wait(*request);
          EXPECT_EQ(request->failure.error_class(), ErrorClass::kProcFailed);
          request->dispose();
        } else {
          std::vector<unsigned char> data(20'000'000);
          Request* receive = self.p2p.ireceive(self.bytes(data.data(), static_cast<std::int64_t>(data.size()), 0, 1));
          // Until the message is wanted, and the link full.
          while (self.network->mailbox(WorldRank(1)).under_way(WorldRank(0)) < 5) {
            self.p2p.progress().poll();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          }
          self.network->kill(WorldRank(1));
          self.p2p.mark_failed(PeerId(0));
          EXPECT_TRUE(receive->complete());
          EXPECT_FALSE(receive->failure.ok());
          receive->dispose();
        }
      },
      &kNetwork, AtEnd::kLeave);
}

TEST(BrokenNetwork, DeliversWhatADeadRankHadSentBeforeItFailsTheRest) {
  run_ranks(
      2, {},
      [](TestRank& self) {
        meet(self);
        char word = 'a';
        if (self.rank == 0) {
          EXPECT_TRUE(self.p2p.send(self.bytes(&word, 1, 1, 1), SendMode::kStandard).ok());
          self.network->kill(WorldRank(0));
        } else {
          char sent = 'x';
          char unsent = 'x';
          Request* first = self.p2p.ireceive(self.bytes(&sent, 1, 0, 1));
          Request* second = self.p2p.ireceive(self.bytes(&unsent, 1, 0, 2));
          while (!self.network->mailbox(WorldRank(1)).is_broken(WorldRank(0))) std::this_thread::yield();
          self.p2p.mark_failed(PeerId(0));
          EXPECT_TRUE(first->complete() && first->failure.ok());
          EXPECT_EQ(sent, 'a');
          EXPECT_TRUE(second->complete() && !second->failure.ok());
          first->dispose();
          second->dispose();
        }
      },
      &kNetwork, AtEnd::kLeave);
}

TEST(BrokenNetwork, TellsARankThatSleepsInAReceiveOfThePeerItHasLost) {
  run_ranks(
      2, {{"WAIT", "sleep"}},
      [](TestRank& self) {
        meet(self);
        char word = 'a';
        if (self.rank == 1) {
          EXPECT_TRUE(self.p2p.send(self.bytes(&word, 1, 0, 1), SendMode::kStandard).ok());
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          self.network->kill(WorldRank(1));
          return;
        }
        char sent = 'x';
        char unsent = 'x';
        Request* first = self.p2p.ireceive(self.bytes(&sent, 1, 1, 1));
        Request* second = self.p2p.ireceive(self.bytes(&unsent, 1, 1, 2));
        int losses = 0;
        self.p2p.set_on_lost_peer([&](PeerId peer, transport::LostBy by, const Status& why) {
          ++losses;
          EXPECT_EQ(by, transport::LostBy::kEnd);
          EXPECT_EQ(peer, PeerId(1));
          EXPECT_NE(why.message().find("from rank 0 to rank 1"), std::string::npos) << why.message();
          EXPECT_TRUE(first->complete());  // what came before
          EXPECT_FALSE(second->complete());
        });
        self.p2p.progress().wait([&] { return losses != 0; });
        self.p2p.mark_failed(PeerId(1));
        EXPECT_FALSE(second->failure.ok());
        for (int polls = 0; polls < 100; ++polls) self.p2p.progress().poll();
        EXPECT_EQ(losses, 1);
        self.p2p.set_on_lost_peer({});
        first->dispose();
        second->dispose();
      },
      &kNetwork, AtEnd::kLeave);
}

}  // namespace
}  // namespace starling::p2p
