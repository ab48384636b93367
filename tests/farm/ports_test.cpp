// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Farms with several Inputs and Outputs, on any process, and with stages; the processes are threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "run/node.hpp"
#include "starling/farm.hpp"
#include "task/task_name.hpp"
#include "temporary_path.hpp"
#include "thread_link.hpp"

namespace starling::farm::ports_test {
namespace {

const std::atomic<bool> kNobodyAsks{false};
std::atomic<int> never_grows{0};

/// What all Outputs of a farm saw, over all its runs.
struct Seen {
  std::mutex mutex;
  int refused = 0;  ///< results at which an Output threw
  std::map<int, std::vector<long>> by_output;
  std::atomic<bool> over{false};
  std::set<int> statuses;  ///< of all processes that lived, of the last run

  std::map<long, int> counts() {
    std::map<long, int> counts;
    for (const auto& [output, numbers] : by_output) {
      for (const long number : numbers) ++counts[number];
    }
    return counts;
  }
};

std::map<long, int> each_once(long count) {
  std::map<long, int> counts;
  for (long number = 0; number < count; ++number) counts[number] = 1;
  return counts;
}

/// One process's Input: of several each gives every n-th number below `count`.
struct Share {
  long count;
  long next = 0;
  long step = 1;
  void start(Place place) {
    next = place.index;
    step = place.count;
  }
  std::optional<long> operator()() {
    if (next >= count) return std::nullopt;
    next += step;
    return next - step;
  }
};

/// One process's Output. The `fails_at`-th result is not taken.
struct Collect {
  Seen* seen;
  int fails_at = -1;
  int index = 0;
  int taken = 0;
  void start(Place place) { index = place.index; }
  void operator()(long number) {
    const std::lock_guard lock(seen->mutex);
    if (++taken == fails_at) {
      ++seen->refused;
      throw std::runtime_error("no more room");
    }
    seen->by_output[index].push_back(number);
  }
};

struct Plan {
  std::vector<int> parents;
  std::vector<int> inputs;
  std::vector<int> outputs;
  Options options{};
  long count = 300;
  int fails_at = -1;  ///< In the first Output.
};

Options quiet() {
  Options options;
  options.progress = Progress::kOff;
  return options;
}

Tree tree_of(const Plan& plan) {
  Tree tree;
  tree.nodes.resize(plan.parents.size());
  for (std::size_t rank = 0; rank < plan.parents.size(); ++rank) {
    const int parent = tree.nodes[rank].parent = plan.parents[rank];
    if (parent >= 0) tree.nodes[static_cast<std::size_t>(parent)].children.push_back(static_cast<int>(rank));
  }
  tree.input_nodes = plan.inputs;
  tree.output_nodes = plan.outputs;
  return tree;
}

/// Every rank on a thread of its own, with an Input and an Output of its own; `meanwhile` may kill some.
template <class Calculate>
NodeOutcome run(const Plan& plan, const Calculate& calculate, Seen& seen,
                const std::function<void(Net&)>& meanwhile = {}) {
  const Tree tree = tree_of(plan);
  Net net(static_cast<int>(plan.parents.size()));
  const auto run_rank = [&](int rank) {
    Share input{plan.count};
    const bool first = !tree.outputs().empty() && tree.outputs()[0] == rank;
    Collect output{&seen, first ? plan.fails_at : -1};
    detail::TypedProgram program(input, calculate, output);
    ThreadLink link(net, rank);
    return run_node(plan.options, program, link, tree, {1, &kNobodyAsks, &never_grows});
  };
  seen.statuses.clear();
  seen.over = false;
  std::vector<std::jthread> ranks;
  for (int rank = 1; rank < static_cast<int>(plan.parents.size()); ++rank) {
    ranks.emplace_back([&, rank] {
      try {
        const int status = run_rank(rank).summary.exit_code();
        const std::lock_guard lock(seen.mutex);
        seen.statuses.insert(status);
      } catch (const Killed&) {
      }
    });
  }
  std::jthread killer([&] {
    if (meanwhile) meanwhile(net);
  });
  NodeOutcome outcome = run_rank(0);
  seen.over = true;
  ranks.clear();
  seen.statuses.insert(outcome.summary.exit_code());
  return outcome;
}

/// Kills it once so many results have been taken, if the run comes so far; of one Input of so many alone, if that is
/// said.
std::function<void(Net&)> kill_after(Seen& seen, int victim, std::size_t results, long input = 0, long inputs = 1) {
  return [=, &seen](Net& net) {
    for (; !seen.over; std::this_thread::sleep_for(std::chrono::microseconds(100))) {
      const std::lock_guard lock(seen.mutex);
      std::size_t taken = 0;
      for (const auto& [output, numbers] : seen.by_output) {
        taken += static_cast<std::size_t>(
            std::count_if(numbers.begin(), numbers.end(), [&](long number) { return number % inputs == input; }));
      }
      if (taken >= results) return net.kill(victim);
    }
  };
}

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::runtime_error& known) {
    return known.what();
  }
}

