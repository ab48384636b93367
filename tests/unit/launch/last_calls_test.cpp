// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/last_calls.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include "api/functions.hpp"

namespace starling::launch {
namespace {

using mpi::Function;

class LastCallsText : public testing::Test {
 protected:
  void SetUp() override {
    memory::JobGeometry geometry;
    geometry.ranks = geometry.world_ranks = 4;
    segment_ = memory::JobSegment::create(geometry).value();
    for (std::uint32_t rank = 0; rank < 4; ++rank) block(rank).state = memory::RankState::kInitialized;
  }
  memory::RankBlock& block(std::uint32_t rank) { return segment_->rank(LocalRank(rank)); }
  static std::uint32_t number_of(const void* handle) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
  }
  /// As a rank does at the beginning of a call.
  observe::LastCalls::Entry& call(std::uint32_t rank, Function function, observe::Tells tells) {
    observe::StatusCard& card = block(rank).card;
    observe::LastCalls::Entry& entry = card.last.entries[card.calls % observe::LastCalls::kMost];
    entry.call = static_cast<std::uint32_t>(function) | tells << observe::LastCalls::kTellsShift;
    entry.comm = number_of(MPI_COMM_WORLD);
    card.call = static_cast<std::uint32_t>(function);
    ++card.calls;
    return entry;
  }
  void leave(std::uint32_t rank) { block(rank).card.call = 0; }
  void send(std::uint32_t rank, std::int32_t peer, std::int32_t tag) {
    observe::LastCalls::Entry& entry =
        call(rank, Function::kSend,
             observe::kTellsDestination | observe::kTellsTag | observe::kTellsComm | observe::kTellsCount);
    entry.peer = peer;
    entry.tag = tag;
    entry.count = 8;
    entry.type = number_of(MPI_BYTE);
  }

  std::unique_ptr<memory::JobSegment> segment_;
};

TEST_F(LastCallsText, TellsTheLastEightOfTheRankAndWhereTheOthersAre) {
  for (std::int32_t i = 0; i < 40; ++i) {
    send(2, 3, i);
    leave(2);
  }
  call(2, Function::kWaitall, observe::kTellsRequests).count = 3;
  for (const std::uint32_t rank : {0U, 1U}) {
    for (std::int32_t i = 0; i < 10; ++i) send(rank, 3, i);
    call(rank, Function::kBarrier, observe::kTellsComm);
  }
  EXPECT_EQ(describe_last_calls(*segment_, LocalRank(2)).text(),
            "  last calls of rank 2:\n"
            "        34  MPI_Send of 8 x MPI_BYTE to 3 with tag 33 on MPI_COMM_WORLD\n"
            "        35  MPI_Send of 8 x MPI_BYTE to 3 with tag 34 on MPI_COMM_WORLD\n"
            "        36  MPI_Send of 8 x MPI_BYTE to 3 with tag 35 on MPI_COMM_WORLD\n"
            "        37  MPI_Send of 8 x MPI_BYTE to 3 with tag 36 on MPI_COMM_WORLD\n"
            "        38  MPI_Send of 8 x MPI_BYTE to 3 with tag 37 on MPI_COMM_WORLD\n"
            "        39  MPI_Send of 8 x MPI_BYTE to 3 with tag 38 on MPI_COMM_WORLD\n"
            "        40  MPI_Send of 8 x MPI_BYTE to 3 with tag 39 on MPI_COMM_WORLD\n"
            "        41  MPI_Waitall for 3 requests  <- in it\n"
            "  the other ranks then, and their calls before, the latest first:\n"
            "    ranks 0 and 1: in MPI_Barrier on MPI_COMM_WORLD\n"
            "      MPI_Send of 8 x MPI_BYTE to 3 with tag 9 on MPI_COMM_WORLD\n"
            "      MPI_Send of 8 x MPI_BYTE to 3 with tag 8 on MPI_COMM_WORLD\n"
            "      MPI_Send of 8 x MPI_BYTE to 3 with tag 7 on MPI_COMM_WORLD\n"
            "    rank 3: in no call since MPI_Init\n");
}

TEST_F(LastCallsText, NamesAnyRankNobodyAndACommunicatorByItsName) {
  observe::CommunicatorFacts facts;
  facts.context_id = 6;
  facts.members = {WorldRank(0), WorldRank(1)};
  const observe::CommunicatorDirectory directory = segment_->directory();
  observe::CommunicatorDirectory writer = directory;
  writer.rename(writer.join(facts), "solver");
  constexpr std::uint32_t kHandle = 0x40000003;
  block(0).card.last.name_comm(kHandle, 6);
  observe::LastCalls::Entry& receive =
      call(0, Function::kSendrecv, observe::kTellsDestination | observe::kTellsSource | observe::kTellsComm);
  receive.peer = MPI_PROC_NULL;
  receive.other = MPI_ANY_SOURCE;
  receive.comm = kHandle;
  leave(0);
  block(1).state = memory::RankState::kDead;
  block(2).state = memory::RankState::kStarting;
  block(3).state = memory::RankState::kFinalized;
  EXPECT_EQ(describe_last_calls(*segment_, LocalRank(0)).text(),
            "  last calls of rank 0:\n"
            "         1  MPI_Sendrecv to MPI_PROC_NULL and from any rank on 'solver'\n"
            "  the other ranks then, and their calls before, the latest first:\n"
            "    rank 1: dead\n"
            "    rank 2: not yet in MPI\n"
            "    rank 3: through MPI_Finalize\n");
}

TEST_F(LastCallsText, IsEmptyWhereNoCallWasMade) { EXPECT_EQ(describe_last_calls(*segment_, LocalRank(1)).text(), ""); }

}  // namespace
}  // namespace starling::launch
