// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Situations drawn at random, and an oracle that shares nothing with the graph: it tries all sets of ranks. A set is
// stuck where no rank of it could go on if all others sent it whatever it wants, and came to each collective.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>

#include "observe/analysis/diagnosis.hpp"
#include "observe/analysis/rank_graph.hpp"
#include "situation.hpp"
#include "support/sanitized.hpp"

namespace starling::observe::test {
namespace {

using Generator = std::mt19937_64;

std::int32_t draw(Generator& generator, std::int32_t end) {
  return static_cast<std::int32_t>(generator() % static_cast<std::uint64_t>(end));
}

constexpr std::uint32_t kHalves = 12;  // of MPI_Comm_split: two communicators of one context

Snapshot draw_snapshot(Generator& generator, std::int32_t ranks) {
  Situation situation(static_cast<std::size_t>(ranks));
  std::vector<std::int32_t> even;
  std::vector<std::int32_t> odd;
  for (std::int32_t rank = 0; rank < ranks; ++rank) (rank % 2 == 0 ? even : odd).push_back(rank);
  situation.communicator(kHalves, "even", even);
  situation.communicator(kHalves, "odd", odd);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t context = draw(generator, 3) == 0 ? kHalves : kWorldContext;
    const auto some_rank = [&] { return draw(generator, ranks); };
    switch (draw(generator, 9)) {
      case 0: situation.set(rank, Activity::kOutside); break;
      case 1: situation.set(rank, draw(generator, 2) == 0 ? Activity::kExited : Activity::kFinalized); break;
      case 2:
      case 3: situation.receives(rank, some_rank(), draw(generator, 3)); break;
      case 4: situation.receives(rank, -1, 1, context); break;
      case 5:
        situation.waits(rank, "MPI_Waitall", WaitKind::kAll,
                        {Situation::message(some_rank(), 1), Situation::message(some_rank(), 2)});
        break;
      case 6:
        situation.waits(rank, "MPI_Waitany", WaitKind::kAny,
                        {Situation::message(some_rank(), 1), Situation::message(some_rank(), 2)});
        break;
      default: situation.in_collective(rank, "MPI_Barrier", 1 + generator() % 2, context);
    }
  }
  return std::move(situation.snapshot());
}

/// Whether a rank goes on where the ranks outside the set do all that others may want of them.
bool goes_on(const Snapshot& snapshot, std::int32_t rank, std::uint32_t set) {
  const RankSnapshot& each = snapshot.rank(rank);
  if (has_gone(each.activity)) return false;
  if (each.activity != Activity::kWaiting) return true;
  const auto is_free = [&](std::int32_t other) { return (set >> other & 1) == 0; };
  const auto same_half = [&](std::int32_t other) { return other % 2 == rank % 2; };
  const auto ranks = static_cast<std::int32_t>(snapshot.ranks.size());
  if (each.wait.kind() == WaitKind::kCollective) {
    for (std::int32_t other = 0; other < ranks; ++other) {
      if (each.collective->context == kHalves && !same_half(other)) continue;
      const auto& last = snapshot.rank(other).collective;
      const bool elsewhere = last && last->context != each.collective->context;
      const bool lacks = !elsewhere && (last ? last->sequence : 0) < each.collective->sequence;
      if (lacks && !is_free(other)) return false;
    }
    return true;
  }
  const bool for_one = each.wait.kind() == WaitKind::kAny;
  for (const Awaited& awaited : each.wait.awaited()) {
    bool comes = false;
    for (std::int32_t other = 0; other < ranks; ++other) {
      const bool may_send =
          awaited.peer.is_none() ? (awaited.context_id != kHalves || same_half(other)) : awaited.peer.value == other;
      comes = comes || (may_send && is_free(other));
    }
    if (comes == for_one) return for_one;
  }
  return !for_one;
}

/// All ranks that are in a stuck set, as bits.
std::uint32_t stuck_by_force(const Snapshot& snapshot) {
  const auto ranks = static_cast<std::int32_t>(snapshot.ranks.size());
  std::uint32_t stuck = 0;
  for (std::uint32_t set = 1; set < std::uint32_t{1} << ranks; ++set) {
    bool holds = true;
    for (std::int32_t rank = 0; rank < ranks && holds; ++rank) {
      if ((set >> rank & 1) != 0) holds = !goes_on(snapshot, rank, set);
    }
    if (holds) stuck |= set;
  }
  return stuck;
}

bool is_stuck_set(const Snapshot& snapshot, std::uint32_t set) {
  for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(snapshot.ranks.size()); ++rank) {
    if ((set >> rank & 1) != 0 && goes_on(snapshot, rank, set)) return false;
  }
  return set != 0;
}