const auto kSame = [](long number) { return number; };

/// Each number becomes `parts` of them, through a stage in between that passes them on.
auto dividing(long parts) {
  return stages(
      [parts](long number) {
        std::vector<long> all;
        for (long i = 0; i < parts; ++i) all.push_back(number * parts + i);
        return all;
      },
      [](long number) { return std::vector<std::string>{std::to_string(number)}; },
      [](const std::string& text) { return std::stol(text); });
}

TEST(FarmPorts, RunInputsAndOutputsAnywhere) {
  const std::vector<std::pair<std::vector<int>, std::vector<int>>> places{
      {{1}, {0}}, {{0}, {2}}, {{3}, {3}}, {{0, 1, 3}, {0}}, {{2}, {0, 1}}, {{1, 0}, {3, 2, 0}}};
  for (const auto& [inputs, outputs] : places) {
    for (const Order order : {Order::kAny, Order::kInput}) {
      Plan plan{{-1, 0, 0, 1}, inputs, outputs, quiet()};
      plan.options.order = order;
      Seen seen;
      const NodeOutcome outcome = run(plan, kSame, seen);
      ASSERT_FALSE(outcome.error);
      EXPECT_EQ(outcome.summary.tasks, 300U);
      EXPECT_EQ(seen.counts(), each_once(300));
      EXPECT_EQ(seen.by_output.size(), outputs.size());
      if (order == Order::kAny || inputs.size() > 1) continue;
      for (const auto& [output, numbers] : seen.by_output) {
        EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
      }
    }
  }
}

TEST(FarmPorts, HoldTheirInputBackWhileOutputIsSlow) {
  struct Slow {
    std::atomic<int>* taken;
    void operator()(long) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++*taken;
    }
  };
  std::atomic<int> made{0};
  std::atomic<int> taken{0};
  int most = 0;
  const auto input = [&]() -> std::optional<long> {
    if (made == 300) return std::nullopt;
    most = std::max(most, made - taken);
    return made++;
  };
  const Tree tree = tree_of({{-1, 0, 0}, {1}, {2}});
  Net net(3);
  Slow output{&taken};
  detail::TypedProgram program(input, kSame, output);
  std::vector<std::jthread> ranks;
  for (const int rank : {1, 2, 0}) {
    ranks.emplace_back([&, rank] {
      ThreadLink link(net, rank);
      run_node(quiet(), program, link, tree, {1, &kNobodyAsks, &never_grows});
    });
  }
  ranks.clear();
  EXPECT_EQ(taken, 300);
  // All 300 where nothing holds it back. On a machine that stalls the way to the output and back takes 100 ms and more,
  // and a window hides the way.
  EXPECT_LT(most, 200);
}

TEST(FarmPorts, EndTheRunWhenTheyThrow) {
  Plan plan{{-1, 0, 1}, {0}, {2}, quiet()};
  plan.fails_at = 100;
  plan.count = 1'000'000;
  Seen seen;
  const NodeOutcome outcome = run(plan, kSame, seen);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(text_of(outcome.error), "farm: Input or Output of rank 2: no more room");
  EXPECT_EQ(seen.counts().size(), 99U);
}

const auto kSlowly = [](long number) {
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  return number;
};

/// What came of the dead one's Input and nothing else of it; of the other Inputs all.
TEST(FarmPorts, MissOnlyTheShareOfAnInputThatDies) {
  for (const Order order : {Order::kAny, Order::kInput}) {
    for (const std::vector<int>& inputs : std::vector<std::vector<int>>{{1, 2, 0}, {2}}) {
      Plan plan{{-1, 0, 0, 1, 2}, inputs, {0, 3}, quiet()};
      plan.options.order = order;
      plan.count = inputs.size() == 1 ? 1'000'000 : 3'000;
      const auto step = static_cast<long>(inputs.size());
      const long victim = step == 1 ? 0 : 1;
      Seen seen;
      const NodeOutcome outcome = run(plan, kSlowly, seen, kill_after(seen, 2, 40, victim, step));
      ASSERT_FALSE(outcome.error) << text_of(outcome.error);
      EXPECT_EQ(seen.statuses, (std::set<int>{4}));  // nobody takes it for a complete one
      ASSERT_EQ(outcome.summary.lost_shares.size(), 1U);
      const LostShare& share = outcome.summary.lost_shares[0];
      EXPECT_EQ(share.of, LostShare::Of::kInput);
      EXPECT_EQ(share.rank, 2);
      EXPECT_EQ(share.index, victim);
      EXPECT_GT(share.came, 0U);
      EXPECT_LT(static_cast<long>(share.came), plan.count / step);
      std::map<long, int> wanted;
      for (long number = 0; number < plan.count; ++number) {
        if (number % step != victim || number / step < static_cast<long>(share.came)) wanted[number] = 1;
      }
      EXPECT_EQ(seen.counts(), wanted);
      EXPECT_EQ(outcome.summary.tasks, wanted.size());
    }
  }
}

