// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What nodes tell each other of their ranks: it comes back as it was, damage is refused, and parts make a whole.
#include "observe/model/snapshot_form.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "observe/analysis/diagnosis.hpp"
#include "observe/analysis/roll_call.hpp"
#include "observe/model/rounds.hpp"
#include "situation.hpp"

namespace starling::observe::test {
namespace {

constexpr std::uint32_t kSolver = 7;

/// Ranks 0 to 3 of a job of 6, as their node sees them.
Snapshot part_of_six() {
  Situation situation(6);
  situation.receives(0, 1, 7).time_ns = 5 * kSecond;
  situation.in_collective(1, "MPI_Allreduce", 51, kSolver, -1, 800).wait.add_untold(3);
  situation.snapshot().ranks[1].earlier_collectives = {CollectiveCall{"MPI_Bcast", kSolver, 50, 2, 8},
                                                       CollectiveCall{"MPI_Barrier", 0, 9, -1, 0}};
  situation.set(2, Activity::kOutside).position = "solver.cpp:88";
  situation.set(3, Activity::kTesting, "MPI_Test").steps = 99;
  situation.set(4, Activity::kElsewhere);
  situation.set(5, Activity::kElsewhere);
  situation.communicator(kSolver, "solver", {0, 1, 2, 4, 5});
  situation.snapshot().communicators.front().begun = {50, 51, 50, std::nullopt, std::nullopt};
  situation.snapshot().one_node = false;
  situation.snapshot().ranks[1].taken = 12;
  situation.snapshot().given = {0, 0, 0, 0, 5, 6};
  return situation.snapshot();
}

Snapshot parsed(const std::string& bytes, std::size_t ranks) {
  Result<Snapshot> snapshot = parse_snapshot(bytes, ranks);
  EXPECT_TRUE(snapshot.ok());
  return snapshot.ok() ? std::move(snapshot).value() : Snapshot();
}

/// What the analysis relies on.
void expect_sound(const Snapshot& snapshot, std::size_t ranks) {
  ASSERT_EQ(snapshot.ranks.size(), ranks);
  for (const CommunicatorSnapshot& each : snapshot.communicators) {
    ASSERT_FALSE(each.members.empty());
    EXPECT_EQ(each.begun.size(), each.members.size());
    EXPECT_TRUE(std::ranges::is_sorted(each.members));
    EXPECT_GE(each.members.front(), 0);
    EXPECT_LT(static_cast<std::size_t>(each.members.back()), ranks);
  }
  EXPECT_FALSE(diagnose(snapshot).sentence.empty());
  EXPECT_FALSE(roll_call_text(snapshot, 40).empty());
}

TEST(SnapshotForm, ComesBackAsItWas) {
  const std::string bytes = serialised(part_of_six());
  const Snapshot back = parsed(bytes, 6);
  EXPECT_EQ(serialised(back), bytes);
  EXPECT_FALSE(back.one_node);
  EXPECT_EQ(back.rank(0).call, "MPI_Recv");
  EXPECT_EQ(back.rank(0).time_ns, 5 * kSecond);
  EXPECT_TRUE(back.rank(0).quiet);
  ASSERT_EQ(back.rank(0).wait.awaited().size(), 1U);
  EXPECT_EQ(back.rank(0).wait.awaited().front(), Situation::message(1, 7));
  EXPECT_EQ(back.rank(1).collective->sequence, 51U);
  ASSERT_EQ(back.rank(1).earlier_collectives.size(), 2U);
  EXPECT_EQ(back.rank(1).earlier_collectives.front().root, 2);
  EXPECT_EQ(back.rank(1).taken, 12U);
  EXPECT_EQ(back.given, part_of_six().given);
  EXPECT_EQ(back.rank(1).wait.pending(), 3U);
  EXPECT_EQ(back.rank(2).position, "solver.cpp:88");
  EXPECT_EQ(back.rank(3).steps, 99U);
  EXPECT_EQ(back.rank(4).activity, Activity::kElsewhere);
  ASSERT_EQ(back.communicators.size(), 1U);
  EXPECT_EQ(back.communicators.front().members, (std::vector{0, 1, 2, 4, 5}));
  EXPECT_EQ(back.communicators.front().begun[1], 51U);
  EXPECT_FALSE(back.communicators.front().begun[3].has_value());
}

TEST(SnapshotForm, IsRefusedWhenItIsCutAnywhere) {
  const std::string bytes = serialised(part_of_six());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(parse_snapshot(bytes.substr(0, length), 6).ok()) << length;
  }
  EXPECT_FALSE(parse_snapshot(bytes + "x", 6).ok());
}

TEST(SnapshotForm, IsRefusedWhenItIsOfAnotherJob) {
  const std::string bytes = serialised(part_of_six());
  EXPECT_FALSE(parse_snapshot(bytes, 5).ok());
  EXPECT_FALSE(parse_snapshot(bytes, std::size_t{1} << 40).ok());
}

TEST(SnapshotForm, OfGarbageIsRefusedOrSound) {
  const std::string bytes = serialised(part_of_six());
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::size_t accepted = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = bytes;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      // Counts and lengths with all bits set are the likeliest to harm.
      const std::size_t at = random() % damaged.size();
      const std::size_t length = random() % 2 == 0 ? 1 : 1 + random() % 8;
      for (std::size_t i = at; i < std::min(at + length, damaged.size()); ++i)
        damaged[i] = static_cast<char>(length == 1 ? random() : 0xff);
    }
    const Result<Snapshot> snapshot = parse_snapshot(damaged, 6);
    if (!snapshot.ok()) continue;
    ++accepted;
    expect_sound(snapshot.value(), 6);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(accepted, 0U);  // or nothing but the first word was tried
}