TEST(RandomSituations, AreReducedToWhatAnOracleFinds) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator generator(seed);
    const Snapshot snapshot = draw_snapshot(generator, 3 + draw(generator, 5));
    const std::size_t ranks = snapshot.ranks.size();
    const std::uint32_t expected = stuck_by_force(snapshot);
    const RankGraph graph(snapshot, std::vector<bool>(ranks, true), std::vector<bool>(ranks, false));
    const std::vector<bool> stuck = graph.graph().stuck();
    std::uint32_t found = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) found |= std::uint32_t{stuck[rank]} << rank;
    ASSERT_EQ(found, expected);
  }
}

TEST(RandomSituations, HaveADeadlockSaidWhereAndOnlyWhereRanksWaitForEachOther) {
  int deadlocks = 0;
  int gone = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator generator(seed);
    const Snapshot snapshot = draw_snapshot(generator, 3 + draw(generator, 5));
    std::uint32_t waiting = 0;
    for (std::size_t rank = 0; rank < snapshot.ranks.size(); ++rank) {
      waiting |= std::uint32_t{snapshot.ranks[rank].activity == Activity::kWaiting} << rank;
    }
    // Ranks that are stuck though those that have ended were still there wait for each other.
    bool circle = false;
    for (std::uint32_t set = waiting; set != 0 && !circle; set = (set - 1) & waiting)
      circle = is_stuck_set(snapshot, set);
    const Diagnosis diagnosis = diagnose(snapshot);
    ASSERT_EQ(diagnosis.verdict == Verdict::kDeadlock, circle) << diagnosis.sentence;
    if (circle) {
      ++deadlocks;
      std::uint32_t culprits = 0;
      for (const std::int32_t rank : diagnosis.culprits) culprits |= std::uint32_t{1} << rank;
      ASSERT_TRUE(is_stuck_set(snapshot, culprits)) << diagnosis.sentence;
      ASSERT_TRUE(diagnosis.sentence.starts_with("deadlock: ")) << diagnosis.sentence;
      continue;
    }
    const bool somebody_stuck = (stuck_by_force(snapshot) & waiting) != 0;
    gone += somebody_stuck ? 1 : 0;
    ASSERT_EQ(diagnosis.verdict == Verdict::kGone, somebody_stuck) << diagnosis.sentence;
  }
  EXPECT_GT(deadlocks, 200);
  EXPECT_GT(gone, 50);
}

TEST(RandomSituations, AreNeverCalledADeadlockWhereARankMayHoldSomething) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Generator generator(seed);
    Snapshot snapshot = draw_snapshot(generator, 6);
    for (RankSnapshot& rank : snapshot.ranks) rank.quiet = false;
    const Verdict verdict = diagnose(snapshot).verdict;
    ASSERT_TRUE(verdict != Verdict::kDeadlock && verdict != Verdict::kProbableDeadlock) << "seed " << seed;
  }
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

/// How long the judgement of each takes on a machine without other work. No bound under a sanitizer, where all takes
/// longer by a factor of its own.
TEST(RandomSituations, OfAThousandRanksAreJudgedInASecond) {
  std::vector<Snapshot> situations;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Generator generator(seed);
    situations.push_back(draw_snapshot(generator, 1000));
  }
  Situation ring(1000);
  for (std::int32_t rank = 0; rank < 1000; ++rank) ring.receives(rank, (rank + 1) % 1000, 7);
  situations.push_back(ring.snapshot());
  for (const Snapshot& snapshot : situations) {
    double shortest = 1e9;
    std::string sentence;
    for (int tries = 0; tries < 3; ++tries) {
      const double begun = processor_seconds();
      sentence = diagnose(snapshot).sentence;
      shortest = std::min(shortest, processor_seconds() - begun);
    }
    std::printf("1000 ranks: %.3f s\n", shortest);
    EXPECT_FALSE(sentence.empty());
    if (!kUnderSanitizer) {
      EXPECT_LT(shortest, 1.0);
    }
  }
  EXPECT_EQ(diagnose(ring.snapshot()).sentence,
            "deadlock: 0 waits for 1, 1 for 2, 2 for 3, and so on, 999 for 0, all in MPI_Recv with tag 7");
}

}  // namespace
}  // namespace starling::observe::test
