// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What ranks predict of each other: all predict the same for the same call, whoever comes first. They go around the
// late one when that pays, and not for long when it does not. And calls that go by a prediction, with a late rank.
#include "collective/late/arrival_tracker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "collective/choose/selector.hpp"
#include "collective/run/persistent_call.hpp"
#include "memory/doorbell.hpp"
#include "support/sanitized.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

using std::chrono::microseconds;

constexpr std::int64_t kBytes = 1 << 20;

/// What was predicted of a call.
struct Seen {
  bool late = false;
  std::vector<arrival::Ticks> arrivals;
  friend bool operator==(const Seen&, const Seen&) = default;
};

/// What a rank needs to track calls of one communicator: of this operation, with kBytes unless `a` is changed.
struct Watcher {
  Watcher(RankWorld& world, Operation operation)
      : comm(world.communicator()),
        progress(world.p2p().progress()),
        shared(SharedBuffer::join(*comm, {})),
        machine(Selector::create(config::Store(), 2).value().machine(tuning::Distance::kNear)) {
    a.operation = operation;
    a.comm = comm.get();
    a.receive_type = &datatype::byte_type();
    a.receive_count = kBytes;
    if (has_segments()) tracker = std::make_unique<ArrivalTracker>(*shared, world.rank(), table_source);
  }
  [[nodiscard]] bool has_segments() const { return shared != nullptr && shared->have_segments(); }
  std::optional<ArrivalPrediction> enter(LateHandling handling) {
    return tracker->enter(progress, {a, ++calls, machine, handling});
  }

  Ref<comm::Communicator> comm;
  progress::Engine& progress;
  std::unique_ptr<SharedBuffer> shared;
  Machine machine;
  std::uint64_t calls = 0;
  std::shared_ptr<LateTableSource> table_source = std::make_shared<LateTableSource>();
  std::unique_ptr<ArrivalTracker> tracker;
  Arguments a;
};

struct Watched {
  std::vector<Seen> calls;  ///< as one rank saw them
  std::string lines;        ///< of the table
};

/// So many calls, to which the last rank is late, and which take so long from the last arrival on, or nothing where
/// they go around it. That they no longer do where it does not pay is for the tests of arrival::Choice, which need no
/// clock.
Watched watch(std::int32_t ranks, int calls, microseconds plain, LateHandling handling = LateHandling::kMayGoAround) {
  std::mutex lock;
  Watched run;
  run_ranks(ranks, [&](RankWorld& world) {
    Watcher watcher(world, Operation::kReduce);
    ASSERT_TRUE(watcher.has_segments());
    std::vector<Seen> seen;
    for (int call = 0; call < calls; ++call) {
      if (world.rank() == ranks - 1) std::this_thread::sleep_for(microseconds(3000));
      const std::optional<ArrivalPrediction> prediction = watcher.enter(handling);
      ASSERT_TRUE(prediction.has_value());
      seen.push_back({prediction->late, {prediction->arrivals.begin(), prediction->arrivals.end()}});
      if (world.rank() == ranks - 1) std::this_thread::sleep_for(prediction->late ? microseconds(0) : plain);
      watcher.tracker->leave(watcher.calls);
    }
    watcher.tracker.reset();
    const std::lock_guard guard(lock);
    if (world.rank() == 0) run.lines = watcher.table_source->finished_lines;
    if (run.calls.empty()) run.calls = seen;
    EXPECT_EQ(run.calls, seen) << "rank " << world.rank() << " saw something else";
  });
  return run;
}

int around(const Watched& run) {
  int calls = 0;
  for (const Seen& seen : run.calls) calls += seen.late ? 1 : 0;
  return calls;
}