TEST(SnapshotForm, OfManyCommunicatorsLeavesSomeOut) {
  Situation situation(3);
  for (std::uint32_t context = 1; context < 600; ++context) situation.communicator(context, "", {0, 1, 2});
  EXPECT_EQ(parsed(serialised(situation.snapshot()), 3).communicators.size(), kMostCommunicators);
}

TEST(Merged, KnowsEachRankFromItsNode) {
  Situation other(6);
  for (const std::int32_t rank : {0, 1, 2, 3}) other.set(rank, Activity::kElsewhere);
  other.in_collective(4, "MPI_Allreduce", 51, kSolver);
  other.set(5, Activity::kElsewhere);  // of a third node, which is silent
  other.communicator(kSolver, "", {0, 1, 2, 4, 5});
  other.snapshot().communicators.front().begun = {std::nullopt, std::nullopt, std::nullopt, 51, std::nullopt};
  other.snapshot().connected_jobs = true;
  other.snapshot().given = {1, 0, 0, 0, 0, 7};

  const Snapshot whole = merged(6, {part_of_six(), other.snapshot()});
  EXPECT_EQ(whole.rank(0).activity, Activity::kWaiting);
  EXPECT_EQ(whole.rank(4).activity, Activity::kWaiting);
  EXPECT_EQ(whole.rank(5).activity, Activity::kElsewhere);
  EXPECT_TRUE(whole.connected_jobs);
  EXPECT_FALSE(whole.one_node);
  ASSERT_EQ(whole.communicators.size(), 1U);
  EXPECT_EQ(whole.communicators.front().name, "solver");
  const std::vector<std::optional<std::uint64_t>> begun{50, 51, 50, 51, std::nullopt};
  EXPECT_EQ(whole.communicators.front().begun, begun);
  EXPECT_EQ(whole.given, (std::vector<std::uint32_t>{1, 0, 0, 0, 5, 13}));
}

TEST(Merged, NeverCallsARankMissingThatNobodySees) {
  Situation here(3);
  here.in_collective(0, "MPI_Barrier", 1);
  here.in_collective(1, "MPI_Barrier", 1);
  here.set(2, Activity::kElsewhere);
  EXPECT_EQ(merged(3, {here.snapshot()}).communicators.size(), 0U);
  EXPECT_EQ(diagnose(merged(3, {here.snapshot()})).sentence.find("missing"), std::string::npos);
}

