// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Situations of programs that hang, each with the sentence that is said of it.
#include "observe/analysis/diagnosis.hpp"

#include <gtest/gtest.h>

#include "observe/analysis/roll_call.hpp"
#include "situation.hpp"

namespace starling::observe::test {
namespace {

void expect(Situation& situation, Verdict verdict, const std::string& sentence) {
  const Diagnosis found = diagnose(situation.snapshot());
  EXPECT_EQ(found.sentence, sentence);
  EXPECT_STREQ(verdict_words(found.verdict), verdict_words(verdict));
}

TEST(Diagnosis, NamesACircleAndWhoWaitsForIt) {
  Situation situation(5);
  situation.receives(0, 1, 7);
  situation.receives(1, 2, 7);
  situation.receives(2, 0, 7);
  situation.in_collective(3, "MPI_Barrier", 1);
  situation.in_collective(4, "MPI_Barrier", 1);
  expect(situation, Verdict::kDeadlock,
         "deadlock: 0 waits for 1, 1 for 2, 2 for 0, all in MPI_Recv with tag 7; 3 and 4 wait for them in MPI_Barrier");
}

TEST(Diagnosis, NamesEachCallWhereTheyDiffer) {
  Situation situation(4);
  situation.receives(0, 1, 7);
  for (const std::int32_t rank : {1, 2, 3}) situation.in_collective(rank, "MPI_Barrier", 1);
  expect(
      situation, Verdict::kDeadlock,
      "deadlock: 0 waits for 1 in MPI_Recv with tag 7, 1 for 0 in MPI_Barrier; 2 and 3 wait for them in MPI_Barrier");
}

TEST(Diagnosis, NamesTwoThatSendToEachOther) {
  Situation situation(2);
  situation.sends(0, 1, 3);
  situation.sends(1, 0, 3);
  expect(situation, Verdict::kDeadlock, "deadlock: 0 waits for 1, 1 for 0, both in MPI_Send with tag 3");
}

TEST(Diagnosis, NamesARankThatReceivesFromItself) {
  Situation situation(2);
  situation.receives(0, 0, 5);
  expect(situation, Verdict::kDeadlock, "deadlock: 0 waits for itself in MPI_Recv with tag 5");
}

TEST(Diagnosis, FollowsAWaitForAnySource) {
  Situation situation(3);
  situation.receives(0, -1, 7);
  situation.receives(1, 0, 8);
  situation.receives(2, 0, 8);
  expect(
      situation, Verdict::kDeadlock,
      "deadlock: 0 waits for 1 or 2 in MPI_Recv with tag 7, 1 for 0 in MPI_Recv with tag 8, 2 for 0 in MPI_Recv with "
      "tag 8");
  // One of them runs, and may send.
  situation.set(2, Activity::kOutside);
  expect(situation, Verdict::kWaits,
         "0 waits for 2 in MPI_Recv with tag 7; 2 is outside MPI; 1 waits for 0 in MPI_Recv with tag 8");
}

TEST(Diagnosis, FollowsWaitallAndWaitany) {
  Situation situation(3);
  situation.waits(0, "MPI_Waitall", WaitKind::kAll, {Situation::message(1, 4), Situation::message(2, 4)});
  situation.receives(1, 0, 9);
  expect(situation, Verdict::kDeadlock,
         "deadlock: 0 waits for 1 in MPI_Waitall with tag 4, 1 for 0 in MPI_Recv with tag 9");
  situation.waits(0, "MPI_Waitany", WaitKind::kAny, {Situation::message(1, 4), Situation::message(2, 5)});
  expect(situation, Verdict::kWaits,
         "0 waits for 2 in MPI_Waitany; 2 is outside MPI; 1 waits for 0 in MPI_Recv with tag 9");
}

TEST(Diagnosis, DoesNotCountAMessageThatIsBeingMoved) {
  Situation situation(2);
  situation.receives(0, 1, 7);
  Awaited moving = Situation::message(0, 7);
  moving.under_way = true;
  situation.waits(1, "MPI_Recv", WaitKind::kOne, {moving});
  expect(situation, Verdict::kWaits, "0 and 1 wait in MPI_Recv");
}

TEST(Diagnosis, SaysNothingOfADeadlockThatIsNotProven) {
  Situation situation(2);
  situation.receives(0, 1, 7);
  situation.receives(1, 0, 7).quiet = false;
  expect(situation, Verdict::kWaits, "0 waits for 1, 1 for 0, both in MPI_Recv with tag 7");
}

TEST(Diagnosis, SaysProbablyWhereNotAllCanBeSeen) {
  const std::string sentence = "probably deadlock: 0 waits for 1, 1 for 0, both in MPI_Recv with tag 7";
  Situation threads(2);
  threads.receives(0, 1, 7);
  threads.receives(1, 0, 7).threaded = true;
  expect(threads, Verdict::kProbableDeadlock, sentence);
  Situation windows(2);
  windows.receives(0, 1, 7);
  windows.waits(1, "MPI_Win_wait", WaitKind::kWindow, {Situation::message(0, -1)});
  expect(windows, Verdict::kProbableDeadlock,
         "probably deadlock: 0 waits for 1 in MPI_Recv with tag 7, 1 for 0 in MPI_Win_wait");
}

TEST(Diagnosis, SaysProbablyOfCollectivesOfWindowsAndFilesAndOfConnectedJobs) {
  for (const char* call : {"MPI_Win_fence", "MPI_File_open", "MPI_File_write_all"}) {
    Situation situation(2);
    situation.receives(0, 1, 7);
    situation.in_collective(1, call, 1);
    expect(situation, Verdict::kProbableDeadlock,
           std::string("probably deadlock: 0 waits for 1 in MPI_Recv with tag 7, 1 for 0 in ") + call);
  }
  Situation connected(2);
  connected.receives(0, 1, 7);
  connected.receives(1, 0, 7);
  connected.snapshot().connected_jobs = true;
  expect(connected, Verdict::kProbableDeadlock,
         "probably deadlock: 0 waits for 1, 1 for 0, both in MPI_Recv with tag 7");
  connected.snapshot().connected_jobs = false;
  expect(connected, Verdict::kDeadlock, "deadlock: 0 waits for 1, 1 for 0, both in MPI_Recv with tag 7");
}

/// Nobody knows when a disk answers, so whoever waits for it may go on.
TEST(Diagnosis, CountsARankThatWaitsForAFileAsOneThatRuns) {
  Situation situation(2);
  situation.receives(0, 1, 7);
  situation.waits(1, "MPI_File_write", WaitKind::kFile, {});
  expect(situation, Verdict::kWaits, "0 waits in MPI_Recv and 1 waits in MPI_File_write");
}

TEST(Diagnosis, ProvesADeadlockOverHostsWhereNothingIsUnderWay) {
  const std::string circle = "deadlock: 0 waits for 1, 1 for 0, both in MPI_Recv with tag 7";
  Situation hosts(3);
  hosts.snapshot().one_node = false;
  hosts.receives(0, 1, 7).all_arrived = true;
  hosts.receives(1, 0, 7);
  expect(hosts, Verdict::kProbableDeadlock, "probably " + circle);
  hosts.receives(1, 0, 7).all_arrived = true;
  expect(hosts, Verdict::kDeadlock, circle);
  hosts.set(2, Activity::kExited);  // a death that not all nodes may have heard of
  expect(hosts, Verdict::kProbableDeadlock, "probably " + circle);
}

TEST(Diagnosis, NamesTheRankThatIsMissing) {
  Situation situation(5);
  situation.communicator(6, "solver", {0, 1, 2, 3});
  for (const std::int32_t rank : {0, 1, 3}) situation.in_collective(rank, "MPI_Allreduce", 51, 6);
  RankSnapshot& late = situation.set(2, Activity::kOutside);
  late.collective = CollectiveCall{"MPI_Allreduce", 6, 50, -1, 8};
  late.time_ns = 41 * kSecond;
  late.position = "solver.cpp:88";
  expect(
      situation, Verdict::kWaits,
      "rank 2 is missing in MPI_Allreduce number 51 on 'solver'; it has been outside MPI for 41 s, at solver.cpp:88");
}

TEST(Diagnosis, TellsRanksThatHaveExitedAndThoseThatHaveNotBegun) {
  Situation situation(4);
  for (const std::int32_t rank : {0, 1}) situation.in_collective(rank, "MPI_Barrier", 3);
  situation.set(2, Activity::kExited).collective = CollectiveCall{"MPI_Barrier", 0, 2, -1, 0};
  situation.set(3, Activity::kStarting);
  expect(situation, Verdict::kGone,
         "ranks 2 and 3 are missing in MPI_Barrier number 3 on MPI_COMM_WORLD; 2 has exited and 3 has not reached "
         "MPI_Init");
  Situation sender(3);
  sender.receives(0, 1, 7);
  sender.set(1, Activity::kFinalized);
  sender.in_collective(2, "MPI_Barrier", 1);
  expect(sender, Verdict::kGone,
         "rank 1 is missing in MPI_Barrier number 1 on MPI_COMM_WORLD; it has called MPI_Finalize; 0 waits for 1 in "
         "MPI_Recv with tag 7");
}

TEST(Diagnosis, NamesALoopOfTests) {
  Situation situation(2);
  situation.receives(0, 1, 7);
  RankSnapshot& testing = situation.set(1, Activity::kTesting, "MPI_Test");
  testing.wait = Wait(WaitKind::kTestLoop, Situation::message(0, 9));
  expect(situation, Verdict::kWaits,
         "0 waits for 1 in MPI_Recv with tag 7; 1 is in a loop of MPI_Test that gets nowhere for 0");
}

TEST(Diagnosis, FollowsAChainToWhoeverRuns) {
  Situation situation(4);
  situation.receives(0, 3, 1);
  for (const std::int32_t rank : {1, 2}) situation.in_collective(rank, "MPI_Barrier", 1);
  situation.set(3, Activity::kOutside).collective = CollectiveCall{"MPI_Barrier", 0, 1, -1, 0};
  expect(situation, Verdict::kWaits,
         "0 waits for 3 in MPI_Recv with tag 1; 3 is outside MPI; 1 and 2 wait for 0 in MPI_Barrier");
}

TEST(Diagnosis, NamesOtherRootsCallsAndSizes) {
  Situation roots(5);
  for (const std::int32_t rank : {0, 1, 2, 3}) roots.in_collective(rank, "MPI_Bcast", 2, 0, 0, 8);
  roots.in_collective(4, "MPI_Bcast", 2, 0, 1, 8);
  expect(roots, Verdict::kMismatch, "ranks 0 to 3 called MPI_Bcast with root 0, rank 4 with root 1");
  EXPECT_EQ(diagnose(roots.snapshot()).culprits, std::vector<std::int32_t>{4});
  // Those who have gone on from there still show how they called it.
  for (const std::int32_t rank : {0, 1, 2}) {
    RankSnapshot& each = roots.in_collective(rank, "MPI_Barrier", 3);
    each.earlier_collectives = {CollectiveCall{"MPI_Bcast", 0, 2, 0, 8}, CollectiveCall{"MPI_Reduce", 0, 1, 0, 8}};
  }
  RankSnapshot& away = roots.set(3, Activity::kOutside);
  away.collective = CollectiveCall{"MPI_Barrier", 4, 1, -1, 0};
  away.earlier_collectives = {CollectiveCall{"MPI_Bcast", 0, 2, 0, 8}};
  expect(roots, Verdict::kMismatch, "ranks 0 to 3 called MPI_Bcast with root 0, rank 4 with root 1");
  Situation calls(4);
  calls.communicator(4, "solver", {0, 1, 2});
  for (const std::int32_t rank : {0, 1}) calls.in_collective(rank, "MPI_Allreduce", 9, 4);
  calls.in_collective(2, "MPI_Barrier", 9, 4);
  calls.receives(3, 2, 1);
  expect(calls, Verdict::kMismatch,
         "ranks 0 and 1 called MPI_Allreduce, rank 2 MPI_Barrier on 'solver'; 3 waits for them in MPI_Recv with tag 1");
  // Each is in its own call, not in that of others.
  EXPECT_EQ(roll_call_text(calls.snapshot(), 40),
            "  ranks 0 and 1  wait in MPI_Allreduce on 'solver', its number 9\n"
            "  rank 2         waits in MPI_Barrier on 'solver', its number 9\n"
            "  rank 3         waits in MPI_Recv with tag 1, for 2\n");
  Situation sizes(2);
  sizes.in_collective(0, "MPI_Allreduce", 1, 0, -1, 8);
  sizes.in_collective(1, "MPI_Allreduce", 1, 0, -1, 16);
  expect(sizes, Verdict::kMismatch, "rank 0 called MPI_Allreduce with 8 bytes, rank 1 with 16");
}

TEST(Diagnosis, LetsRanksStartPersistentCollectivesInAnyOrder) {
  Situation situation(2);
  situation.in_collective(0, "MPI_Barrier_init", 1).call = "MPI_Wait";
  situation.in_collective(1, "MPI_Bcast_init", 1, 0, 0, 4).call = "MPI_Wait";
  EXPECT_EQ(diagnose(situation.snapshot()).verdict, Verdict::kWaits);
}

TEST(Diagnosis, TellsCommunicatorsOfOneContextApart) {
  Situation situation(4);
  situation.communicator(8, "", {0, 1});
  situation.communicator(8, "", {2, 3});
  situation.in_collective(0, "MPI_Bcast", 1, 8, 0, 4);
  situation.set(1, Activity::kOutside);
  situation.in_collective(2, "MPI_Barrier", 1, 8);
  situation.in_collective(3, "MPI_Barrier", 1, 8);
  expect(situation, Verdict::kWaits,
         "rank 1 is missing in MPI_Bcast number 1 on the communicator of 0 and 1; it is outside MPI");
}

TEST(Diagnosis, SaysWhatAllDoWhereNobodyWaits) {
  Situation situation(4);
  situation.set(3, Activity::kInside, "MPI_Send");
  expect(situation, Verdict::kRuns, "0 to 2 are outside MPI and 3 is in MPI_Send");
}

}  // namespace
}  // namespace starling::observe::test
