// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What others see of a rank that waits: each kind of wait lasts until another thread has seen on the card what is
// awaited, and only then gets what it waits for.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <functional>

#include "mpi/env/thread_ranks.hpp"
#include "unit/mpi/watched_rank.hpp"

namespace starling::mpi {
namespace {

using observe::Awaited;
using observe::AwaitedAs;
using observe::CardSample;
using observe::WaitKind;

void expect(const Awaited& awaited, AwaitedAs as, int peer, int tag, std::uint32_t context_id = 0) {
  EXPECT_EQ(awaited.as, as);
  EXPECT_EQ(awaited.peer.value, peer);
  EXPECT_EQ(awaited.tag, tag);
  EXPECT_EQ(awaited.context_id, context_id);
  EXPECT_FALSE(awaited.under_way);
}

/// Rank 0 waits; rank 1 watches it and lets it go.
void run(const std::function<void()>& waiter, const std::function<void()>& watcher) {
  ThreadRanks job;
  job.ranks = 2;
  EXPECT_EQ(run_ranks_as_threads(job,
                                 [&](int rank) {
                                   MPI_Init(nullptr, nullptr);
                                   if (rank == 0) waiter();
                                   if (rank == 1) watcher();
                                   MPI_Finalize();
                                 }),
            0);
}

int word = 0;

TEST(WaitsOnCard, Receive) {
  run([] { MPI_Recv(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); },
      [] {
        const CardSample sample = watch_wait(0, Function::kRecv, WaitKind::kOne);
        ASSERT_EQ(sample.wait->wait.awaited().size(), 1U);
        expect(sample.wait->wait.awaited()[0], AwaitedAs::kReceive, 1, 7);
        MPI_Send(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
      });
}

TEST(WaitsOnCard, ReceiveFromAnySource) {
  run([] { MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); },
      [] {
        const CardSample sample = watch_wait(0, Function::kRecv, WaitKind::kOne);
        EXPECT_TRUE(sample.wait->wait.awaited()[0].peer.is_none());
        EXPECT_LT(sample.wait->wait.awaited()[0].tag, 0);
        MPI_Send(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
      });
}

TEST(WaitsOnCard, SynchronousSend) {
  run([] { MPI_Ssend(&word, 1, MPI_INT, 1, 8, MPI_COMM_WORLD); },
      [] {
        int got = 0;
        const CardSample sample = watch_wait(0, Function::kSsend, WaitKind::kOne);
        expect(sample.wait->wait.awaited()[0], AwaitedAs::kSend, 1, 8);
        MPI_Recv(&got, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      });
}

TEST(WaitsOnCard, Probe) {
  run(
      [] {
        MPI_Probe(1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&word, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      },
      [] {
        const CardSample sample = watch_wait(0, Function::kProbe, WaitKind::kOne);
        expect(sample.wait->wait.awaited()[0], AwaitedAs::kProbe, 1, 9);
        MPI_Send(&word, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
      });
}

/// Twenty receives with tags 0 to 19, which `complete` completes.
void receive_twenty(const std::function<void(std::array<MPI_Request, 20>&)>& complete) {
  std::array<MPI_Request, 20> requests{};
  std::array<int, 20> words{};
  for (int tag = 0; tag < 20; ++tag) {
    const auto at = static_cast<std::size_t>(tag);
    MPI_Irecv(&words[at], 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &requests[at]);
  }
  complete(requests);
  MPI_Waitall(20, requests.data(), MPI_STATUSES_IGNORE);
}

void send_tags(int first, int end) {
  for (int tag = first; tag < end; ++tag) MPI_Send(&word, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

/// Looks at twenty receives: those that are told, and how many there are.
void expect_twenty(const CardSample& sample) {
  EXPECT_EQ(sample.wait->wait.pending(), 20U);
  ASSERT_EQ(sample.wait->wait.awaited().size(), observe::Wait::kMost);
  EXPECT_TRUE(sample.wait->wait.has_more());
  expect(sample.wait->wait.awaited()[15], AwaitedAs::kReceive, 1, 15);
}

TEST(WaitsOnCard, WaitForOne) {
  run([] { receive_twenty([](auto& requests) { MPI_Wait(&requests[3], MPI_STATUS_IGNORE); }); },
      [] {
        const CardSample sample = watch_wait(0, Function::kWait, WaitKind::kOne);
        EXPECT_EQ(sample.wait->wait.pending(), 1U);
        expect(sample.wait->wait.awaited()[0], AwaitedAs::kReceive, 1, 3);
        send_tags(0, 20);
      });
}

TEST(WaitsOnCard, WaitForAll) {
  run([] { receive_twenty([](auto& /*requests*/) {}); },
      [] {
        expect_twenty(watch_wait(0, Function::kWaitall, WaitKind::kAll));
        send_tags(0, 18);
        // What has come is not awaited any more.
        const CardSample later = watch(0, [](const CardSample& sample) {
          return sample.waits() && sample.wait->wait.pending() == 2 && sample.wait->moves == sample.moves;
        });
        expect(later.wait->wait.awaited()[0], AwaitedAs::kReceive, 1, 18);
        EXPECT_FALSE(later.wait->wait.has_more());
        send_tags(18, 20);
      });
}

TEST(WaitsOnCard, WaitForAny) {
  run(
      [] {
        receive_twenty([](auto& requests) {
          int index = 0;
          MPI_Waitany(20, requests.data(), &index, MPI_STATUS_IGNORE);
        });
      },
      [] {
        expect_twenty(watch_wait(0, Function::kWaitany, WaitKind::kAny));
        send_tags(0, 20);
      });
}

TEST(WaitsOnCard, WaitForSome) {
  run(
      [] {
        receive_twenty([](auto& requests) {
          std::array<int, 20> indices{};
          int count = 0;
          MPI_Waitsome(20, requests.data(), &count, indices.data(), MPI_STATUSES_IGNORE);
        });
      },
      [] {
        expect_twenty(watch_wait(0, Function::kWaitsome, WaitKind::kSome));
        send_tags(0, 20);
      });
}

TEST(WaitsOnCard, SendAndReceive) {
  run([] { MPI_Sendrecv(&word, 0, MPI_INT, 1, 1, &word, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); },
      [] {
        const CardSample sample = watch_wait(0, Function::kSendrecv, WaitKind::kAll);
        expect(sample.wait->wait.awaited()[0], AwaitedAs::kReceive, 1, 2);
        MPI_Recv(&word, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&word, 0, MPI_INT, 0, 2, MPI_COMM_WORLD);
      });
}

TEST(WaitsOnCard, RowOfTests) {
  run(
      [] {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
        for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        EXPECT_FALSE(sample_of(0).tests());
      },
      [] {
        const CardSample sample = watch(0, [](const CardSample& now) { return now.tests(); });
        ASSERT_EQ(sample.wait->wait.awaited().size(), 1U);
        expect(sample.wait->wait.awaited()[0], AwaitedAs::kReceive, 1, 7);
        // It goes on.
        watch(0, [&](const CardSample& now) { return now.tests() && now.calls > sample.calls + 1000; });
        MPI_Send(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
      });
}

TEST(WaitsOnCard, IsGoneWhenTheWaitIsOver) {
  run(
      [] {
        MPI_Recv(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_FALSE(sample_of(0).waits());
      },
      [] {
        watch_wait(0, Function::kRecv, WaitKind::kOne);
        MPI_Send(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
      });
}

/// Ranks 0 and 1 wait for each other, and nobody sends.
TEST(WaitsOnCard, ProvesThatNothingIsUnderWayBetweenRanksThatWait) {
  run(
      [] {
        MPI_Request tests_too = MPI_REQUEST_NULL;
        MPI_Irecv(&word, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &tests_too);
        MPI_Recv(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&tests_too, MPI_STATUS_IGNORE);
      },
      [] {
        CardSample first = watch_wait(0, Function::kRecv, WaitKind::kOne);
        watch(0, [&](const CardSample& second) {
          const bool quiet = was_quiet_between(first, second);
          first = second;
          return quiet;
        });
        // A message that has come ends the proof, though it is not what the rank waits for.
        MPI_Send(&word, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        const CardSample later = watch(0, [&](const CardSample& second) { return second.moves != first.moves; });
        EXPECT_FALSE(was_quiet_between(first, later));
        MPI_Send(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
      });
}

/// A long message that nobody can copy in one piece is under way while its receiver waits for the rest.
TEST(WaitsOnCard, SaysThatAMatchedMessageIsUnderWay) {
  static std::array<char, 1 << 20> data;
  run([] { MPI_Recv(data.data(), data.size(), MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); },
      [] {
        static std::array<char, 1 << 20> sent;
        MPI_Request request = MPI_REQUEST_NULL;
        watch_wait(0, Function::kRecv, WaitKind::kOne);
        MPI_Isend(sent.data(), sent.size(), MPI_CHAR, 0, 7, MPI_COMM_WORLD, &request);
        // Either it has all of it, or the card tells that it has been matched.
        watch(0, [](const CardSample& sample) {
          return !sample.waits() || (sample.wait->moves == sample.moves && sample.wait->wait.awaited()[0].under_way);
        });
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      });
}

}  // namespace
}  // namespace starling::mpi
