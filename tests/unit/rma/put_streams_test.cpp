// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/put_streams.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "transport/shm/geometry.hpp"

namespace starling::rma {
namespace {

constexpr LocalRank kTarget(1);

std::uint64_t place_of(const void* memory) { return reinterpret_cast<std::uint64_t>(memory); }

/// Three ranks of one process; the second is a target, the others are origins. Copies stand for what the kernel does.
class PutStreamsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(config_.set("RMA_AGENT", "off").ok());
    auto segment = memory::JobSegment::create(transport::shm::geometry(kRanks, config_));
    ASSERT_TRUE(segment.ok()) << segment.status().message();
    segment_ = std::move(segment).value();
    segment_->header().usable_cores = 2 * kRanks;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      progress_[rank] = std::make_unique<progress::Engine>(*segment_, LocalRank(rank), config_);
      auto service = TargetService::create(*progress_[rank], config_);
      ASSERT_TRUE(service.ok()) << service.status().message();
      services_[rank] = std::move(service).value();
      ASSERT_TRUE(services_[rank]->open_for_others().ok());
      streams_[rank] = std::make_unique<PutStreams>(
          *progress_[rank], *services_[rank],
          [this](LocalRank /*rank*/, const void* from, std::span<const transport::RemoteRun> to) {
            return write(static_cast<const std::byte*>(from), to);
          });
    }
  }
  void TearDown() override {
    for (auto& service : services_) service.reset();
    for (auto& progress : progress_) progress.reset();
  }

  bool write(const std::byte* from, std::span<const transport::RemoteRun> to) {
    ++kernel_calls_;
    for (const transport::RemoteRun& run : to) {
      if (run.address == refused_) return false;
    }
    for (const transport::RemoteRun& run : to) {
      std::memcpy(reinterpret_cast<void*>(run.address), from, run.bytes);  // NOLINT(performance-no-int-to-ptr)
      from += run.bytes;
    }
    return true;
  }
  template <typename T>
  bool put(T* to, const T& value, std::uint32_t origin = 0) {
    return streams_[origin]->put(kTarget, place_of(to), &value, sizeof value);
  }
  bool serve_target() { return progress_[kTarget.index()]->poll(); }
  PutStream& stream() { return services_[0]->handler_of(kTarget).puts; }

  static constexpr std::uint32_t kRanks = 3;
  config::Store config_;
  std::unique_ptr<memory::JobSegment> segment_;
  std::unique_ptr<progress::Engine> progress_[kRanks];
  std::unique_ptr<TargetService> services_[kRanks];
  std::unique_ptr<PutStreams> streams_[kRanks];
  std::atomic<int> kernel_calls_{0};
  std::uint64_t refused_ = 0;
};

TEST_F(PutStreamsTest, LeaveManyUnderWayUntilTheTargetPolls) {
  std::uint64_t theirs[20] = {};
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::uint64_t mine = i + 1;
    ASSERT_TRUE(put(&theirs[i], mine));
    mine = 99;  // the origin's memory is free at once
  }
  EXPECT_EQ(theirs[0], 0U);
  EXPECT_TRUE(serve_target());
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(theirs[i], i + 1);
  EXPECT_TRUE(streams_[0]->finish(kTarget).ok());
  EXPECT_EQ(kernel_calls_, 0);
  EXPECT_FALSE(serve_target());
}

TEST_F(PutStreamsTest, AreWrittenByTheKernelTogetherWhereTheTargetComputes) {
  std::uint64_t theirs[20] = {};
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(put(&theirs[i], i + 1));
  EXPECT_TRUE(streams_[0]->finish_all().ok());
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(theirs[i], i + 1);
  EXPECT_EQ(kernel_calls_, 1);
  EXPECT_FALSE(serve_target());
  // It is left alone for a while.
  EXPECT_FALSE(put(&theirs[0], std::uint64_t{7}));
  EXPECT_TRUE(put(&theirs[0], std::uint64_t{7}));
  EXPECT_TRUE(serve_target());
  EXPECT_EQ(theirs[0], 7U);
  EXPECT_TRUE(streams_[0]->finish_all().ok());
}

TEST_F(PutStreamsTest, CarryDataOfAnyLengthAroundTheRing) {
  std::atomic<bool> done{false};
  std::thread target([&] {
    while (!done) serve_target();
  });
  std::vector<unsigned char> theirs(PutStream::kMostBytes);
  std::vector<unsigned char> mine(theirs.size());
  unsigned seed = 1;
  for (int round = 0; round < 50; ++round) {
    for (const std::size_t bytes : {1U, 7U, 8U, 47U, 48U, 49U, 64U, 65U, 1000U, 4095U, 4096U, 5001U, 8192U}) {
      for (std::size_t i = 0; i < bytes; ++i) mine[i] = static_cast<unsigned char>(seed = seed * 1664525 + 1013904223);
      const bool begun = streams_[0]->put(kTarget, place_of(theirs.data()), mine.data(), bytes);
      ASSERT_TRUE(streams_[0]->finish(kTarget).ok());
      const auto end = mine.begin() + static_cast<std::ptrdiff_t>(bytes);
      ASSERT_TRUE(!begun || std::equal(mine.begin(), end, theirs.begin())) << bytes;
    }
  }
  done = true;
  target.join();
  EXPECT_FALSE(streams_[0]->put(kTarget, place_of(theirs.data()), mine.data(), PutStream::kMostBytes + 1));
}

