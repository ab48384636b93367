// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The causes of waits: situations written down as logs, and what the trace says of them.
#include <gtest/gtest.h>

#include "told_calls.hpp"

namespace starling::trace::test {
namespace {

constexpr std::int32_t kNobody = -1;

void expect_part(const WaitPart& part, Cause cause, std::int64_t begin_ns, std::int64_t end_ns, std::int32_t culprit) {
  EXPECT_EQ(cause_name(part.cause), cause_name(cause));
  EXPECT_EQ(part.begin_ns, begin_ns);
  EXPECT_EQ(part.end_ns, end_ns);
  EXPECT_EQ(part.culprit, culprit);
}

LogBuilder with_world(std::uint32_t ranks) {
  LogBuilder log(ranks);
  std::vector<std::uint32_t> members;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) members.push_back(rank);
  log.communicator(0, "MPI_COMM_WORLD", members);
  return log;
}

TEST(Causes, AReceiveWaitsForALateSenderUntilTheMessageIsSent) {
  // The receive is told before the wait that it ends.
  LogBuilder log = with_world(2);
  log.received(0, 1, 1, 49'000, 4096);
  log.wait(0, Function::kRecv, AwaitedAs::kReceive, 1, 10'000, 50'000);
  log.call(0, Function::kRecv, 9'000, 51'000);
  log.sent(1, 0, 1, 40'000, 4096);
  log.call(1, Function::kSend, 39'900, 41'000);

  const ToldCalls told = converted(log);
  const std::vector<Call> receives = told.of(0, "MPI_Recv");
  ASSERT_EQ(receives.size(), 1U);
  EXPECT_EQ(receives[0].begin_ns, 9'000);
  EXPECT_EQ(receives[0].end_ns, 51'000);
  ASSERT_EQ(receives[0].waits.size(), 2U);
  expect_part(receives[0].waits[0], Cause::kLateSender, 10'000, 40'000, 1);
  expect_part(receives[0].waits[1], Cause::kLibrary, 40'000, 50'000, kNobody);
}

TEST(Causes, AReceiveOfAMessageSentBeforeWaitsForTheLibraryOnly) {
  LogBuilder log = with_world(2);
  log.sent(1, 0, 1, 5'000, 4096);
  log.call(1, Function::kSend, 5'000, 6'000);
  log.received(0, 1, 1, 49'000, 4096);
  log.wait(0, Function::kRecv, AwaitedAs::kReceive, 1, 10'000, 50'000);
  log.call(0, Function::kRecv, 9'000, 51'000);
  const ToldCalls told = converted(log);
  ASSERT_EQ(told.of(0, "MPI_Recv").at(0).waits.size(), 1U);
  expect_part(told.of(0, "MPI_Recv")[0].waits[0], Cause::kLibrary, 10'000, 50'000, kNobody);
}

TEST(Causes, AMessageWhoseSendingIsNotRecordedWasSentWhenItCame) {
  LogBuilder log = with_world(2);
  log.received(0, 1, 77, 48'000, 8);
  log.wait(0, Function::kRecv, AwaitedAs::kReceive, 1, 10'000, 50'000);
  log.call(0, Function::kRecv, 9'000, 51'000);
  const std::vector<WaitPart> waits = converted(log).of(0, "MPI_Recv").at(0).waits;
  ASSERT_EQ(waits.size(), 2U);
  expect_part(waits[0], Cause::kLateSender, 10'000, 48'000, 1);
  EXPECT_TRUE(waits[0].inferred);
}

TEST(Causes, OfSeveralMessagesTheOneSentLastIsToBlame) {
  LogBuilder log = with_world(3);
  log.sent(1, 0, 1, 20'000, 4096);
  log.call(1, Function::kSend, 20'000, 20'500);
  log.sent(2, 0, 1, 45'000, 4096);
  log.call(2, Function::kSend, 45'000, 45'500);
  log.received(0, 1, 1, 21'000, 4096);
  log.received(0, 2, 1, 46'000, 4096);
  log.wait(0, Function::kWaitall, AwaitedAs::kReceive, 1, 10'000, 46'100);
  log.call(0, Function::kWaitall, 10'000, 46'200);
  const Call call = converted(log).of(0, "MPI_Waitall").at(0);
  expect_part(call.waits.at(0), Cause::kLateSender, 10'000, 45'000, 2);
  EXPECT_EQ(call.messages.size(), 2U);
}

TEST(Causes, ASenderWaitsForALateReceiverUntilTheyMeet) {
  LogBuilder log = with_world(2);
  log.sent(0, 1, 1, 10'000, 1 << 20, Event::kRendezvous);
  log.wait(0, Function::kSend, AwaitedAs::kSend, 1, 10'500, 90'000);
  log.call(0, Function::kSend, 10'000, 90'100);
  log.received(1, 0, 1, 70'000, 1 << 20, Event::kRendezvous);
  log.call(1, Function::kRecv, 69'000, 90'000);
  const std::vector<WaitPart> waits = converted(log).of(0, "MPI_Send").at(0).waits;
  ASSERT_EQ(waits.size(), 2U);
  expect_part(waits[0], Cause::kLateReceiver, 10'500, 70'000, 1);
  expect_part(waits[1], Cause::kLibrary, 70'000, 90'000, kNobody);
}

Event send_to(std::int32_t peer, std::int32_t tag, std::uint64_t number, std::uint64_t at) {
  Event send = LogBuilder::event(EventKind::kSend, Function::kSend, at, at);
  send.peer = peer;
  send.tag = tag;
  send.context_id = 0;
  send.sequence = number;
  send.flags = Event::kRendezvous;
  return send;
}

Event receive_from(std::int32_t peer, std::int32_t tag, std::uint64_t number, std::uint64_t begin, std::uint64_t end) {
  Event receive = LogBuilder::event(EventKind::kReceive, Function::kRecv, begin, end);
  receive.peer = peer;
  receive.tag = tag;
  receive.context_id = 0;
  receive.sequence = number;
  return receive;
}

TEST(Causes, OfAJobSeenFromOutsideMessagesAreJoinedByTagAsWell) {
  LogBuilder log = with_world(2);
  log.seen();
  log.add(0, send_to(1, 5, 1, 10'000));
  log.call(0, Function::kSend, 10'000, 10'100);
  log.add(0, send_to(1, 6, 1, 20'000));
  log.call(0, Function::kSend, 20'000, 20'100);
  log.add(0, send_to(1, 5, 2, 30'000));
  log.call(0, Function::kSend, 30'000, 30'100);
  log.add(1, receive_from(0, 6, 1, 40'000, 40'500));
  log.call(1, Function::kRecv, 40'000, 40'500);
  log.add(1, receive_from(0, 5, 1, 41'000, 41'500));
  log.call(1, Function::kRecv, 41'000, 41'500);
  log.add(1, receive_from(0, 5, 2, 42'000, 42'500));
  log.call(1, Function::kRecv, 42'000, 42'500);
  const ToldCalls told = converted(log);
  const std::vector<Call> sends = told.of(0, "MPI_Send");
  const std::vector<Call> receives = told.of(1, "MPI_Recv");
  ASSERT_EQ(sends.size(), 3U);
  ASSERT_EQ(receives.size(), 3U);
  const auto flow = [](const Call& call) { return call.messages.at(0).flow; };
  EXPECT_NE(flow(sends[0]), 0U);
  EXPECT_EQ(flow(sends[0]), flow(receives[1]));
  EXPECT_EQ(flow(sends[1]), flow(receives[0]));
  EXPECT_EQ(flow(sends[2]), flow(receives[2]));
  EXPECT_NE(flow(sends[0]), flow(sends[1]));
  EXPECT_NE(flow(sends[0]), flow(sends[2]));
}

TEST(Causes, OfAJobSeenFromOutsideASenderWaitsUntilTheReceiveBegins) {
  LogBuilder log = with_world(2);
  log.seen();
  log.add(0, send_to(1, 0, 1, 10'000));
  log.wait(0, Function::kSend, AwaitedAs::kSend, 1, 10'000, 90'000);
  log.awaits(0, 0, 0);
  log.call(0, Function::kSend, 10'000, 90'000);
  // Its end is heard of after that of the send.
  log.add(1, receive_from(0, 0, 1, 70'000, 95'000));
  log.call(1, Function::kRecv, 70'000, 95'000);
  const std::vector<WaitPart> waits = converted(log).of(0, "MPI_Send").at(0).waits;
  ASSERT_EQ(waits.size(), 2U);
  expect_part(waits[0], Cause::kLateReceiver, 10'000, 70'000, 1);
  expect_part(waits[1], Cause::kLibrary, 70'000, 90'000, kNobody);
}

TEST(Causes, OfAMessageWithoutANumberTheOtherEndIsNotLookedFor) {
  LogBuilder log = with_world(2);
  log.seen();
  log.add(0, send_to(1, 5, 0, 10'000));
  log.call(0, Function::kSend, 10'000, 10'100);
  log.add(1, receive_from(0, 5, 0, 11'000, 11'500));
  log.call(1, Function::kRecv, 11'000, 11'500);
  const ToldCalls told = converted(log);
  EXPECT_EQ(told.of(0, "MPI_Send").at(0).messages.at(0).flow, 0U);
  EXPECT_EQ(told.of(1, "MPI_Recv").at(0).messages.at(0).flow, 0U);
}

TEST(Causes, AllWaitInACollectiveForTheLast) {
  LogBuilder log = with_world(3);
  log.collective(0, Function::kAllreduce, 1, 10'000, 60'500);
  log.collective(1, Function::kAllreduce, 1, 30'000, 60'400);
  log.collective(2, Function::kAllreduce, 1, 60'000, 60'300);
  const ToldCalls told = converted(log);
  expect_part(told.of(0, "MPI_Allreduce").at(0).waits.at(0), Cause::kCollective, 10'000, 60'000, 2);
  expect_part(told.of(1, "MPI_Allreduce").at(0).waits.at(0), Cause::kCollective, 30'000, 60'000, 2);
  EXPECT_TRUE(told.of(2, "MPI_Allreduce").at(0).waits.empty());
  const std::uint64_t flow = told.of(0, "MPI_Allreduce")[0].flow;
  EXPECT_NE(flow, 0U);
  EXPECT_EQ(told.of(2, "MPI_Allreduce")[0].flow, flow);
}

TEST(Causes, OnlyTheRootOfABroadcastIsWaitedFor) {
  LogBuilder log = with_world(3);
  log.collective(0, Function::kBcast, 1, 40'000, 41'000, 0);
  log.collective(1, Function::kBcast, 1, 10'000, 42'000, 0);
  log.collective(2, Function::kBcast, 1, 90'000, 92'500, 0);
  const ToldCalls told = converted(log);
  expect_part(told.of(1, "MPI_Bcast").at(0).waits.at(0), Cause::kCollective, 10'000, 40'000, 0);
  expect_part(told.of(2, "MPI_Bcast").at(0).waits.at(0), Cause::kLibrary, 90'000, 92'500, kNobody);
}

TEST(Causes, OnlyTheRootOfAReductionWaits) {
  LogBuilder log = with_world(3);
  log.collective(0, Function::kReduce, 1, 10'000, 60'000, 1);
  log.collective(1, Function::kReduce, 1, 20'000, 80'000, 1);
  log.collective(2, Function::kReduce, 1, 70'000, 71'000, 1);
  const ToldCalls told = converted(log);
  expect_part(told.of(0, "MPI_Reduce").at(0).waits.at(0), Cause::kLibrary, 10'000, 60'000, kNobody);
  expect_part(told.of(1, "MPI_Reduce").at(0).waits.at(0), Cause::kCollective, 20'000, 70'000, 2);
}

TEST(Causes, CommunicatorsWithOneContextAreKeptApart) {
  LogBuilder log(4);
  log.communicator(9, "low", {0, 1});
  log.communicator(9, "high", {2, 3});
  log.collective(0, Function::kBarrier, 1, 10'000, 20'500, -1, 9);
  log.collective(1, Function::kBarrier, 1, 20'000, 20'400, -1, 9);
  log.collective(2, Function::kBarrier, 1, 10'000, 90'500, -1, 9);
  log.collective(3, Function::kBarrier, 1, 90'000, 90'400, -1, 9);
  const ToldCalls told = converted(log);
  expect_part(told.of(0, "MPI_Barrier").at(0).waits.at(0), Cause::kCollective, 10'000, 20'000, 1);
  expect_part(told.of(2, "MPI_Barrier").at(0).waits.at(0), Cause::kCollective, 10'000, 90'000, 3);
  EXPECT_NE(told.of(0, "MPI_Barrier")[0].flow, told.of(2, "MPI_Barrier")[0].flow);
}

TEST(Causes, WhatIsNotKnownIsAnotherWait) {
  LogBuilder log = with_world(2);
  log.wait(0, Function::kWinLock, AwaitedAs::kWindow, 1, 10'000, 50'000);
  log.call(0, Function::kWinLock, 9'000, 51'000);
  expect_part(converted(log).of(0, "MPI_Win_lock").at(0).waits.at(0), Cause::kOther, 10'000, 50'000, kNobody);
}

}  // namespace
}  // namespace starling::trace::test
