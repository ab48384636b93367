// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What others see of collectives: the one that a rank has begun last, and how many it has begun on each communicator.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "mpi/env/thread_ranks.hpp"
#include "unit/mpi/watched_rank.hpp"

namespace starling::mpi {
namespace {

using observe::AwaitedAs;
using observe::CardSample;
using observe::WaitKind;

observe::CommunicatorDirectory directory() { return current()->progress->segment().directory(); }
std::uint32_t begun(int rank, MPI_Comm comm) {
  return directory().begun(LocalRank(rank), WorldRank(0), current()->comm(comm)->comm->context_id());
}

/// Rank 1 comes to each collective once it has seen rank 0 wait in it.
void run_both(const std::function<void(int rank)>& body) {
  ThreadRanks job;
  job.ranks = 2;
  EXPECT_EQ(run_ranks_as_threads(job,
                                 [&](int rank) {
                                   MPI_Init(nullptr, nullptr);
                                   body(rank);
                                   MPI_Finalize();
                                 }),
            0);
}

struct Case {
  Function call;
  std::function<int(MPI_Comm)> make;
  int root;
  std::uint64_t bytes;
};

TEST(CollectivesOnCard, EachKind) {
  // Thread-local: ranks share no buffers.
  static thread_local std::array<int, 16> in;
  static thread_local std::array<int, 16> out;
  const std::vector<Case> cases = {
      {Function::kBarrier, [](MPI_Comm c) { return MPI_Barrier(c); }, -1, 0},
      {Function::kBcast, [](MPI_Comm c) { return MPI_Bcast(in.data(), 3, MPI_INT, 1, c); }, 1, 12},
      {Function::kReduce, [](MPI_Comm c) { return MPI_Reduce(in.data(), out.data(), 2, MPI_INT, MPI_SUM, 0, c); }, 0,
       8},
      {Function::kAllreduce, [](MPI_Comm c) { return MPI_Allreduce(in.data(), out.data(), 4, MPI_INT, MPI_SUM, c); },
       -1, 16},
      {Function::kGather, [](MPI_Comm c) { return MPI_Gather(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, 0, c); }, 0,
       4},
      {Function::kScatter, [](MPI_Comm c) { return MPI_Scatter(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, 1, c); },
       1, 4},
      {Function::kAllgather, [](MPI_Comm c) { return MPI_Allgather(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, c); },
       -1, 4},
      {Function::kAlltoall, [](MPI_Comm c) { return MPI_Alltoall(in.data(), 2, MPI_INT, out.data(), 2, MPI_INT, c); },
       -1, 8},
      {Function::kReduceScatterBlock,
       [](MPI_Comm c) { return MPI_Reduce_scatter_block(in.data(), out.data(), 1, MPI_INT, MPI_SUM, c); }, -1, 4},
  };
  run_both([&](int rank) {
    MPI_Comm solver = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &solver);
    MPI_Comm_set_name(solver, "solver");
    const std::uint32_t context_id = current()->comm(solver)->comm->context_id();
    std::uint32_t number = 0;
    for (const Case& one : cases) {
      ++number;
      if (rank == 1) {
        const CardSample sample = watch_wait(0, one.call, WaitKind::kCollective);
        ASSERT_EQ(sample.wait->wait.awaited().size(), 1U);
        EXPECT_EQ(sample.wait->wait.awaited()[0].as, AwaitedAs::kCollective);
        EXPECT_EQ(sample.wait->wait.awaited()[0].tag, static_cast<int>(number)) << function_name(one.call);
        EXPECT_EQ(sample.wait->wait.awaited()[0].context_id, context_id);
        EXPECT_EQ(sample.collective.context_id, context_id);
        EXPECT_EQ(sample.collective.sequence, number);
        EXPECT_EQ(sample.collective.call, static_cast<std::uint32_t>(one.call));
        EXPECT_EQ(sample.collective.root, one.root);
        EXPECT_EQ(sample.collective.bytes, one.bytes) << function_name(one.call);
        EXPECT_EQ(begun(0, solver), number);
        EXPECT_EQ(begun(1, solver), number - 1) << "it has not come yet";
      }
      EXPECT_EQ(one.make(solver), MPI_SUCCESS);
      // Roots are chosen so that rank 0 waits for rank 1; it may not be in the next one before rank 1 has left this.
      MPI_Sendrecv(nullptr, 0, MPI_INT, 1 - rank, 0, nullptr, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&solver);
  });
}

TEST(CollectivesOnCard, AWaitForANonblockingOne) {
  run_both([](int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 1) {
      const CardSample sample = watch_wait(0, Function::kWait, WaitKind::kOne);
      EXPECT_EQ(sample.wait->wait.awaited()[0].as, AwaitedAs::kCollective);
      EXPECT_EQ(sample.wait->wait.awaited()[0].tag, 2);
      EXPECT_EQ(sample.wait->wait.awaited()[0].context_id, 0U);
      EXPECT_EQ(sample.collective.call, static_cast<std::uint32_t>(Function::kIbarrier));
      EXPECT_EQ(sample.collective.sequence, 2U);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

TEST(CollectivesOnCard, AStartOfAPersistentOne) {
  run_both([](int rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int start = 1; start <= 2; ++start) {
      if (rank == 1) {
        const CardSample sample = watch_wait(0, Function::kWait, WaitKind::kOne);
        EXPECT_EQ(sample.wait->wait.awaited()[0].tag, start);
        EXPECT_EQ(sample.collective.call, static_cast<std::uint32_t>(Function::kBarrierInit));
        EXPECT_EQ(begun(0, MPI_COMM_WORLD), static_cast<std::uint32_t>(start));
      }
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Sendrecv(nullptr, 0, MPI_INT, 1 - rank, 0, nullptr, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
  });
}

TEST(CollectivesOnCard, AConstructorOfCommunicatorsIsOne) {
  run_both([](int rank) {
    if (rank == 1) {
      const CardSample sample = watch_wait(0, Function::kCommSplit, WaitKind::kCollective);
      EXPECT_EQ(sample.collective.sequence, 1U);
      EXPECT_EQ(sample.collective.context_id, 0U);
    }
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &half);
    EXPECT_EQ(begun(rank, MPI_COMM_WORLD), 1U);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(begun(rank, MPI_COMM_WORLD), 2U);
    MPI_Comm_free(&half);
  });
}

TEST(CollectivesOnCard, ACommunicatorIsInTheDirectoryUntilItIsFreed) {
  run_both([](int rank) {
    MPI_Comm solver = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &solver);
    const std::uint32_t context_id = current()->comm(solver)->comm->context_id();
    MPI_Comm_set_name(solver, "solver");
    MPI_Barrier(MPI_COMM_WORLD);
    const std::vector<std::uint32_t> places = directory().places_of(context_id, WorldRank(rank));
    ASSERT_FALSE(places.empty());
    EXPECT_EQ(directory().at(places[0])->name, "solver");
    EXPECT_EQ(directory().at(places[0])->size, 2U);
    EXPECT_TRUE(directory().at(places[0])->has(WorldRank(1)));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&solver);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_TRUE(directory().places_of(context_id, WorldRank(rank)).empty());
  });
}

TEST(CollectivesOnCard, Finalize) {
  ThreadRanks job;
  job.ranks = 2;
  EXPECT_EQ(run_ranks_as_threads(job,
                                 [&](int rank) {
                                   MPI_Init(nullptr, nullptr);
                                   if (rank == 1) watch_wait(0, Function::kFinalize, WaitKind::kFinalize);
                                   MPI_Finalize();
                                 }),
            0);
}

TEST(CollectivesOnCard, FenceAndLockOfAWindow) {
  run_both([](int rank) {
    int* memory = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (rank == 1) {
      const CardSample sample = watch_wait(0, Function::kWinFence, WaitKind::kCollective);
      EXPECT_EQ(sample.collective.call, static_cast<std::uint32_t>(Function::kWinFence));
    }
    MPI_Win_fence(0, win);
    if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      watch_wait(0, Function::kWinLock, WaitKind::kWindow);
      MPI_Win_unlock(1, win);
    } else {
      const int one = 1;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
      MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
      MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
  });
}

TEST(CollectivesOnCard, StartAndPostOfAWindow) {
  run_both([](int rank) {
    int* memory = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group other = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int its_rank = 1 - rank;
    MPI_Group_incl(world, 1, &its_rank, &other);
    if (rank == 0) {
      MPI_Win_start(other, 0, win);
      MPI_Win_complete(win);
      MPI_Win_post(other, 0, win);
      MPI_Win_wait(win);
    } else {
      const CardSample starts = watch_wait(0, Function::kWinStart, WaitKind::kWindow);
      ASSERT_EQ(starts.wait->wait.awaited().size(), 1U);
      EXPECT_EQ(starts.wait->wait.awaited()[0].as, AwaitedAs::kWindow);
      EXPECT_EQ(starts.wait->wait.awaited()[0].peer, PeerId(1));
      MPI_Win_post(other, 0, win);
      MPI_Win_wait(win);
      EXPECT_EQ(watch_wait(0, Function::kWinWait, WaitKind::kWindow).wait->wait.awaited()[0].peer, PeerId(1));
      MPI_Win_start(other, 0, win);
      MPI_Win_complete(win);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
  });
}

TEST(CollectivesOnCard, AFile) {
  const std::string path = testing::TempDir() + "/starling_file_on_card";
  run_both([&](int rank) {
    if (rank == 1) {
      const CardSample sample = watch_wait(0, Function::kFileOpen, WaitKind::kCollective);
      EXPECT_EQ(sample.collective.call, static_cast<std::uint32_t>(Function::kFileOpen));
    }
    MPI_File file = MPI_FILE_NULL;
    MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    if (rank == 1) watch_wait(0, Function::kFileClose, WaitKind::kCollective);
    MPI_File_close(&file);
  });
}

}  // namespace
}  // namespace starling::mpi