TEST(ArrivalTracker, IsTheSameOnAllRanksAndNamesTheLateOne) {
  const Watched run = watch(4, 80, microseconds(1500));
  EXPECT_GT(around(run), 3);
  EXPECT_FALSE(run.calls.front().late) << "it begins plainly";
  // On a busy machine another thread may really come later now and then, and going around may really not pay.
  const auto names_the_last = std::count_if(run.calls.begin(), run.calls.end(), [](const Seen& seen) {
    return seen.late && std::max_element(seen.arrivals.begin(), seen.arrivals.end()) - seen.arrivals.begin() == 3;
  });
  EXPECT_GT(2 * names_the_last, around(run));
  EXPECT_NE(run.lines.find("rank 3 in"), std::string::npos) << run.lines;
}

TEST(ArrivalTracker, OnlyWatchesCallsThatMayNotGoAround) {
  const Watched run = watch(3, 12, microseconds(300), LateHandling::kOnlyWatch);
  EXPECT_EQ(around(run), 0);
  EXPECT_NE(run.lines.find("rank 2 in"), std::string::npos) << run.lines;
}

// Who was always late says that it has done its work: then it is expected now, as is whoever is there already. The
// last is told so by the one that comes first, and nobody else comes before.
TEST(ArrivalTracker, BelievesWhatTheProgramSaysOfItsProgress) {
  constexpr int kCalls = 6;
  std::atomic<int> told = 0;
  std::atomic<int> planned = 0;
  const auto wait_until = [](const std::atomic<int>& number, int least) {
    while (number < least) std::this_thread::yield();
  };
  run_ranks(3, [&](RankWorld& world) {
    Watcher watcher(world, Operation::kReduce);
    ASSERT_TRUE(watcher.has_segments());
    watcher.tracker->tell_progress(0.5);  // of no call yet
    for (int call = 1; call <= kCalls; ++call) {
      const bool says = call == kCalls;
      if (world.rank() == 2) {
        if (!says) std::this_thread::sleep_for(microseconds(20000));
        if (says) watcher.tracker->tell_progress(1.0);
        told = call;
      }
      if (world.rank() == 0 && says) wait_until(told, call);
      if (world.rank() != 0) wait_until(planned, call);
      const std::optional<ArrivalPrediction> prediction = watcher.enter(LateHandling::kMayGoAround);
      ASSERT_TRUE(prediction.has_value());
      if (says) {
        EXPECT_EQ(prediction->arrivals[2], prediction->arrivals[0]) << "rank " << world.rank();
      }
      if (world.rank() == 0) planned = call;
      watcher.tracker->leave(watcher.calls);
    }
  });
}

/// In the table: itself, when its ranks came, when they left.
constexpr std::int64_t kLinesOfKind = 3;

// Of what was not called for longest nothing is known any more, when it comes back.
TEST(ArrivalTracker, KeepsAccountOfTheKindsThatWereCalledLast) {
  constexpr auto kRoom = static_cast<std::int64_t>(ArrivalHistory::kKinds);
  std::barrier through(3);
  run_ranks(3, [&](RankWorld& world) {
    Watcher watcher(world, Operation::kBcast);
    ASSERT_TRUE(watcher.has_segments());
    const auto call = [&](std::int64_t kind) {
      watcher.a.receive_count = kBytes + kind;
      EXPECT_TRUE(watcher.enter(LateHandling::kGoAroundAndWatchAll).has_value());
      watcher.tracker->leave(watcher.calls);
    };
    for (int round = 0; round < 3; ++round) {
      for (std::int64_t kind = 0; kind < kRoom; ++kind) call(kind);
    }
    for (std::int64_t kind = kRoom; kind < kRoom + 5; ++kind) call(kind);
    for (int again = 0; again < 5; ++again) call(kRoom - 1);
    through.arrive_and_wait();  // when a rank left is known once all have
    watcher.tracker.reset();
    if (world.rank() != 0) return;
    const std::string& lines = watcher.table_source->finished_lines;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), kRoom * kLinesOfKind);
    EXPECT_NE(lines.find(std::to_string(kBytes + kRoom - 1) + "       8 "), std::string::npos) << lines;
    EXPECT_EQ(lines.find(std::to_string(kBytes) + " "), std::string::npos) << lines;
  });
}

