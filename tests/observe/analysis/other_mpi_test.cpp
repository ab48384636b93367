// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Jobs of another MPI, of which only the calls are seen: what is concluded, and what is not.
#include <gtest/gtest.h>

#include "observe/analysis/diagnosis.hpp"
#include "observe/model/under_way.hpp"
#include "situation.hpp"

namespace starling::observe::test {
namespace {

/// As the reader of such a job makes it.
Diagnosis seen_from_outside(Situation& situation) {
  Snapshot& snapshot = situation.snapshot();
  snapshot.of_other_mpi = true;
  for (RankSnapshot& rank : snapshot.ranks) rank.quiet = false;
  mark_messages_under_way(snapshot);
  return diagnose(snapshot);
}

TEST(OtherMpi, ACircleWaitsAndIsNoDeadlock) {
  Situation situation(2);
  situation.receives(0, 1, 7);
  situation.receives(1, 0, 7);
  const Diagnosis found = seen_from_outside(situation);
  EXPECT_EQ(found.sentence, "0 waits for 1, 1 for 0, both in MPI_Recv with tag 7");
  EXPECT_EQ(found.verdict, Verdict::kWaits);
}

TEST(OtherMpi, ASendAndItsReceiveAreNoCircle) {
  Situation situation(2);
  situation.sends(0, 1, 7);
  situation.receives(1, 0, 7);
  EXPECT_EQ(seen_from_outside(situation).sentence.find("waits for"), std::string::npos);
}

TEST(OtherMpi, ASendAndAReceiveWithAnotherTagAreACircle) {
  Situation situation(2);
  situation.sends(0, 1, 7);
  situation.receives(1, 0, 8);
  EXPECT_EQ(seen_from_outside(situation).sentence,
            "0 waits for 1 in MPI_Send with tag 7, 1 for 0 in MPI_Recv with tag 8");
}

TEST(OtherMpi, OfSeveralOperationsSomeMayBeComplete) {
  Situation situation(3);
  situation.waits(0, "MPI_Waitall", WaitKind::kAll, {Situation::message(1, 4), Situation::message(2, 4)});
  situation.receives(1, 0, 9);
  situation.set(2, Activity::kOutside);
  const Diagnosis found = seen_from_outside(situation);
  EXPECT_EQ(found.verdict, Verdict::kWaits);
  EXPECT_EQ(found.culprits, std::vector<std::int32_t>{2});
}

}  // namespace
}  // namespace starling::observe::test
