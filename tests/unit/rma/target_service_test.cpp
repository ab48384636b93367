// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/target_service.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
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
    services_[0]->scatter(LocalRank(1), mine.data(), runs, Asking::kUntilDone);
    std::vector<unsigned char> back(bytes, 0);
    services_[0]->gather(LocalRank(1), runs, back.data(), Asking::kUntilDone);
    EXPECT_TRUE(std::equal(back.begin(), back.end(), mine.begin()));
    const std::vector<transport::RemoteRun> whole = {{address_of(theirs.data()), theirs.size()}};
    services_[0]->scatter(LocalRank(1), mine.data(), whole, Asking::kUntilDone);
    EXPECT_EQ(theirs, mine);
  }

  TargetHandler& handler_of_target() {
    memory::Arena arena(*segment_);
    const memory::Arena::Guard guard(*segment_);
    EXPECT_TRUE(arena.open(guard).ok());
    return reinterpret_cast<TargetHandler*>(arena.at(arena.root(guard, memory::Arena::Root::kWindows)))[1];
  }

  /// Has the second rank write, where there is another way.
  bool put(void* to, const void* from, std::uint64_t bytes) {
    const std::vector<transport::RemoteRun> runs = {{address_of(to), bytes}};
    return services_[0]->scatter(LocalRank(1), from, runs, Asking::kWhileItPolls);
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

/// The cores of the threads of this process that are agents.
std::vector<cpu_set_t> cores_of_agents() {
  std::vector<cpu_set_t> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::ifstream file(task.path() / "comm");
    std::getline(file, name);
    cpu_set_t cores;
    if (name == "starling-agent" && sched_getaffinity(std::stoi(task.path().filename()), sizeof cores, &cores) == 0)
      found.push_back(cores);
  }
  return found;
}

TEST_F(TargetServiceTest, RunsItsAgentOnTheCoreThatIsSet) {
  cpu_set_t usable;
  ASSERT_EQ(sched_getaffinity(0, sizeof usable, &usable), 0);
  if (CPU_COUNT(&usable) < 2) GTEST_SKIP() << "one core";
  int last = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &usable)) last = core;
  }
  ASSERT_TRUE(config_.set("RMA_AGENT_CORE", std::to_string(last)).ok());
  start("on");
  const std::vector<cpu_set_t> agents = cores_of_agents();
  ASSERT_EQ(agents.size(), 2U);
  for (const cpu_set_t& cores : agents) {
    EXPECT_EQ(CPU_COUNT(&cores), 1);
    EXPECT_TRUE(CPU_ISSET(last, &cores));
  }
}

TEST_F(TargetServiceTest, IsAskedOfEachOtherAtOnce) {
  start("off");
  std::vector<std::uint64_t> memory[2] = {std::vector<std::uint64_t>(50000, 1), std::vector<std::uint64_t>(50000, 2)};
  std::vector<std::uint64_t> read[2] = {std::vector<std::uint64_t>(50000), std::vector<std::uint64_t>(50000)};
  std::atomic<int> done{0};
  const auto rank = [&](std::uint32_t me) {
    const std::uint32_t other = 1 - me;
    const std::vector<transport::RemoteRun> runs = {{address_of(memory[other].data()), 400000}};
    services_[me]->gather(LocalRank(other), runs, read[me].data(), Asking::kUntilDone);
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
    TargetHandler& handler = handler_of_target();
    std::vector<std::byte> overwritten(64, std::byte{1});
    ASSERT_EQ(handler.lock.try_take(LocalRank(2), *segment_), OwnedLock::Taken::kFree);
    EXPECT_EQ(handler.lock.try_take(LocalRank(0), *segment_), OwnedLock::Taken::kNo);
    handler.message = TargetHandler::ActiveMessage::kGather;
    handler.run_count = 1;
    handler.first_address = address_of(overwritten.data());
    handler.first_bytes = static_cast<std::uint32_t>(overwritten.size());
    handler.bytes = handler.first_bytes;
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

/// Calls until() for ten seconds at most; whether it held.
template <typename Until>
bool comes_true(Until&& until) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end) {
    if (until()) return true;
  }
  return false;
}