// Two places with calls of the same shape, to which another rank is late each.
TEST(ArrivalTracker, PredictsEachPlaceOfTheProgramByItself) {
  constexpr int kCalls = 40;
  static constexpr char kPlaces[2] = {};
  std::atomic<int> right = 0;
  run_ranks(3, [&](RankWorld& world) {
    Watcher watcher(world, Operation::kReduce);
    ASSERT_TRUE(watcher.has_segments());
    for (int call = 0; call < kCalls; ++call) {
      const int late = 1 + call % 2;
      watcher.a.site = &kPlaces[call % 2];
      if (world.rank() == late) std::this_thread::sleep_for(microseconds(3000));
      const auto prediction = watcher.enter(LateHandling::kGoAroundAndWatchAll);
      ASSERT_TRUE(prediction.has_value());
      const auto& arrivals = prediction->arrivals;
      if (world.rank() == 0 && call >= 4) {
        right += std::max_element(arrivals.begin(), arrivals.end()) - arrivals.begin() == late ? 1 : 0;
      }
      watcher.tracker->leave(watcher.calls);
    }
    watcher.tracker.reset();
    if (world.rank() != 0) return;
    const std::string& lines = watcher.table_source->finished_lines;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2 * kLinesOfKind) << lines;
  });
  EXPECT_GT(right, kCalls / 2);
}

// Where nobody is late most calls are not watched, and all ranks agree on which are.
TEST(ArrivalTracker, WatchesSomeCallsWhereNobodyIsLate) {
  constexpr int kCalls = 400;
  std::mutex lock;
  std::vector<bool> watched;
  run_ranks(3, [&](RankWorld& world) {
    Watcher watcher(world, Operation::kReduce);
    ASSERT_TRUE(watcher.has_segments());
    watcher.machine.message_ns = watcher.machine.long_ns = 1e9;  // so that nobody is late on a busy machine
    std::vector<bool> own;
    for (int call = 0; call < kCalls; ++call) {
      own.push_back(watcher.tracker->watches(watcher.calls + 1));
      if (!own.back()) {
        ++watcher.calls;
        continue;
      }
      ASSERT_TRUE(watcher.enter(LateHandling::kMayGoAround).has_value());
      watcher.tracker->leave(watcher.calls);
    }
    const std::lock_guard guard(lock);
    if (watched.empty()) watched = own;
    EXPECT_EQ(watched, own) << "rank " << world.rank();
  });
  const auto seen = std::count(watched.begin(), watched.end(), true);
  EXPECT_GE(seen, 20);
  EXPECT_LE(seen, 60);
}

// Ranks that share cores come apart by many times what a message takes, but not by more than a call.
TEST(ArrivalTracker, WatchesSomeCallsWhereRanksComeApartByLessThanACallTakes) {
  constexpr int kCalls = 120;
  std::barrier together(3);
  int watched = 0;
  int around = 0;
  run_ranks(3, [&](RankWorld& world) {
    Watcher watcher(world, Operation::kReduce);
    ASSERT_TRUE(watcher.has_segments());
    for (int call = 0; call < kCalls; ++call) {
      if (world.rank() == 2) std::this_thread::sleep_for(microseconds(1500));
      const bool looks = watcher.tracker->watches(watcher.calls + 1);
      std::optional<ArrivalPrediction> prediction;
      if (looks) {
        prediction = watcher.enter(LateHandling::kMayGoAround);
        EXPECT_TRUE(prediction.has_value());
      } else {
        ++watcher.calls;
      }
      together.arrive_and_wait();
      std::this_thread::sleep_for(microseconds(8000));
      if (looks) watcher.tracker->leave(watcher.calls);
      together.arrive_and_wait();
      if (world.rank() != 0) continue;
      watched += looks ? 1 : 0;
      around += prediction && prediction->late ? 1 : 0;
    }
  });
  EXPECT_LE(watched, 3 * kCalls / 4);
  EXPECT_EQ(around, 0);
}