/// What it may have taken and not told of is given to nobody else, and counted; the other Output gets all the rest.
TEST(FarmPorts, LoseOnlyWhatWasOnItsWayToAnOutputThatDies) {
  for (const bool staged : {false, true}) {
    for (const Order order : {Order::kAny, Order::kInput}) {
      Plan plan{{-1, 0, 0, 1}, {1}, {2, 3}, quiet()};
      plan.options.order = order;
      plan.count = staged ? 300 : 3'000;
      Seen seen;
      const auto killer = kill_after(seen, 2, 100);
      const NodeOutcome outcome = staged ? run(plan, dividing(10), seen, killer) : run(plan, kSlowly, seen, killer);
      ASSERT_FALSE(outcome.error) << text_of(outcome.error);
      EXPECT_EQ(seen.statuses, (std::set<int>{4}));
      ASSERT_EQ(outcome.summary.lost_shares.size(), 1U);
      const LostShare& share = outcome.summary.lost_shares[0];
      EXPECT_EQ(share.of, LostShare::Of::kOutput);
      EXPECT_EQ(share.rank, 2);
      EXPECT_EQ(share.index, 0);
      EXPECT_EQ(outcome.summary.tasks + share.lost, 3'000U);
      const auto counts = seen.counts();
      for (const auto& [number, count] : counts) EXPECT_EQ(count, 1) << number;
      EXPECT_LE(counts.size(), 3'000U);
      EXPECT_GE(counts.size() + share.lost, 3'000U);
      EXPECT_EQ(share.came + seen.by_output[1].size(), outcome.summary.tasks);
    }
  }
}

TEST(FarmPorts, EndTheRunWhenNoOutputIsLeft) {
  Plan plan{{-1, 0, 0, 1}, {1}, {2}, quiet()};
  plan.count = 1'000'000;
  Seen seen;
  const NodeOutcome outcome = run(plan, kSame, seen, kill_after(seen, 2, 100));
  ASSERT_TRUE(outcome.error);
  EXPECT_NE(text_of(outcome.error).find("farm: rank 2, where the last Output ran, is dead"), std::string::npos);
  EXPECT_EQ(seen.statuses, (std::set<int>{3}));
}

/// The server hears from it by itself, and of its parent's death from others later.
TEST(FarmPorts, JoinTheServerBeforeItKnowsThatTheyAreOrphans) {
  Plan plan{{-1, 0, 1}, {2}, {0}, quiet()};
  plan.count = 2'000;
  plan.options.attempts = 100;
  Seen seen;
  const NodeOutcome outcome = run(plan, kSlowly, seen, [&](Net& net) {
    net.keep_deaths_from(0, true);
    kill_after(seen, 1, 100)(net);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    net.keep_deaths_from(0, false);
  });
  EXPECT_EQ(outcome.summary.lost_processes, 1);
  EXPECT_EQ(outcome.summary.nodes.size(), 2U);  // it has said Bye
  EXPECT_EQ(seen.counts(), each_once(2'000));
}

/// Resumed, the run makes up what was missing, whatever died.
TEST(FarmPorts, MakeUpWhatTheirDeathsLeftOut) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const TemporaryPath journal("ports");
    Plan plan{{-1, 0, 1, 0, 3, 2}, {1, 4, 0}, {2, 4, 5}, quiet()};
    plan.options.journal = journal.path;
    plan.options.order = seed % 2 == 0 ? Order::kAny : Order::kInput;
    const bool staged = seed % 4 < 2;
    plan.count = staged ? 200 : 1000;
    Seen seen;
    const auto go = [&](const std::function<void(Net&)>& killer) {
      return staged ? run(plan, dividing(5), seen, killer) : run(plan, kSlowly, seen, killer);
    };
    std::size_t taken = 0;
    for (int kills = 0; kills < 3; ++kills) {
      go([&](Net& net) {
        kill_after(seen, 1 + static_cast<int>(random() % 5), taken + random() % 150)(net);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
        net.kill(1 + static_cast<int>(random() % 5));
      });
      taken = seen.counts().size();
      plan.options.start = Start::kResume;
    }
    const NodeOutcome outcome = go({});
    ASSERT_FALSE(outcome.error) << text_of(outcome.error);
    EXPECT_EQ(seen.statuses, (std::set<int>{0}));
    EXPECT_EQ(seen.counts(), each_once(1000));
  }
}

TEST(FarmPorts, GoOnWhereTheirJournalsEnd) {
  const TemporaryPath journal("ports");
  const std::vector<Plan> plans{{{-1}, {}, {}, quiet()}, {{-1, 0, 0, 1}, {0, 3}, {2, 0}, quiet()}};
  for (const bool staged : {false, true}) {
    for (int i = 0; i < 4; ++i) {
      const TemporaryPath fresh("ports");
      Plan plan = plans[static_cast<std::size_t>(i % 2)];
      plan.options.order = i < 2 ? Order::kAny : Order::kInput;
      plan.options.journal = journal.path;
      Seen seen;
      const auto go = [&] { return staged ? run(plan, dividing(3), seen) : run(plan, kSame, seen); };
      for (const int fails_at : {60, 30, -1}) {
        plan.fails_at = fails_at;
        const int before = seen.refused;
        const NodeOutcome outcome = go();
        EXPECT_EQ(static_cast<bool>(outcome.error), seen.refused > before);
        // Of two Outputs the first may get less than so much.
        EXPECT_TRUE(!plan.outputs.empty() || (seen.refused > before) == (fails_at > 0));
        plan.options.start = Start::kResume;
      }
      EXPECT_EQ(seen.counts(), each_once(staged ? 900 : 300));
      EXPECT_EQ(go().summary.tasks, 0U);
    }
  }
}

TEST(FarmStages, CalculateWhatEveryStageReturns) {
  for (const long parts : {0, 1, 13}) {
    for (const Order order : {Order::kAny, Order::kInput}) {
      for (const std::vector<int>& parents : std::vector<std::vector<int>>{{-1}, {-1, 0, 1}}) {
        Plan plan{parents, {}, {}, quiet()};
        plan.options.order = order;
        plan.count = 100;
        Seen seen;
        const NodeOutcome outcome = run(plan, dividing(parts), seen);
        ASSERT_FALSE(outcome.error);
        EXPECT_EQ(seen.counts(), each_once(100 * parts));
        const std::vector<long>& taken = seen.by_output[0];
        EXPECT_TRUE(order == Order::kAny || std::is_sorted(taken.begin(), taken.end()));
      }
    }
  }
}

TEST(FarmStages, SetAsideOnlyThePartThatFails) {
  Plan plan{{-1, 0}, {}, {}, quiet()};
  plan.count = 10;
  Seen seen;
  const auto picky = stages(
      [](long n) {
        return std::vector<long>{2 * n, 2 * n + 1};
      },
      [](long n) {
        if (n == 7) throw std::runtime_error("seven");
        return n;
      });
  const NodeOutcome outcome = run(plan, picky, seen);
  EXPECT_EQ(outcome.summary.tasks, 19U);
  ASSERT_EQ(outcome.summary.quarantine.size(), 1U);
  EXPECT_EQ(outcome.summary.quarantine[0].number, 3U);  // the piece that it came of
}

TEST(FarmStages, LoseNothingToDeaths) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    Plan plan{{-1}, {}, {}, quiet()};
    for (unsigned rank = 1; rank < 7; ++rank) plan.parents.push_back(static_cast<int>(random() % rank));
    plan.inputs = {static_cast<int>(random() % 2)};
    plan.outputs = {0, 1};
    plan.options.attempts = 100;
    plan.count = 100;
    Seen seen;
    const NodeOutcome outcome = run(plan, dividing(5), seen, [&](Net& net) {
      for (const int victim : {2, 4, 6}) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
        net.kill(victim);
      }
    });
    ASSERT_FALSE(outcome.error);
    EXPECT_EQ(seen.counts(), each_once(500));
  }
}

TEST(FarmTaskName, TellsPartsOfPartsApart) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> seen;
  const TaskName piece = TaskName::of(3, 77);
  EXPECT_EQ(piece.input(), 3U);
  EXPECT_EQ(piece.number(), 77U);
  for (const std::uint64_t i : {0, 1, 2, 3, 200}) {
    EXPECT_TRUE(seen.emplace(piece.child(i).part, std::vector<std::uint64_t>{i}).second);
    for (const std::uint64_t j : {0, 1, 5, 4000}) {
      EXPECT_TRUE(seen.emplace(piece.child(i).child(j).part, std::vector<std::uint64_t>{i, j}).second);
    }
  }
  for (const auto& [part, path] : seen) EXPECT_EQ((TaskName{piece.piece, part}).path(), path);
  EXPECT_THROW(piece.child(1 << 20).child(1 << 20), std::length_error);
}

}  // namespace
}  // namespace starling::farm::ports_test
