// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/target_service.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "memory/arena.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::rma {
namespace {

std::uint64_t address_of(const void* memory) { return reinterpret_cast<std::uint64_t>(memory); }

/// Two ranks of one process; the second has memory that the first asks for.
class TargetServiceTest : public ::testing::Test {
 protected:
  void start(const char* agent, std::uint32_t ranks = 2) {
    ASSERT_TRUE(config_.set("RMA_AGENT", agent).ok());
    auto segment = memory::JobSegment::create(transport::shm::geometry(ranks, config_));
    ASSERT_TRUE(segment.ok()) << segment.status().message();
    segment_ = std::move(segment).value();
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      progress_[rank] = std::make_unique<progress::Engine>(*segment_, LocalRank(rank), config_);
      auto service = TargetService::create(*progress_[rank], config_);
      ASSERT_TRUE(service.ok()) << service.status().message();
      services_[rank] = std::move(service).value();
      ASSERT_TRUE(services_[rank]->open_for_others().ok());
    }
  }
  void TearDown() override {
    for (auto& service : services_) service.reset();
    for (auto& progress : progress_) progress.reset();
  }

  /// Moves 300 kB in stretches of odd sizes there and back.
  void move_there_and_back() {
    std::vector<unsigned char> theirs(300000, 0);
    std::vector<unsigned char> mine(theirs.size());
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = static_cast<unsigned char>(i * 13 + 5);
    std::vector<transport::RemoteRun> runs;
    std::size_t bytes = 0;
    for (std::size_t at = 0, step = 1; at + step < theirs.size(); at += step + 3, step = step % 97 + 1) {
      runs.push_back({address_of(&theirs[at]), step});
      bytes += step;
    }
    runs.push_back({address_of(theirs.data()), 0});
    services_[0]->scatter(LocalRank(1), mine.data(), runs);
    std::vector<unsigned char> back(bytes, 0);
    services_[0]->gather(LocalRank(1), runs, back.data());
    EXPECT_TRUE(std::equal(back.begin(), back.end(), mine.begin()));
    const std::vector<transport::RemoteRun> whole = {{address_of(theirs.data()), theirs.size()}};
    services_[0]->scatter(LocalRank(1), mine.data(), whole);
    EXPECT_EQ(theirs, mine);
  }

  config::Store config_;
  std::unique_ptr<memory::JobSegment> segment_;
  std::unique_ptr<progress::Engine> progress_[2];
  std::unique_ptr<TargetService> services_[2];
};

TEST_F(TargetServiceTest, ComesFromTheAgentWhileTheTargetMakesNoCall) {
  start("auto");
  EXPECT_TRUE(services_[1]->agent_runs());
  move_there_and_back();
}

TEST_F(TargetServiceTest, ComesFromTheWaitLoopWithoutAnAgent) {
  start("off");
  EXPECT_FALSE(services_[1]->agent_runs());
  std::atomic<bool> done{false};
  std::thread target([&] { progress_[1]->wait([&] { return done.load(); }); });
  move_there_and_back();
  done = true;
  memory::wake(segment_->rank(LocalRank(1)).doorbell);
  target.join();
}

TEST_F(TargetServiceTest, GoesOnWhenTheAgentIsSwitchedWhileTheProgramRuns) {
  start("off");
  ASSERT_TRUE(services_[1]->set_agent(AgentMode::kOn).ok());
  move_there_and_back();
  ASSERT_TRUE(services_[1]->set_agent_core(0).ok());
  EXPECT_TRUE(services_[1]->agent_runs());
  move_there_and_back();
  ASSERT_TRUE(services_[1]->set_agent(AgentMode::kOff).ok());
  EXPECT_FALSE(services_[1]->agent_runs());
  EXPECT_EQ(services_[1]->set_agent_core(-7).error_class(), ErrorClass::kInfoValue);
}

TEST_F(TargetServiceTest, IsAskedOfEachOtherAtOnce) {
  start("off");
  std::vector<std::uint64_t> memory[2] = {std::vector<std::uint64_t>(50000, 1), std::vector<std::uint64_t>(50000, 2)};
  std::vector<std::uint64_t> read[2] = {std::vector<std::uint64_t>(50000), std::vector<std::uint64_t>(50000)};
  std::atomic<int> done{0};
  const auto rank = [&](std::uint32_t me) {
    const std::uint32_t other = 1 - me;
    const std::vector<transport::RemoteRun> runs = {{address_of(memory[other].data()), 400000}};
    services_[me]->gather(LocalRank(other), runs, read[me].data());
    ++done;
    memory::wake(segment_->rank(LocalRank(other)).doorbell);
    progress_[me]->wait([&] { return done.load() == 2; });
  };
  std::thread second(rank, 1);
  rank(0);
  second.join();
  EXPECT_EQ(read[0], memory[1]);
  EXPECT_EQ(read[1], memory[0]);
}

/// A third rank that dies with the lock of rank 1's handler in each of the handler's states.
TEST_F(TargetServiceTest, IsHadWhereAnOriginDiedWithTheDesk) {
  for (const std::uint32_t left :
       {TargetHandler::kIdle, TargetHandler::kAsked, TargetHandler::kServing, TargetHandler::kDone}) {
    start("on", 3);
    memory::Arena arena(*segment_);
    std::uint64_t handlers = 0;
    {
      const memory::Arena::Guard guard(*segment_);
      ASSERT_TRUE(arena.open(guard).ok());
      handlers = arena.root(guard, memory::Arena::Root::kWindows);
    }
    auto& handler = reinterpret_cast<TargetHandler*>(arena.at(handlers))[1];
    std::vector<std::byte> overwritten(64, std::byte{1});
    ASSERT_EQ(handler.lock.try_take(LocalRank(2), *segment_), OwnedLock::Taken::kFree);
    EXPECT_EQ(handler.lock.try_take(LocalRank(0), *segment_), OwnedLock::Taken::kNo);
    handler.message = TargetHandler::ActiveMessage::kGather;
    handler.run_count = 1;
    handler.runs[0] = {address_of(overwritten.data()), overwritten.size()};
    handler.asker.store(2);
    handler.state.store(left);
    std::thread witness([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      memory::publish_death(*segment_, LocalRank(2));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      // The thread that serves a claimed active message still ends it, and wakes the rank that waits now.
      if (left != TargetHandler::kServing) return;
      handler.state.store(TargetHandler::kDone);
      memory::ring(segment_->rank(LocalRank(handler.asker.load())).doorbell, true);
    });
    move_there_and_back();
    witness.join();
    TearDown();
  }
}

TEST_F(TargetServiceTest, SleepsWhenNobodyAsks) {
  start("auto");
  move_there_and_back();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  const double used_s =
      static_cast<double>(after.tv_sec - before.tv_sec) + static_cast<double>(after.tv_nsec - before.tv_nsec) * 1e-9;
  EXPECT_LT(used_s, 0.02);
}

TEST(AgentMode, NamesWhatItTakes) {
  const auto refused = parse_agent_mode("sometimes");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("auto, on or off"), std::string::npos);
}

}  // namespace
}  // namespace starling::rma