// The first to come decides, and wakes nobody who sleeps for another reason.
TEST(ArrivalTracker, WakesNobodyWhoDoesNotWaitForThePlan) {
  std::atomic<bool> planned = false;
  run_ranks(3, [&](RankWorld& world) {
    Watcher watcher(world, Operation::kReduce);
    ASSERT_TRUE(watcher.has_segments());
    if (world.rank() == 0) {
      memory::Doorbell& bell = watcher.comm->shared_domain()->segment().rank(watcher.comm->local_rank(1)).doorbell;
      bell.sleeping.fetch_add(1);
      const std::uint32_t before = bell.ticket.load();
      EXPECT_TRUE(watcher.enter(LateHandling::kMayGoAround).has_value());
      EXPECT_EQ(bell.ticket.load(), before);
      bell.sleeping.fetch_sub(1);
      planned = true;
    } else {
      while (!planned) std::this_thread::yield();
      EXPECT_TRUE(watcher.enter(LateHandling::kMayGoAround).has_value());
    }
    watcher.tracker->leave(watcher.calls);
  });
}

// One rank is far ahead of all others: it waits for nobody, and all agree on which calls have a plan.
TEST(ArrivalTracker, KeepsAccountOfSeveralCallsUnderWay) {
  constexpr int kAhead = 2 * static_cast<int>(ArrivalHistory::kPlans) + 3;
  constexpr int kRounds = 3;
  std::mutex lock;
  std::vector<bool> planned;
  std::barrier together(3);
  run_ranks(3, [&](RankWorld& world) {
    Watcher watcher(world, Operation::kReduce);
    ASSERT_TRUE(watcher.has_segments());
    watcher.a.form = Form::kNonblocking;
    std::vector<bool> own;
    for (int round = 0; round < kRounds; ++round) {
      const bool leads = world.rank() == round % 3;
      const std::uint64_t first = watcher.calls + 1;
      if (!leads) together.arrive_and_wait();
      for (int call = 0; call < kAhead; ++call) {
        own.push_back(watcher.enter(LateHandling::kGoAroundAndWatchAll).has_value());
      }
      if (leads) together.arrive_and_wait();
      // The last first.
      for (std::uint64_t call = watcher.calls; call >= first; --call) watcher.tracker->leave(call);
      together.arrive_and_wait();
    }
    const std::lock_guard guard(lock);
    if (planned.empty()) planned = own;
    EXPECT_EQ(planned, own) << "rank " << world.rank();
  });
  for (int call = 0; call < kRounds * kAhead; ++call) {
    EXPECT_EQ(planned[static_cast<std::size_t>(call)], call % kAhead < static_cast<int>(ArrivalHistory::kPlans))
        << call;
  }
}

// Two calls are under way at a time: the second is expected some time after a rank entered the first.
TEST(ArrivalTracker, PredictsCallsThatBeginBeforeTheOneBeforeHasEnded) {
  constexpr int kPairs = 30;
  static constexpr char kPlaces[2] = {};
  std::atomic<int> right = 0;
  std::barrier together(3);
  run_ranks(3, [&](RankWorld& world) {
    Watcher watcher(world, Operation::kReduce);
    ASSERT_TRUE(watcher.has_segments());
    watcher.a.form = Form::kNonblocking;
    for (int pair = 0; pair < kPairs; ++pair) {
      watcher.a.site = &kPlaces[0];
      EXPECT_TRUE(watcher.enter(LateHandling::kGoAroundAndWatchAll).has_value());
      if (world.rank() == 2) std::this_thread::sleep_for(microseconds(5000));
      watcher.a.site = &kPlaces[1];
      const auto prediction = watcher.enter(LateHandling::kGoAroundAndWatchAll);
      ASSERT_TRUE(prediction.has_value());
      const auto& arrivals = prediction->arrivals;
      const bool names_it = std::max_element(arrivals.begin(), arrivals.end()) - arrivals.begin() == 2;
      if (world.rank() == 0 && pair >= 4 && names_it && arrivals[2] > 1'000'000) ++right;
      together.arrive_and_wait();
      watcher.tracker->leave(watcher.calls);
      watcher.tracker->leave(watcher.calls - 1);
    }
  });
  EXPECT_GT(right, kPairs / 2);
}

