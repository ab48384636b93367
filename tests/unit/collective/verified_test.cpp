// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// STARLING_CHECK=collective: ranks that make different calls all hear of it, nobody hangs, and the communicator still
// works.
#include <gtest/gtest.h>

#include "collective/run/call_digest.hpp"
#include "collective/run/persistent_call.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

const Settings kChecked = {{"CHECK", "collective"}};

/// Data for any call of up to 64 elements for each of 8 ranks.
struct Data {
  std::vector<std::int32_t> send = std::vector<std::int32_t>(512, 1);
  std::vector<std::int32_t> receive = std::vector<std::int32_t>(512, 0);
};

Arguments call_of(comm::Communicator& comm, Data& data, Operation operation, std::int64_t count = 4) {
  Arguments a;
  a.operation = operation;
  a.comm = &comm;
  a.send_buffer = data.send.data();
  a.receive_buffer = data.receive.data();
  a.send_count = a.receive_count = count;
  a.send_type = a.receive_type = &datatype::predefined(datatype::Basic::kInt32);
  if (reduces(operation)) a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
  return a;
}

/// One rank, `odd`, calls something else than the others. Returns nothing; every rank must get the class and words of
/// both calls.
struct Mismatch {
  ErrorClass error_class;
  std::vector<std::string> words;
  std::function<void(Arguments&)> change;
  Operation operation = Operation::kAllreduce;
};

void expect_both_named(const Mismatch& mismatch, std::int32_t ranks, std::int32_t odd) {
  run_ranks(ranks, [&](RankWorld& world) {
    auto engine = world.engine(kChecked);
    auto comm = world.communicator();
    Data data;
    Arguments a = call_of(*comm, data, mismatch.operation);
    if (world.rank() == odd) mismatch.change(a);
    const Status status = engine->run(a);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error_class(), mismatch.error_class) << status.message();
    for (const std::string& word : mismatch.words) {
      EXPECT_NE(status.message().find(word), std::string::npos) << status.message();
    }
    EXPECT_EQ(data.receive, std::vector<std::int32_t>(512, 0)) << "the call went on";
    const Arguments right = call_of(*comm, data, Operation::kAllreduce);
    EXPECT_TRUE(engine->run(right).ok());
    EXPECT_EQ(data.receive[3], ranks);
  });
}

void expect_both_named(const Mismatch& mismatch) {
  for (const std::int32_t ranks : {2, 3, 4, 7}) {
    expect_both_named(mismatch, ranks, 0);
    expect_both_named(mismatch, ranks, ranks - 1);
  }
}

TEST(Verified, DifferentCollectivesAreNamed) {
  expect_both_named({ErrorClass::kOther,
                     {"MPI_Allreduce(MPI_SUM, 16 bytes of the vector)", "MPI_Barrier()"},
                     [](Arguments& a) { a.operation = Operation::kBarrier; }});
}

TEST(Verified, DifferentRootsAreNamed) {
  expect_both_named(
      {ErrorClass::kRoot, {"root 0", "root 1", "MPI_Bcast"}, [](Arguments& a) { a.root = 1; }, Operation::kBcast});
}

TEST(Verified, DifferentOperatorsAreNamed) {
  expect_both_named({ErrorClass::kOp, {"MPI_SUM", "MPI_MAX"}, [](Arguments& a) {
                       a.op = &datatype::predefined(datatype::PredefinedOp::kMax);
                     }});
}

TEST(Verified, DifferentCountsAreNamed) {
  expect_both_named({ErrorClass::kCount, {"16 bytes", "20 bytes"}, [](Arguments& a) { a.receive_count = 5; }});
}

TEST(Verified, DifferentTypesOfOneSizeAreNamed) {
  expect_both_named({ErrorClass::kType, {"basic types"}, [](Arguments& a) {
                       a.receive_type = &datatype::predefined(datatype::Basic::kFloat);
                     }});
}

