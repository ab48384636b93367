// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Farms of threads whose data are large and go from Inputs to Calculate and on to Outputs without passing the server.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "farm_of_threads.hpp"
#include "support/sanitized.hpp"
#include "wire/message.hpp"

namespace starling::farm::direct_test {
namespace {

constexpr long kDirectTasks = kUnderSanitizer ? 64 : 256;

struct Load {
  long number = 0;
  std::string bytes;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, bytes);
  }
  bool is_good(char last) const {
    return !bytes.empty() && bytes == std::string(bytes.size() - 1, static_cast<char>(number)) + last;
  }
};

struct Plan {
  Tree tree;
  Options options = quiet();
  long count = 100;
  std::vector<std::size_t> sizes{1000};  ///< Of the pieces, one after the other.
  int root_threads = 0;
  unsigned task_us = 0;
  int slow = -1;  ///< Where a task takes slow_ms.
  unsigned slow_ms = 0;
  std::set<int> idle{};                ///< Processes without threads.
  std::atomic<long>* begun = nullptr;  ///< Tasks that are being calculated, or were; each waits until all are.
  std::atomic<int>* grows = &never_grows;
  long fails_at = -1;  ///< The result that no Output takes.
  int victim = -1;     ///< Until it is dead, nobody else calculates.
  const std::atomic<bool>* killed = nullptr;
};

/// What all Outputs have taken.
struct Taken {
  std::mutex mutex;
  std::map<int, std::vector<long>> by_output;
  int broken = 0;
  std::map<long, int> counts() {
    std::map<long, int> counts;
    for (const auto& [output, numbers] : by_output) {
      for (const long number : numbers) ++counts[number];
    }
    return counts;
  }
};

/// Of several Inputs each gives every n-th piece.
struct Share {
  const Plan* plan;
  long next = 0;
  long step = 1;
  void start(Place place) {
    next = place.index;
    step = place.count;
  }
  std::optional<Load> operator()() {
    if (next >= plan->count) return std::nullopt;
    const long number = std::exchange(next, next + step);
    const std::size_t size = plan->sizes[static_cast<std::size_t>(number) % plan->sizes.size()];
    return Load{number, std::string(size, static_cast<char>(number)) + "i"};
  }
};