/// With these every call of the operations goes around late ranks.
Settings clairvoyant(std::initializer_list<const char*> operations) {
  Settings settings = {{"LATE", "any"}, {"LATE_LEAST_BYTES", "1"}};
  for (const char* each : operations) settings.emplace_back(std::string("COLL_") + each, "clairvoyant");
  return settings;
}

class Clairvoyant : public testing::TestWithParam<std::int32_t> {};

TEST_P(Clairvoyant, CallsAreRightWhoeverIsLate) {
  const std::int32_t ranks = GetParam();
  const Settings settings = clairvoyant({"REDUCE", "ALLREDUCE", "BCAST"});
  run_ranks(ranks, [&](RankWorld& world) {
    auto engine = world.engine(settings);
    auto comm = world.communicator();
    const std::int32_t me = world.rank();
    for (const std::int64_t count : {1, 50, 3000, kUnderThreadSanitizer ? 20000 : 100000}) {
      for (int repeat = 0; repeat < 8; ++repeat) {
        for (const Operation operation : {Operation::kReduce, Operation::kAllreduce, Operation::kBcast}) {
          if (me == (repeat < 5 ? ranks - 1 : repeat % ranks)) std::this_thread::sleep_for(microseconds(200));
          const std::vector<double> send(static_cast<std::size_t>(count), me + 1);
          std::vector<double> data(send.size(), -1);
          Arguments a;
          a.operation = operation;
          a.comm = comm.get();
          a.root = repeat % 2;
          a.op = operation == Operation::kBcast ? nullptr : &datatype::predefined(datatype::PredefinedOp::kSum);
          a.receive_type = &datatype::predefined(datatype::Basic::kDouble);
          a.receive_count = count;
          a.send_buffer = send.data();
          a.receive_buffer = data.data();
          a.in_place = repeat == 3 && operation == Operation::kAllreduce;
          const bool root = me == a.root;
          if (a.in_place || (operation == Operation::kBcast && root)) data = send;
          const Status status = engine->run(a);
          ASSERT_TRUE(status.ok()) << status.message();
          const bool takes = operation != Operation::kReduce || root;
          const double sum = 0.5 * ranks * (ranks + 1);
          const double expected = !takes ? -1 : operation == Operation::kBcast ? a.root + 1 : sum;
          ASSERT_EQ(data, std::vector<double>(send.size(), expected))
              << name(operation) << ", " << count << " elements, repeat " << repeat << ", rank " << me;
          ASSERT_EQ(send.front(), me + 1);
        }
      }
    }
  });
}

/// A sum of ones for each rank, of which every operation that is tried leaves the same.
Arguments sum_of_ones(comm::Communicator& comm, Operation operation, const std::vector<double>& send,
                      std::vector<double>& sum) {
  Arguments a;
  a.operation = operation;
  a.comm = &comm;
  a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
  a.receive_type = &datatype::predefined(datatype::Basic::kDouble);
  a.receive_count = static_cast<std::int64_t>(send.size());
  a.send_buffer = send.data();
  a.receive_buffer = sum.data();
  return a;
}