/// The second rank waits in the library, and the first has another way to its memory.
class TargetThatWaits : public TargetServiceTest {
 protected:
  void begin() {
    start("off");
    segment_->header().usable_cores = 4;
    target_ = std::thread([&] { progress_[1]->wait([&] { return done_.load(); }); });
  }
  void TearDown() override {
    done_ = true;
    memory::wake(segment_->rank(LocalRank(1)).doorbell);
    target_.join();
    TargetServiceTest::TearDown();
  }
  std::atomic<bool> done_{false};
  std::thread target_;
};

TEST_F(TargetThatWaits, MovesDataOfAnyLength) {
  begin();
  for (const std::size_t bytes : {1U, 8U, 31U, 32U, 33U, 1000U, 65536U}) {
    std::vector<unsigned char> theirs(bytes, 0);
    std::vector<unsigned char> mine(bytes);
    std::vector<unsigned char> back(bytes, 0);
    for (std::size_t i = 0; i < bytes; ++i) mine[i] = static_cast<unsigned char>(i * 7 + bytes);
    ASSERT_TRUE(comes_true([&] { return put(theirs.data(), mine.data(), bytes); })) << bytes;
    const std::vector<transport::RemoteRun> halves = {{address_of(theirs.data()), bytes / 2},
                                                      {address_of(theirs.data() + bytes / 2), bytes - bytes / 2}};
    const auto get = [&] { return services_[0]->gather(LocalRank(1), halves, back.data(), Asking::kWhileItPolls); };
    ASSERT_TRUE(comes_true(get)) << bytes;
    EXPECT_EQ(theirs, mine) << bytes;
    EXPECT_EQ(back, mine) << bytes;
  }
}

TEST_F(TargetThatWaits, CombinesElements) {
  begin();
  for (const std::size_t count : {1U, 2U, 3U, 5U, 4096U}) {
    std::vector<double> theirs(count);
    std::vector<double> operand(count);
    std::vector<double> old(count, -1);
    for (std::size_t i = 0; i < count; ++i) {
      theirs[i] = static_cast<double>(i);
      operand[i] = static_cast<double>(10 * i + 1);
    }
    const std::vector<double> before = theirs;
    Combination what{address_of(theirs.data()), count * sizeof(double), datatype::PredefinedOp::kSum,
                     datatype::Basic::kDouble,  operand.data(),         old.data()};
    const auto combine = [&] { return services_[0]->combine(LocalRank(1), what, Asking::kWhileItPolls); };
    ASSERT_TRUE(comes_true(combine)) << count;
    EXPECT_EQ(old, before) << count;
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(theirs[i], before[i] + operand[i]) << i << " of " << count;
    what.op = datatype::PredefinedOp::kReplace;
    what.old = nullptr;
    ASSERT_TRUE(comes_true(combine)) << count;
    EXPECT_EQ(theirs, operand) << count;
    what.op = datatype::PredefinedOp::kNoOp;
    what.operand = nullptr;
    what.old = old.data();
    ASSERT_TRUE(comes_true(combine)) << count;
    EXPECT_EQ(theirs, operand) << count;
    EXPECT_EQ(old, operand) << count;
  }
}

TEST_F(TargetThatWaits, ComparesAndSwaps) {
  begin();
  std::uint64_t theirs = 5;
  std::uint64_t old = 0;
  const std::uint64_t wanted = 9;
  const std::uint64_t others[] = {4, 5};
  for (const std::uint64_t compare : others) {
    const Swap what{address_of(&theirs), sizeof theirs, &wanted, &compare, &old};
    ASSERT_TRUE(comes_true([&] { return services_[0]->swap(LocalRank(1), what, Asking::kWhileItPolls); }));
    EXPECT_EQ(old, 5U);
    EXPECT_EQ(theirs, compare == 5 ? wanted : 5);
  }
}