struct Calculate {
  const Plan* plan;
  int rank = 0;
  void start(Worker worker) { rank = worker.rank; }
  Load operator()(const Load& load) const {
    if (!load.is_good('i')) return Load{load.number, "broken"};
    for (int i = 0; plan->victim >= 0 && rank != plan->victim && !*plan->killed && i < 4000; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (plan->begun != nullptr) ++*plan->begun;
    for (int i = 0; plan->begun != nullptr && *plan->begun < plan->count && i < 1000; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (plan->slow == rank) std::this_thread::sleep_for(std::chrono::milliseconds(plan->slow_ms));
    if (plan->task_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(plan->task_us));
    Load result = load;
    result.bytes.back() = 'o';
    return result;
  }
};

struct Collect {
  const Plan* plan;
  Taken* taken;
  int index = 0;
  void start(Place place) { index = place.index; }
  void operator()(const Load& load) {
    const std::lock_guard lock(taken->mutex);
    if (load.number == plan->fails_at) throw std::runtime_error("no more room");
    if (!load.is_good('o')) ++taken->broken;
    taken->by_output[index].push_back(load.number);
  }
};

/// Every process on a thread of its own, the spares too; `meanwhile` may kill some.
NodeOutcome run(const Plan& plan, Net& net, Taken& taken, const std::function<void()>& meanwhile = {}) {
  const auto with_program = [&](const auto& go) {
    Share input{&plan};
    Collect output{&plan, &taken};
    const Calculate calculate{&plan};
    detail::TypedProgram program(input, calculate, output);
    return go(program);
  };
  const auto run_place = [&](int rank, int place, const Tree& tree, const std::vector<Replacement>& replaced) {
    return with_program([&](Program& program) {
      ThreadLink link(net, rank, place);
      const int threads = place == 0 ? plan.root_threads : plan.idle.contains(rank) ? 0 : 1;
      std::atomic<int>* const grows = rank == 0 ? plan.grows : &never_grows;
      return run_node(plan.options, program, link, tree, {threads, &kNobodyAsks, grows, 0, replaced});
    });
  };
  const auto size = static_cast<int>(plan.tree.nodes.size());
  const Watchdog watchdog(net.story());
  std::vector<std::jthread> ranks;
  for (int rank = 1; rank < size + plan.tree.spares; ++rank) {
    ranks.emplace_back([&, rank] {
      try {
        if (rank < size) return void(run_place(rank, rank, part_of(plan.tree, rank), {}));
        const std::string text = net.wait_for_call(rank);
        if (text.find_first_not_of("0123456789") == 0) return;  // kEndOfSpares and the like
        const Assignment assignment = assignment_of_text(text);
        run_place(rank, assignment.place, assignment.tree, assignment.replaced);
      } catch (const Killed&) {
      } catch (const std::runtime_error&) {  // the server is dead, or has failed
      }
    });
  }
  std::jthread joins;
  net.grow_by([&] {
    joins = std::jthread([&] { run_place(size, 1, tree_of({-1, 0}), {}); });
    return size;
  });
  std::jthread killer([&] {
    if (meanwhile) meanwhile();
  });
  return run_place(0, 0, plan.tree, {});
}

Tree tree_with(const std::vector<int>& parents, const std::vector<int>& inputs, const std::vector<int>& outputs) {
  Tree tree = tree_of(parents);
  tree.input_nodes = inputs;
  tree.output_nodes = outputs;
  return tree;
}

std::map<long, int> each_once(long count) {
  std::map<long, int> counts;
  for (long number = 0; number < count; ++number) counts[number] = 1;
  return counts;
}

TEST(FarmDirectData, PassByTheServer) {
  for (const Order order : {Order::kAny, Order::kInput}) {
    for (const auto& [inputs, outputs] : std::vector<std::pair<std::vector<int>, std::vector<int>>>{
             {{1}, {2}}, {{3}, {3}}, {{1, 4}, {2, 3}}, {{4}, {1}}}) {
      Plan plan{tree_with({-1, 0, 0, 1, 2}, inputs, outputs)};
      plan.options.order = order;
      plan.sizes = {64 * 1024};
      plan.count = kDirectTasks;
      Net net(5);
      Taken taken;
      const NodeOutcome outcome = run(plan, net, taken);
      ASSERT_FALSE(outcome.error);
      EXPECT_EQ(taken.counts(), each_once(plan.count));
      EXPECT_EQ(taken.broken, 0);
      EXPECT_EQ(net.unread(), 0U);
      const std::size_t all = std::size_t{2 * 64 * 1024} * kDirectTasks;
      EXPECT_LT(net.bytes_of(0), all / 100);
      EXPECT_LT(outcome.summary.nodes[0].bytes, all / 100);
      EXPECT_GT(outcome.summary.nodes[0].bytes, 0U);
      for (const auto& [output, numbers] : taken.by_output) {
        EXPECT_TRUE(order == Order::kAny || inputs.size() > 1 || std::is_sorted(numbers.begin(), numbers.end()));
      }
    }
  }
}

TEST(FarmDirectData, AreFetchedForTheThreadsOfTheServer) {
  for (const auto& [inputs, outputs] : std::vector<std::pair<std::vector<int>, std::vector<int>>>{
           {{1}, {2}}, {{1}, {0}}, {{0}, {1}}, {{2}, {0, 2}}, {{1, 0}, {2}}}) {
    Plan plan{tree_with({-1, 0, 0}, inputs, outputs)};
    plan.root_threads = 2;
    plan.count = kUnderSanitizer ? 150 : 600;
    plan.task_us = 50;
    plan.sizes = {1000, 8, 128, 129, 200'000};
    Net net(3);
    Taken taken;
    const NodeOutcome outcome = run(plan, net, taken);
    ASSERT_FALSE(outcome.error);
    EXPECT_EQ(taken.counts(), each_once(plan.count));
    EXPECT_EQ(taken.broken, 0);
    EXPECT_EQ(net.unread(), 0U);
    EXPECT_GT(outcome.summary.nodes[0].tasks, 0U);
  }
}

/// 1 has a result, of which the Output is told, and dies before it hears that the Output will ask for it.
TEST(FarmDirectData, AreCalculatedAgainWhereTheResultDied) {
  for (const Order order : {Order::kAny, Order::kInput}) {
    Plan plan{tree_with({-1, 0, 0, 0}, {2}, {3})};
    plan.options.order = order;
    std::atomic<bool> killed{false};
    plan.victim = 1;
    plan.killed = &killed;
    Net net(4);
    net.kill_at([&](int, int to, const Buffer& message) {
      return killed = to == 1 && header_of(message).kind == MessageKind::kMeet;
    });
    Taken taken;
    const NodeOutcome outcome = run(plan, net, taken, [] {});
    ASSERT_FALSE(outcome.error);
    EXPECT_EQ(taken.counts(), each_once(plan.count));
    EXPECT_EQ(outcome.summary.lost_processes, 1);
    EXPECT_GT(outcome.summary.retries, 0U);
    EXPECT_FALSE(outcome.summary.share_lost);
    const std::vector<long>& numbers = taken.by_output[0];
    EXPECT_TRUE(order == Order::kAny || std::is_sorted(numbers.begin(), numbers.end()));
  }
}

/// The Input of 2 dies when the first asks for its data; that of 3 goes on.
TEST(FarmDirectData, AreLostWithTheirInput) {
  for (const Order order : {Order::kAny, Order::kInput}) {
    Plan plan{tree_with({-1, 0, 0, 0}, {2, 3}, {1})};
    plan.options.order = order;
    plan.options.stragglers_twice = false;
    plan.idle = {2};  // nobody asks it for a result, perhaps before any of its pieces has come
    Net net(4);
    net.kill_at(
        [](int, int to, const Buffer& message) { return to == 2 && header_of(message).kind == MessageKind::kAsk; });
    Taken taken;
    const NodeOutcome outcome = run(plan, net, taken, [] {});
    ASSERT_FALSE(outcome.error);
    ASSERT_EQ(outcome.summary.lost_shares.size(), 1U);
    const LostShare& share = outcome.summary.lost_shares[0];
    EXPECT_EQ(share.rank, 2);
    EXPECT_GT(share.lost, 0U);
    EXPECT_LE(share.lost, share.came);
    EXPECT_EQ(outcome.summary.exit_code(), 4);
    const std::map<long, int> counts = taken.counts();
    for (long number = 1; number < plan.count; number += 2) EXPECT_EQ(counts.count(number), 1U) << number;
    EXPECT_EQ(counts.size(), static_cast<std::size_t>(plan.count) / 2 + share.came - share.lost);
  }
}

/// The Input has ended, and dies when all is being calculated: others who begin the same ask it in vain.
TEST(FarmDirectData, AreNotLostWhileTheyAreCalculated) {
  for (const int root_threads : {0, 1}) {
    Plan plan{root_threads > 0 ? tree_with({-1, 0, 0}, {1}, {0}) : tree_with({-1, 0, 0, 0, 0}, {1}, {0})};
    std::atomic<long> begun{0};
    plan.count = 2;
    plan.root_threads = root_threads;
    plan.idle = {1};
    plan.begun = &begun;
    if (root_threads > 0) {
      plan.slow = 2;
      plan.slow_ms = 300;
    } else {
      plan.task_us = 200'000;
    }
    Net net(5);
    Taken taken;
    const NodeOutcome outcome = run(plan, net, taken, [&] {
      while (begun < plan.count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      net.kill(1);
    });
    ASSERT_FALSE(outcome.error);
    EXPECT_EQ(taken.counts(), each_once(plan.count));
    EXPECT_EQ(outcome.summary.lost_processes, 1);
    EXPECT_TRUE(outcome.summary.lost_shares.empty());
  }
}

/// A process that joins later can talk to the server alone, which fetches what that process is given, and no more.
TEST(FarmDirectData, AreFetchedForOneThatJoinsOnlyAsItCalculates) {
  Plan plan{tree_with({-1, 0, 0, 0}, {1}, {2})};
  std::atomic<int> grows{1};
  plan.sizes = {64 * 1024};
  plan.count = 500;
  plan.task_us = 2000;
  plan.idle = {1};
  plan.slow = 1;  // what the joining process calls itself
  plan.slow_ms = 20;
  plan.grows = &grows;
  Net net(5);
  Taken taken;
  const NodeOutcome outcome = run(plan, net, taken);
  ASSERT_FALSE(outcome.error);
  EXPECT_EQ(taken.counts(), each_once(plan.count));
  EXPECT_EQ(taken.broken, 0);
  EXPECT_EQ(outcome.summary.processes, 5);
  const auto calculated = [&](int rank) {
    const auto& nodes = outcome.summary.nodes;
    const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const auto& each) { return each.rank == rank; });
    return node != nodes.end() ? node->tasks : 0;
  };
  EXPECT_GT(calculated(4), 0U);
  // The piece and the result of each, both in and out; a few may be on their way.
  const std::size_t for_one = std::size_t{4} * 64 * 1024;
  EXPECT_LT(net.bytes_of(0), for_one * (calculated(4) + 20));
}

/// A random farm, of which any process but the server may die, or an Output may fail.
struct Storm {
  explicit Storm(std::uint64_t seed) : random(seed) {
    const int size = 3 + below(6);
    std::vector<int> parents{-1};
    for (int rank = 1; rank < size; ++rank) parents.push_back(below(rank));
    plan.tree = tree_with(parents, some_of(size), some_of(size));
    plan.tree.spares = below(2) == 0 ? 0 : below(6);
    plan.tree.restarts = below(4);
    plan.options.attempts = 100;
    plan.options.summary = false;
    plan.options.order = below(2) == 0 ? Order::kAny : Order::kInput;
    plan.count = 300;
    plan.root_threads = below(2);
    plan.task_us = static_cast<unsigned>(below(200));
    if (below(3) > 0) plan.sizes = {500, 3000};
    if (below(2) == 0) plan.sizes.push_back(20);
    if (below(6) == 0) plan.fails_at = below(300);
    for (int rank = 1; rank < size + plan.tree.spares; ++rank) {
      if (below(3) == 0) victims.push_back(rank);
    }
    std::shuffle(victims.begin(), victims.end(), random);
    if (below(5) == 0) victims.clear();
    for (std::size_t i = 0; i < victims.size(); ++i) pauses_us.push_back(below(8000));
  }

  int below(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }
  std::vector<int> some_of(int size) {
    std::vector<int> all;
    for (int rank = 0; rank < size; ++rank) all.push_back(rank);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(1 + random() % 2);
    return all;
  }

  std::mt19937_64 random;
  Plan plan;
  std::vector<int> victims;
  std::vector<int> pauses_us;
};

/// Nothing came twice, and nothing is missing but what the run said. Returns how many died.
int check(const Storm& storm, const NodeOutcome& outcome, Taken& taken) {
  EXPECT_EQ(taken.broken, 0);
  const std::map<long, int> counts = taken.counts();
  for (const auto& [number, count] : counts) EXPECT_EQ(count, 1) << number;
  if (outcome.error) {
    EXPECT_TRUE(storm.plan.fails_at >= 0 || !storm.victims.empty());
    return outcome.summary.lost_processes;
  }
  const Summary& summary = outcome.summary;
  const auto inputs = static_cast<long>(storm.plan.tree.inputs().size());
  std::set<long> missing;
  for (long number = 0; number < storm.plan.count; ++number) {
    if (!counts.contains(number)) missing.insert(number);
  }
  std::uint64_t lost = summary.quarantine.size();
  for (const LostShare& share : summary.lost_shares) {
    lost += share.lost;
    if (share.of == LostShare::Of::kOutput) continue;
    std::erase_if(missing, [&](long number) {
      return number % inputs == share.index && number / inputs >= static_cast<long>(share.came);
    });
  }
  EXPECT_LE(missing.size(), lost);
  EXPECT_EQ(summary.share_lost, !summary.lost_shares.empty());
  EXPECT_TRUE(!storm.victims.empty() || missing.empty());
  return summary.lost_processes;
}

TEST(FarmDirectData, LoseOnlyTheSharesOfTheDead) {
  const char* const wanted = std::getenv("FARM_STORMS");
  const char* const from = std::getenv("FARM_FIRST_STORM");
  const std::uint64_t first = from != nullptr ? std::strtoull(from, nullptr, 10) : 1;
  const std::uint64_t storms = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 60;
  int deaths = 0;
  for (std::uint64_t seed = first; seed < first + storms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Storm storm(seed);
    Net net(static_cast<int>(storm.plan.tree.nodes.size()) + storm.plan.tree.spares);
    net.take_time(seed, "direct data, storm of seed " + std::to_string(seed));
    Taken taken;
    const NodeOutcome outcome = run(storm.plan, net, taken, [&] {
      for (std::size_t i = 0; i < storm.victims.size(); ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(storm.pauses_us[i]));
        net.kill(storm.victims[i]);
      }
    });
    deaths += check(storm, outcome, taken);
    if (storm.victims.empty()) {
      EXPECT_EQ(net.unread(), 0U);
    }
  }
  EXPECT_GT(3 * deaths, static_cast<int>(storms));
}

}  // namespace
}  // namespace starling::farm::direct_test