TEST_P(Clairvoyant, NonblockingAndPersistentCallsAreRightWhoeverIsLate) {
  const std::int32_t ranks = GetParam();
  const Settings settings = clairvoyant({"REDUCE", "ALLREDUCE"});
  run_ranks(ranks, [&](RankWorld& world) {
    auto engine = world.engine(settings);
    auto comm = world.communicator();
    const std::int32_t me = world.rank();
    // More than may have a plan at a time.
    constexpr std::size_t kCalls = ArrivalHistory::kPlans + 3;
    const auto operation = [](std::size_t i) { return i % 2 == 0 ? Operation::kAllreduce : Operation::kReduce; };
    const std::vector<double> send(kUnderThreadSanitizer ? 2000 : 20000, 1);
    const std::vector<double> whole(send.size(), ranks);
    std::vector<std::vector<double>> sums(kCalls, std::vector<double>(send.size()));
    std::vector<Ref<PersistentCall>> persistent;
    for (std::size_t i = 0; i < kCalls; i += 3) {
      persistent.push_back(engine->prepare(sum_of_ones(*comm, operation(i), send, sums[i])).value());
    }
    for (int repeat = 0; repeat < 6; ++repeat) {
      for (std::vector<double>& sum : sums) sum.assign(sum.size(), -1);
      if (me == (repeat < 4 ? ranks - 1 : repeat % ranks)) std::this_thread::sleep_for(microseconds(500));
      std::vector<p2p::Request*> requests;
      for (std::size_t i = 0; i < kCalls; ++i) {
        const Arguments a = sum_of_ones(*comm, operation(i), send, sums[i]);
        auto started = i % 3 == 0 ? engine->start(*persistent[i / 3]) : engine->start(a);
        ASSERT_TRUE(started.ok());
        requests.push_back(started.value());
      }
      for (std::size_t i = kCalls; i-- > 0;) {
        world.p2p().wait(*requests[i]);
        EXPECT_TRUE(requests[i]->failure.ok()) << requests[i]->failure.message();
        requests[i]->dispose();
        if (operation(i) == Operation::kReduce && me != 0) continue;
        ASSERT_EQ(sums[i], whole) << "call " << i << ", repeat " << repeat << ", rank " << me;
      }
    }
  });
}

TEST_P(Clairvoyant, SumsAreScatteredWhoeverIsLate) {
  const std::int32_t ranks = GetParam();
  const Settings settings = clairvoyant({"REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK"});
  run_ranks(ranks, [&](RankWorld& world) {
    auto engine = world.engine(settings);
    auto comm = world.communicator();
    const std::int32_t me = world.rank();
    for (const std::int64_t count : {1, 50, kUnderThreadSanitizer ? 2000 : 20000}) {
      for (int repeat = 0; repeat < 6; ++repeat) {
        if (me == (repeat < 4 ? ranks - 1 : repeat % ranks)) std::this_thread::sleep_for(microseconds(200));
        std::vector<int> mine;
        for (std::int32_t block = 0; block < ranks; ++block)
          mine.insert(mine.end(), static_cast<std::size_t>(count), block + me);
        std::vector<int> result(static_cast<std::size_t>(count), -1);
        const std::vector<int> counts(static_cast<std::size_t>(ranks), static_cast<int>(count));
        Arguments a;
        a.operation = repeat % 2 == 0 ? Operation::kReduceScatterBlock : Operation::kReduceScatter;
        a.comm = comm.get();
        a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
        a.receive_type = &datatype::predefined(datatype::Basic::kInt);
        a.receive_count = count;
        if (a.operation == Operation::kReduceScatter) a.receive_counts = counts.data();
        a.send_buffer = mine.data();
        a.receive_buffer = result.data();
        const Status status = engine->run(a);
        ASSERT_TRUE(status.ok()) << status.message();
        const int expected = ranks * me + ranks * (ranks - 1) / 2;
        ASSERT_EQ(result, std::vector<int>(result.size(), expected)) << count << " elements, repeat " << repeat;
      }
    }
  });
}

