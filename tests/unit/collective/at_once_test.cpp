// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Calls that end at once on a rank that has nobody to wait for: which do, that none passes another which is under way,
// and that a mixture of them gives what it should.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

constexpr Operation kGiving[] = {Operation::kBcast,  Operation::kScatter, Operation::kScatterv,
                                 Operation::kReduce, Operation::kGather,  Operation::kGatherv};

/// The buffers of one rooted call of doubles, and what they should hold after it.
struct Rooted {
  Rooted(comm::Communicator& comm, Operation operation, std::int32_t root, std::int32_t count, std::int64_t number)
      : in(static_cast<std::size_t>(count * comm.size())),
        out(in.size(), -1),
        counts(static_cast<std::size_t>(comm.size()), count),
        displs(counts.size()) {
    const std::int32_t rank = comm.rank();
    for (std::int32_t i = 0; i < comm.size(); ++i) displs[static_cast<std::size_t>(i)] = i * count;
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = value(number, rank, i);
    a.operation = operation;
    a.comm = &comm;
    a.root = root;
    a.send_type = a.receive_type = &datatype::predefined(datatype::Basic::kDouble);
    a.op = reduces(operation) ? &datatype::predefined(datatype::PredefinedOp::kSum) : nullptr;
    a.send_buffer = in.data();
    a.receive_buffer = operation == Operation::kBcast && rank == root ? in.data() : out.data();
    a.send_count = a.receive_count = count;
    if (operation == Operation::kScatterv) a.send_counts = counts.data(), a.send_displs = displs.data();
    if (operation == Operation::kGatherv) a.receive_counts = counts.data(), a.receive_displs = displs.data();
    expected = out;
    const auto each = static_cast<std::size_t>(count);
    const auto own = static_cast<std::size_t>(rank) * each;
    switch (operation) {
      case Operation::kBcast:
        for (std::size_t i = 0; rank != root && i < each; ++i) expected[i] = value(number, root, i);
        break;
      case Operation::kScatter:
      case Operation::kScatterv:
        for (std::size_t i = 0; i < each; ++i) expected[i] = value(number, root, own + i);
        break;
      case Operation::kReduce:
        for (std::size_t i = 0; rank == root && i < each; ++i) {
          expected[i] = 0;
          for (std::int32_t from = 0; from < comm.size(); ++from) expected[i] += value(number, from, i);
        }
        break;
      default:
        for (std::size_t i = 0; rank == root && i < in.size(); ++i)
          expected[i] = value(number, static_cast<std::int32_t>(i / each), i % each);
    }
  }
  static double value(std::int64_t number, std::int32_t rank, std::size_t i) {
    return static_cast<double>(number * 10000 + rank * 1000) + static_cast<double>(i);
  }

  std::vector<double> in;
  std::vector<double> out;
  std::vector<double> expected;
  std::vector<int> counts;
  std::vector<int> displs;
  Arguments a;
};

/// The rank whose part waits for nobody: the root of a call that gives, every other of one that takes.
bool waits_for_nobody(const Arguments& a) {
  const bool gives =
      a.operation == Operation::kBcast || a.operation == Operation::kScatter || a.operation == Operation::kScatterv;
  return (a.comm->rank() == a.root) == gives;
}

Settings all_shared() {
  Settings settings;
  for (const Operation operation : kGiving)
    settings.emplace_back(variable(operation).substr(std::string("STARLING_").size()), "shared");
  return settings;
}

void finish(RankWorld& world, p2p::Request& request) {
  world.p2p().wait(request);
  EXPECT_TRUE(request.failure.ok()) << request.failure.message();
  request.dispose();
}

TEST(AtOnce, EndsWhoHasNobodyToWaitFor) {
  run_ranks(3, [](RankWorld& world) {
    auto comm = world.communicator();
    auto engine = world.engine(all_shared());
    std::int64_t number = 0;
    for (const Operation operation : kGiving) {
      for (std::int32_t root = 0; root < 3; ++root) {
        // The first call finds out what the communicator has, and its root does not stay.
        for (int repeat = 0; repeat < 3; ++repeat) {
          Rooted rooted(*comm, operation, root, 2, ++number);
          Result<p2p::Request*> started = engine->start(rooted.a);
          ASSERT_TRUE(started.ok());
          if (waits_for_nobody(rooted.a)) {
            EXPECT_EQ(started.value(), &engine->empty_request()) << name(operation);
          }
          finish(world, *started.value());
          EXPECT_EQ(rooted.out, rooted.expected) << name(operation) << " from " << root;
        }
      }
    }
  });
}

TEST(AtOnce, PassesNoCallThatIsUnderWay) {
  run_ranks(3, [](RankWorld& world) {
    auto comm = world.communicator();
    auto engine = world.engine(all_shared());
    for (int repeat = 0; repeat < 50; ++repeat) {
      // Long: it waits for its root at the ranks that begin it first, and the short ones after it wait for it.
      Rooted first(*comm, Operation::kBcast, repeat % 3, 5000, repeat);
      std::vector<Rooted> later;
      later.reserve(std::size(kGiving));
      for (const Operation operation : kGiving) later.emplace_back(*comm, operation, (repeat + 1) % 3, 2, repeat + 1);
      std::vector<p2p::Request*> requests{engine->start(first.a).value()};
      for (Rooted& one : later) requests.push_back(engine->start(one.a).value());
      for (p2p::Request* request : requests) finish(world, *request);
      EXPECT_EQ(first.out, first.expected);
      for (const Rooted& one : later) EXPECT_EQ(one.out, one.expected) << name(one.a.operation);
    }
  });
}

TEST(AtOnce, MixturesOfCallsGiveWhatTheyShould) {
  for (const std::uint64_t seed : storm_seeds(3)) {
    run_ranks(4, [seed](RankWorld& world) {
      auto comm = world.communicator();
      auto engine = world.engine(all_shared());
      std::mt19937_64 random(seed);  // the same on every rank
      for (std::int64_t number = 0; number < 400; ++number) {
        const Operation operation = kGiving[random() % std::size(kGiving)];
        // In the first cache line of a flag, beside the flag, and in segments; roots stay for some calls.
        const auto count = static_cast<std::int32_t>(std::vector<int>{1, 6, 7, 30, 31, 600}[random() % 6]);
        const auto root = static_cast<std::int32_t>(random() % 4);
        const auto calls = 1 + random() % 40;
        for (std::uint64_t i = 0; i < calls; ++i) {
          Rooted rooted(*comm, operation, root, count, number);
          if (random() % 2 == 0) {
            ASSERT_TRUE(engine->run(rooted.a).ok());
          } else {
            finish(world, *engine->start(rooted.a).value());
          }
          ASSERT_EQ(rooted.out, rooted.expected)
              << formatted("{} of {} from {}, STORM_SEED={}", name(operation), count, root, seed);
        }
      }
    });
  }
}

TEST(AtOnce, SaysWhenRanksDisagree) {
  run_ranks(2, [](RankWorld& world) {
    auto comm = world.communicator();
    auto engine = world.engine(all_shared());
    for (const Operation operation : kGiving) {
      const bool mistaken = world.rank() == 1;
      Rooted warm(*comm, operation, 0, 2, 1);
      ASSERT_TRUE(engine->run(warm.a).ok());
      Rooted rooted(*comm, operation, 0, mistaken ? 3 : 2, 2);
      const Status status = engine->run(rooted.a);
      const bool notices = !waits_for_nobody(rooted.a);
      EXPECT_EQ(status.error_class() == ErrorClass::kTruncate, notices) << name(operation);
    }
  });
}

}  // namespace
}  // namespace starling::collective::test
