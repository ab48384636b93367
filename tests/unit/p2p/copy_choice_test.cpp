// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CopyChoice with a clock of its own: messages take what a case says, and the choice has to find out.
#include "p2p/protocol/copy_choice.hpp"

#include <gtest/gtest.h>

#include <random>

namespace starling::p2p {
namespace {

std::uint64_t test_time = 0;
std::uint64_t test_clock() { return test_time; }
using Choice = BasicCopyChoice<&test_clock>;

constexpr std::size_t kPacket = 8192;
constexpr std::int64_t kTwoPackets = 2 * kPacket;

/// What a message takes.
struct Costs {
  std::uint64_t buffered = 0;
  std::uint64_t once = 0;
};

/// How many of so many messages were copied once.
int send(Choice& choice, int messages, const Costs& costs, std::int64_t bytes = kTwoPackets) {
  int copied_once = 0;
  for (int i = 0; i < messages; ++i) {
    const bool once = choice.way_of(bytes, kPacket) == CopyWay::kOnce;
    copied_once += once ? 1 : 0;
    test_time += once ? costs.once : costs.buffered;
  }
  return copied_once;
}

TEST(CopyChoices, LearnWhatIsQuicker) {
  Choice choice;
  send(choice, 2000, {3000, 2000});
  EXPECT_GE(send(choice, 100'000, {3000, 2000}), 98'000);
}

TEST(CopyChoices, StayWithTheBuffersWhereNothingIsWon) {
  for (const std::uint64_t once : {2000, 1990, 2100, 3000, 200'000}) {
    Choice choice;
    send(choice, 10'000, {2000, once});
    const int copied_once = send(choice, 100'000, {2000, once});
    EXPECT_LE(copied_once, 1000) << once;
    EXPECT_GE(copied_once, 64) << "it never tries again, " << once;
  }
}

TEST(CopyChoices, FollowAProgramThatChanges) {
  Choice choice;
  constexpr int kTrialAtLast = 60'000;  // what becomes better unseen waits for its trial
  for (int phase = 0; phase < 20; ++phase) {
    const Costs costs = phase % 2 == 0 ? Costs{3000, 2000} : Costs{3000, 5000};
    send(choice, kTrialAtLast, costs);
    const int copied_once = send(choice, 20'000, costs);
    EXPECT_TRUE(phase % 2 == 0 ? copied_once > 18'000 : copied_once < 2000) << "phase " << phase << ": " << copied_once;
  }
}

TEST(CopyChoices, TryWhatMayHaveBecomeQuickerWhenMessagesBecomeSlower) {
  Choice choice;
  send(choice, 200'000, {3000, 2000});  // trials are seldom by test_time
  EXPECT_LE(send(choice, 4000, {3000, 5000}), 1500);
}

TEST(CopyChoices, ForgiveWhatOtherProgramsTake) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  for (const Costs& costs : {Costs{3000, 2000}, Costs{2000, 3000}}) {
    Choice choice;
    int copied_once = 0;
    constexpr int kMessages = 400'000;
    for (int i = 0; i < kMessages; ++i) {
      const bool once = choice.way_of(kTwoPackets, kPacket) == CopyWay::kOnce;
      copied_once += once ? 1 : 0;
      test_time += (once ? costs.once : costs.buffered) + random() % 200;
      if (random() % 500 == 0) test_time += 50'000;
    }
    EXPECT_TRUE(costs.once < costs.buffered ? copied_once > kMessages * 9 / 10 : copied_once < kMessages / 20)
        << "seed " << seed << ": " << copied_once;
  }
}

TEST(CopyChoices, CountMessagesOfEachSizeByThemselves) {
  Choice choice;
  const Costs better{3000, 2000};
  const Costs worse{2000, 3000};
  for (int i = 0; i < 20'000; ++i) {
    send(choice, 1, better, 2 * kPacket);
    send(choice, 1, worse, 3 * kPacket);
  }
  int copied_once[2] = {0, 0};
  for (int i = 0; i < 50'000; ++i) {
    copied_once[0] += send(choice, 1, better, 2 * kPacket);
    copied_once[1] += send(choice, 1, worse, 3 * kPacket);
  }
  EXPECT_GE(copied_once[0], 45'000);
  EXPECT_LE(copied_once[1], 2500);
}

TEST(CopyChoices, DoNotInsistWhereAReceiverCannotCopy) {
  Choice choice;
  int refused = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (choice.way_of(kTwoPackets, kPacket) != CopyWay::kOnce) continue;
    ++refused;
    choice.note_refused(kTwoPackets, kPacket);
    test_time += 10;  // even where it would be quick
  }
  EXPECT_GE(refused, 1);
  EXPECT_LE(refused, 5);
}

}  // namespace
}  // namespace starling::p2p