TEST(Merged, NamesTheMissingOfAThousandRanksOnManyNodes) {
  constexpr std::int32_t kRanks = 1000;
  constexpr std::int32_t kOnNode = 50;
  std::vector<std::int32_t> all(kRanks);
  std::iota(all.begin(), all.end(), 0);
  std::vector<Snapshot> parts;
  for (std::int32_t first = 0; first < kRanks; first += kOnNode) {
    Situation node(kRanks);
    node.communicator(kSolver, "solver", all);
    auto& begun = node.snapshot().communicators.front().begun;
    begun.resize(kRanks);
    for (std::int32_t rank = 0; rank < kRanks; ++rank) {
      const bool is_here = rank >= first && rank < first + kOnNode;
      if (!is_here) node.set(rank, Activity::kElsewhere);
      if (is_here && rank != 777) node.in_collective(rank, "MPI_Allreduce", 51, kSolver);
      if (is_here) begun[static_cast<std::size_t>(rank)] = rank == 777 ? 50 : 51;
    }
    parts.push_back(parsed(serialised(node.snapshot()), kRanks));
  }
  const Snapshot whole = merged(kRanks, parts);
  EXPECT_EQ(diagnose(between_rounds(whole, whole)).sentence,
            "rank 777 is missing in MPI_Allreduce number 51 on 'solver'; it is outside MPI");
}

TEST(Rounds, KeepTheWaitsThatLast) {
  Situation earlier(3);
  earlier.receives(0, 1, 7);
  earlier.receives(1, 2, 7);
  earlier.receives(2, 0, 7);
  Situation later(3);
  later.receives(0, 1, 7);
  later.receives(1, 2, 7).steps = 1;  // another one: the first has got its message
  later.receives(2, 0, 7);
  const Snapshot between = between_rounds(earlier.snapshot(), later.snapshot());
  EXPECT_EQ(between.rank(0).activity, Activity::kWaiting);
  EXPECT_TRUE(between.rank(0).quiet);
  EXPECT_EQ(between.rank(1).activity, Activity::kActive);
  EXPECT_EQ(diagnose(between).verdict, Verdict::kWaits);
  EXPECT_EQ(diagnose(between_rounds(later.snapshot(), later.snapshot())).verdict, Verdict::kDeadlock);
}

/// Two ranks on two nodes that wait for each other.
Snapshot pair(std::uint32_t taken, std::uint32_t given) {
  Situation situation(2);
  situation.receives(0, 1, 7).taken = 4;
  situation.receives(1, 0, 7).taken = taken;
  situation.snapshot().given = {4, given};
  situation.snapshot().one_node = false;
  return situation.snapshot();
}

TEST(Rounds, SeeWhetherAPacketIsUnderWay) {
  EXPECT_EQ(diagnose(between_rounds(pair(9, 9), pair(9, 9))).verdict, Verdict::kDeadlock);
  EXPECT_EQ(diagnose(between_rounds(pair(9, 10), pair(9, 10))).verdict, Verdict::kProbableDeadlock);
  // It came between the rounds, or after the later one had been told of its sender.
  EXPECT_EQ(diagnose(between_rounds(pair(9, 9), pair(10, 10))).verdict, Verdict::kProbableDeadlock);
}

TEST(Rounds, KnowNothingOfTheNetworkWhereANodeIsSilent) {
  Snapshot earlier = pair(9, 9);
  earlier.ranks.resize(3);
  earlier.given.push_back(0);
  Snapshot later = earlier;
  EXPECT_TRUE(between_rounds(earlier, later).rank(0).all_arrived);
  later.ranks[2].activity = Activity::kElsewhere;
  EXPECT_FALSE(between_rounds(earlier, later).rank(0).all_arrived);
}

}  // namespace
}  // namespace starling::observe::test