TEST_F(TargetThatWaits, IsWokenByAccessesThatFollowEachOtherClosely) {
  begin();
  const memory::Doorbell& bell = segment_->rank(LocalRank(1)).doorbell;
  ASSERT_TRUE(comes_true([&] { return bell.sleeping.load() != 0; }));
  const std::uint32_t wakes = bell.ticket.load();
  std::uint64_t theirs = 0;
  const std::uint64_t mine = 3;
  EXPECT_TRUE(comes_true([&] { return put(&theirs, &mine, sizeof mine); }));
  EXPECT_NE(bell.ticket.load(), wakes);
  EXPECT_EQ(theirs, mine);
}

TEST_F(TargetThatWaits, IsLeftAsleepByAccessesFarApart) {
  begin();
  const memory::Doorbell& bell = segment_->rank(LocalRank(1)).doorbell;
  ASSERT_TRUE(comes_true([&] { return bell.sleeping.load() != 0; }));
  const std::uint32_t wakes = bell.ticket.load();
  std::uint64_t theirs = 0;
  const std::uint64_t mine = 3;
  for (int i = 0; i < 40; ++i) {
    EXPECT_FALSE(put(&theirs, &mine, sizeof mine));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  EXPECT_EQ(bell.ticket.load(), wakes);
}

TEST_F(TargetServiceTest, IsNotAskedForLongWhereItComputes) {
  start("off");
  segment_->header().usable_cores = 4;
  std::uint64_t theirs = 1;
  const std::uint64_t mine = 2;
  const auto put_mine = [&] { return put(&theirs, &mine, sizeof mine); };
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(put_mine());
  EXPECT_EQ(theirs, 1U);
  // Nothing is left at the handler: a poll of the target finds nothing to do.
  EXPECT_FALSE(progress_[1]->poll());
  EXPECT_EQ(theirs, 1U);
  // It polls again, and is asked again.
  std::atomic<bool> done{false};
  std::thread target([&] {
    while (!done) progress_[1]->poll();
  });
  EXPECT_TRUE(comes_true(put_mine));
  done = true;
  target.join();
  EXPECT_EQ(theirs, mine);
}

TEST_F(TargetServiceTest, IsLeftAloneWhereMoreRanksAreAwakeThanThereAreCores) {
  start("off");
  segment_->header().usable_cores = 1;
  std::atomic<bool> done{false};
  std::thread target([&] {
    while (!done) progress_[1]->poll();
  });
  std::uint64_t theirs = 1;
  const std::uint64_t mine = 2;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(put(&theirs, &mine, sizeof mine));
  done = true;
  target.join();
  EXPECT_EQ(theirs, 1U);
}

TEST_F(TargetServiceTest, ServesWhileItAsks) {
  start("off");
  segment_->header().usable_cores = 4;
  std::uint64_t memory[2] = {0, 0};
  std::atomic<int> answered{0};
  const auto rank = [&](std::uint32_t me) {
    const std::uint64_t one = 1;
    const Combination add{address_of(&memory[1 - me]), sizeof one, datatype::PredefinedOp::kSum,
                          datatype::Basic::kUint64,    &one,       nullptr};
    bool mine = false;
    EXPECT_TRUE(comes_true([&] {
      if (services_[me]->combine(LocalRank(1 - me), add, Asking::kWhileItPolls) && !mine) {
        mine = true;
        ++answered;
      }
      return answered.load() == 2;
    }));
  };
  std::thread second(rank, 1);
  rank(0);
  second.join();
  EXPECT_GE(memory[0], 1U);
  EXPECT_GE(memory[1], 1U);
}

TEST_F(TargetServiceTest, AnswersNoWhereItDiesWithAClaimedMessage) {
  start("off");
  segment_->header().usable_cores = 4;
  TargetHandler& handler = handler_of_target();
  std::uint64_t theirs = 1;
  const std::uint64_t mine = 2;
  std::atomic<bool> claimed{false};
  std::thread target([&] {
    while (!claimed) {
      std::uint32_t asked = TargetHandler::kAsked;
      claimed = handler.state.compare_exchange_weak(asked, TargetHandler::kServing);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    memory::publish_death(*segment_, LocalRank(1));
  });
  EXPECT_TRUE(comes_true([&] {
    EXPECT_FALSE(put(&theirs, &mine, sizeof mine));
    return claimed.load();
  }));
  target.join();
  EXPECT_EQ(handler.state.load(), TargetHandler::kIdle);
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