TEST_F(PutStreamsTest, GoOnWhereMoreIsPutThanFits) {
  std::atomic<bool> done{false};
  std::thread target([&] {
    while (!done) serve_target();
  });
  struct Row {
    std::uint64_t words[40];
  };
  std::vector<Row> theirs(3 * PutStream::kLines, Row{});
  std::size_t begun = 0;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    Row row{};
    row.words[0] = row.words[39] = i + 1;
    if (put(&theirs[i], row)) {
      ++begun;
    } else {
      theirs[i] = row;
    }
  }
  EXPECT_TRUE(streams_[0]->finish(kTarget).ok());
  EXPECT_GT(begun, 0U);
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    ASSERT_EQ(theirs[i].words[0], i + 1);
    ASSERT_EQ(theirs[i].words[39], i + 1);
  }
  done = true;
  target.join();
}

TEST_F(PutStreamsTest, CarryALongPutInPiecesThatTheTargetTakesOneByOne) {
  std::vector<unsigned char> theirs(PutStream::kMostBytes);
  const std::vector<unsigned char> mine(theirs.size(), 7);
  ASSERT_TRUE(streams_[0]->put(kTarget, place_of(theirs.data()), mine.data(), mine.size()));
  EXPECT_LT(stream().at(0).bytes, mine.size());
  EXPECT_TRUE(serve_target());
  EXPECT_EQ(theirs, mine);
  EXPECT_TRUE(streams_[0]->finish(kTarget).ok());
  EXPECT_EQ(kernel_calls_, 0);
}

TEST_F(PutStreamsTest, TellWhichPutTheKernelHasRefusedAndDoTheOthers) {
  std::uint64_t theirs[3] = {};
  refused_ = place_of(&theirs[1]);
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(put(&theirs[i], i + 1));
  EXPECT_EQ(streams_[0]->finish(kTarget).error_class(), ErrorClass::kRmaRange);
  EXPECT_EQ(theirs[0], 1U);
  EXPECT_EQ(theirs[1], 0U);
  EXPECT_EQ(theirs[2], 3U);
  EXPECT_TRUE(streams_[0]->finish(kTarget).ok());
}

TEST_F(PutStreamsTest, AreOfOneOriginAtATime) {
  std::uint64_t theirs[2] = {};
  ASSERT_TRUE(put(&theirs[0], std::uint64_t{1}));
  EXPECT_FALSE(put(&theirs[1], std::uint64_t{2}, 2));
  EXPECT_TRUE(serve_target());
  EXPECT_FALSE(put(&theirs[1], std::uint64_t{2}, 2));
  EXPECT_TRUE(streams_[0]->finish(kTarget).ok());
  ASSERT_TRUE(put(&theirs[1], std::uint64_t{2}, 2));
  EXPECT_FALSE(put(&theirs[0], std::uint64_t{3}));
  EXPECT_TRUE(serve_target());
  EXPECT_TRUE(streams_[2]->finish(kTarget).ok());
  EXPECT_EQ(theirs[0], 1U);
  EXPECT_EQ(theirs[1], 2U);
}

TEST_F(PutStreamsTest, AreNotBegunWhereMoreRanksAreAwakeThanThereAreCores) {
  segment_->header().usable_cores = 1;
  std::uint64_t theirs = 0;
  EXPECT_FALSE(put(&theirs, std::uint64_t{1}));
}

TEST_F(PutStreamsTest, EndWhenWhoeverCarriesThemOutHasDone) {
  for (std::uint64_t round = 1; round <= 50; ++round) {
    std::uint64_t theirs = 0;
    // Where the kernel has done the last, the target is left alone for a while.
    bool begun = false;
    for (int tries = 0; tries < 100'000 && !begun; ++tries) begun = put(&theirs, round);
    ASSERT_TRUE(begun);
    ASSERT_TRUE(stream().try_take());  // as a target that has lost its core
    std::thread target([&] {
      while (stream().asker.load() == 0) std::this_thread::yield();
      EXPECT_FALSE(serve_target());
      stream().give_back();
      serve_target();  // at once, so that an origin that has seen it given back may find it taken again
      memory::ring(segment_->rank(LocalRank(0)).doorbell, true);
    });
    EXPECT_TRUE(streams_[0]->finish(kTarget).ok());
    EXPECT_EQ(theirs, round);
    target.join();
  }
}

TEST_F(PutStreamsTest, FailWhereTheTargetDiesAtThem) {
  std::uint64_t theirs = 0;
  ASSERT_TRUE(put(&theirs, std::uint64_t{5}));
  ASSERT_TRUE(stream().try_take());
  std::thread witness([&] {
    while (stream().asker.load() == 0) std::this_thread::yield();
    memory::publish_death(*segment_, kTarget);
  });
  EXPECT_EQ(streams_[0]->finish(kTarget).error_class(), ErrorClass::kRmaRange);
  witness.join();
  EXPECT_TRUE(streams_[0]->finish_all().ok());
  EXPECT_FALSE(put(&theirs, std::uint64_t{6}));
}

}  // namespace
}  // namespace starling::rma