TEST(Verified, DifferentCountsOfOtherRanksAreNamed) {
  static const int right[] = {1, 2, 3, 4, 5, 6, 7};
  static const int wrong[] = {1, 2, 4, 3, 5, 6, 7};
  for (const std::int32_t odd : {0, 3}) {
    run_ranks(4, [&](RankWorld& world) {
      auto engine = world.engine(kChecked);
      auto comm = world.communicator();
      Data data;
      Arguments a = call_of(*comm, data, Operation::kReduceScatter);
      a.receive_counts = world.rank() == odd ? wrong : right;
      EXPECT_EQ(engine->run(a).error_class(), ErrorClass::kType);
    });
  }
}

TEST(Verified, BlockingAndNonblockingDoNotMatch) {
  run_ranks(3, [](RankWorld& world) {
    auto engine = world.engine(kChecked);
    auto comm = world.communicator();
    Data data;
    const Arguments a = call_of(*comm, data, Operation::kAllreduce);
    Status status;
    if (world.rank() == 1) {
      auto started = engine->start(a);
      ASSERT_TRUE(started.ok());
      world.p2p().wait(*started.value());
      status = std::move(started.value()->failure);
      started.value()->dispose();
    } else {
      status = engine->run(a);
    }
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.message().find("MPI_Iallreduce"), std::string::npos) << status.message();
    EXPECT_NE(status.message().find("MPI_Allreduce"), std::string::npos) << status.message();
  });
}

TEST(Verified, CallsThatMatchGoOn) {
  run_ranks(4, [](RankWorld& world) {
    auto engine = world.engine(kChecked);
    auto comm = world.communicator();
    for (const Operation operation :
         {Operation::kBarrier, Operation::kBcast, Operation::kReduce, Operation::kAllreduce, Operation::kGather,
          Operation::kScatter, Operation::kAllgather, Operation::kAlltoall, Operation::kScan, Operation::kExscan,
          Operation::kReduceScatterBlock}) {
      Data data;
      // The same signature in other pieces is the same.
      auto pair = datatype::Datatype::contiguous(2, datatype::predefined(datatype::Basic::kInt32)).value();
      pair->commit();
      Arguments a = call_of(*comm, data, operation);
      if (world.rank() == 2 && !reduces(operation)) {
        a.send_count = a.receive_count = 2;
        a.send_type = a.receive_type = pair.get();
      }
      const Status status = engine->run(a);
      EXPECT_TRUE(status.ok()) << name(operation) << ": " << status.message();
    }
  });
}

TEST(Verified, PersistentCallsAreComparedAtEachStart) {
  run_ranks(3, [](RankWorld& world) {
    auto engine = world.engine(kChecked);
    auto comm = world.communicator();
    Data data;
    Arguments a = call_of(*comm, data, Operation::kBcast);
    auto right = engine->prepare(a).value();
    a.root = world.rank() == 2 ? 2 : 0;
    auto wrong = engine->prepare(a).value();
    for (int round = 0; round < 3; ++round) {
      for (const bool good : {true, false}) {
        auto started = engine->start(good ? *right : *wrong);
        ASSERT_TRUE(started.ok());
        world.p2p().wait(*started.value());
        const Status& failure = started.value()->failure;
        EXPECT_EQ(failure.ok(), good);
        if (!good) {
          EXPECT_NE(failure.message().find("MPI_Bcast_init(root 2"), std::string::npos) << failure.message();
        }
        started.value()->dispose();
      }
    }
  });
}

TEST(Verified, AnUnknownCheckIsRefused) {
  run_ranks(1, [](RankWorld& world) {
    config::Store config;
    ASSERT_TRUE(config.set("CHECK", "everything").ok());
    auto engine = Collectives::create(world.p2p(), memory::Placement::one_node(1, 1), config);
    ASSERT_FALSE(engine.ok());
    EXPECT_NE(engine.status().message().find("Choose one of"), std::string::npos);
  });
}

}  // namespace
}  // namespace starling::collective::test