TEST_P(Clairvoyant, BlocksArriveWhoeverIsLate) {
  const std::int32_t ranks = GetParam();
  const Settings settings = clairvoyant({"GATHER", "SCATTER", "ALLGATHER", "ALLGATHERV"});
  run_ranks(ranks, [&](RankWorld& world) {
    auto engine = world.engine(settings);
    auto comm = world.communicator();
    const std::int32_t me = world.rank();
    for (const std::int64_t count : {1, 50, 3000, kUnderThreadSanitizer ? 9000 : 30000}) {
      std::vector<int> all;
      for (std::int32_t rank = 0; rank < ranks; ++rank) all.insert(all.end(), static_cast<std::size_t>(count), rank);
      const std::vector<int> mine(static_cast<std::size_t>(count), me);
      const std::vector<int> counts(static_cast<std::size_t>(ranks), static_cast<int>(count));
      std::vector<int> displs;
      for (std::int32_t rank = 0; rank < ranks; ++rank) displs.push_back(rank * static_cast<int>(count));
      for (int repeat = 0; repeat < 6; ++repeat) {
        for (const Operation operation :
             {Operation::kGather, Operation::kScatter, Operation::kAllgather, Operation::kAllgatherv}) {
          if (me == (repeat < 4 ? ranks - 1 : repeat % ranks)) std::this_thread::sleep_for(microseconds(200));
          Arguments a;
          a.operation = operation;
          a.comm = comm.get();
          a.root = repeat % 2;
          a.send_type = a.receive_type = &datatype::predefined(datatype::Basic::kInt);
          a.send_count = a.receive_count = count;
          if (operation == Operation::kAllgatherv) a.receive_counts = counts.data();
          if (operation == Operation::kAllgatherv) a.receive_displs = displs.data();
          const bool spreads = operation == Operation::kScatter;
          const bool takes = operation != Operation::kGather || me == a.root;
          a.in_place = repeat == 3 && operation == Operation::kAllgather;
          std::vector<int> result(spreads ? mine.size() : all.size(), -1);
          if (a.in_place) std::copy(mine.begin(), mine.end(), result.begin() + me * count);
          a.send_buffer = spreads ? all.data() : mine.data();
          a.receive_buffer = result.data();
          const Status status = engine->run(a);
          ASSERT_TRUE(status.ok()) << status.message();
          const std::vector<int>& given = spreads ? mine : all;
          ASSERT_EQ(result, takes ? given : std::vector<int>(all.size(), -1))
              << name(operation) << ", " << count << " elements, repeat " << repeat << ", rank " << me;
        }
      }
    }
  });
}

// Whoever is late, as often as it takes to be gone around.
TEST(Reductions, KeepTheirBitsWhereTheSettingSaysSo) {
  for (const Settings& settings : {Settings{{"LATE", "exact"}}, Settings{{"REPRODUCIBLE", "1"}}}) {
    run_ranks(5, [&](RankWorld& world) {
      auto engine = world.engine(settings);
      auto comm = world.communicator();
      std::vector<float> mine(20000);
      for (std::size_t i = 0; i < mine.size(); ++i) {
        mine[i] = 1.0F / static_cast<float>(3 + world.rank() * 7 + static_cast<int>(i % 1000));
      }
      std::vector<float> first;
      for (int repeat = 0; repeat < 60; ++repeat) {
        std::vector<float> sum(mine.size(), -1);
        if (world.rank() == 3) std::this_thread::sleep_for(microseconds(2000));
        Arguments a;
        a.operation = Operation::kAllreduce;
        a.comm = comm.get();
        a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
        a.receive_type = &datatype::predefined(datatype::Basic::kFloat);
        a.receive_count = static_cast<std::int64_t>(mine.size());
        a.send_buffer = mine.data();
        a.receive_buffer = sum.data();
        ASSERT_TRUE(engine->run(a).ok());
        if (first.empty()) first = sum;
        ASSERT_EQ(sum, first) << "repeat " << repeat;
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Clairvoyant, testing::Values(3, 4, 7, 16));

}  // namespace
}  // namespace starling::collective::test
