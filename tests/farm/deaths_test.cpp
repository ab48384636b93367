// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Farms of threads in which processes die, and spares take their places.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "farm_of_threads.hpp"
#include "wire/message.hpp"

namespace starling::farm::deaths_test {
namespace {

/// The ranks of a random tree, or of a random graph, and a random selection of its ranks to kill, at random moments.
int storm(std::uint64_t seed, bool is_graph = false, int most_spares = 0, int* restarted = nullptr) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const int size = 2 + static_cast<int>(random() % 7);
  std::vector<int> parents{-1};
  for (int rank = 1; rank < size; ++rank) parents.push_back(static_cast<int>(random() % static_cast<unsigned>(rank)));
  std::vector<std::pair<int, int>> further;
  for (int rank = 2; is_graph && rank < size; ++rank) {
    const int other = static_cast<int>(random() % static_cast<unsigned>(rank));
    if (other != parents[static_cast<std::size_t>(rank)]) further.emplace_back(rank, other);
  }
  Tree tree = graph_of(parents, further);
  tree.spares = most_spares > 0 ? static_cast<int>(random() % static_cast<unsigned>(most_spares + 1)) : 0;
  tree.restarts = static_cast<int>(random() % 4);
  std::vector<int> victims;
  for (int rank = 1; rank < size + tree.spares; ++rank) {
    if (random() % 2 == 0) victims.push_back(rank);
  }
  std::shuffle(victims.begin(), victims.end(), random);
  std::vector<unsigned> pauses_us;
  for (std::size_t i = 0; i < victims.size(); ++i) pauses_us.push_back(static_cast<unsigned>(random() % 4000));
  Options options = quiet();
  options.attempts = 100;
  options.order = random() % 2 == 0 ? Order::kAny : Order::kInput;
  Net net(size + tree.spares);
  const std::string kind = std::string(is_graph ? "graph" : "tree") + (most_spares > 0 ? " with spares" : "");
  net.take_time(seed, "storm of seed " + std::to_string(seed) + ", " + kind);
  const auto task_us = random() % 100;
  Numbers numbers(600, [task_us](long) { std::this_thread::sleep_for(std::chrono::microseconds(task_us)); });
  const Summary summary = run_tree(numbers, options, tree, net, [&] {
    for (std::size_t i = 0; i < victims.size(); ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(pauses_us[i]));
      net.kill(victims[i]);
    }
  });
  EXPECT_TRUE(numbers.exactly_once(summary));
  EXPECT_LE(summary.lost_processes, static_cast<int>(victims.size()));
  EXPECT_LE(summary.restarted, std::min(tree.spares, summary.lost_processes));
  if (restarted != nullptr) *restarted += summary.restarted;
  return summary.lost_processes;
}

TEST(FarmTreeOfProcesses, LosesNothingToDeaths) {
  const char* count = std::getenv("FARM_STORMS");
  const std::uint64_t storms = count != nullptr ? std::strtoull(count, nullptr, 10) : 25;
  int deaths = 0;
  for (std::uint64_t seed = 1; seed <= storms; ++seed) deaths += storm(seed);
  EXPECT_GT(5 * deaths, static_cast<int>(storms));  // that many came while there was work; how many is chance
}

TEST(FarmGraphOfProcesses, LosesNothingToDeaths) {
  const char* count = std::getenv("FARM_STORMS");
  const std::uint64_t storms = count != nullptr ? std::strtoull(count, nullptr, 10) : 25;
  int deaths = 0;
  for (std::uint64_t seed = 1; seed <= storms; ++seed) deaths += storm(seed, true);
  EXPECT_GT(5 * deaths, static_cast<int>(storms));
}

TEST(FarmComebacks, LoseNothingToDeaths) {
  const char* count = std::getenv("FARM_STORMS");
  const std::uint64_t storms = count != nullptr ? std::strtoull(count, nullptr, 10) : 25;
  int restarted = 0;
  for (std::uint64_t seed = 1; seed <= storms; ++seed) {
    storm(seed, false, 8, &restarted);
    storm(seed, true, 8, &restarted);
  }
  EXPECT_GT(5 * restarted, static_cast<int>(storms));
}

/// 1 and then 2, which would have told 3 that another one is in the place of 1, die: 3 knows of nobody but the root.
TEST(FarmComebacks, FindWhoHasLostAllThatWouldTellIt) {
  for (const int spares : {1, 2}) {
    Tree tree = tree_of({-1, 0, 1, 2});
    tree.spares = spares;
    tree.restarts = 1;
    Net net(4 + spares);
    net.kill_at([](int from, int to, const Buffer& message) {
      return from == 0 && to == 2 && header_of(message).kind == MessageKind::kPlaces;
    });
    std::atomic<int> done{0};
    Numbers numbers(2000, [&](long) {
      ++done;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    const Summary summary = run_tree(numbers, quiet(), tree, net, [&] {
      while (done < 500) std::this_thread::yield();
      net.kill(1);
    });
    EXPECT_TRUE(numbers.exactly_once(summary));
    EXPECT_EQ(summary.lost_processes, 2);
    EXPECT_EQ(summary.restarted, spares);
    EXPECT_GT(net.sent(spares == 1 ? 4 : 5, 3), 1U) << "nobody has found it";
  }
}

/// 1 hears of two spares at once: 4 in the place of its child 3, and 5 in that of 2, which is below 3. 5 has known of 4
/// from its beginning and does not come to 1.
TEST(FarmComebacks, WaitForNobodyWhoNeedNotCome) {
  const Tree tree = tree_of({-1, 0, 3, 1});
  Net net(6);
  net.keep_deaths_from(1, true);
  Numbers numbers(0);
  numbers.run(quiet(), [&](const Options& options, Program& program) {
    std::jthread relay([&] {
      ThreadLink link(net, 1);
      try {
        run_node(options, program, link, part_of(tree, 1), {1, &kNobodyAsks, &never_grows});
      } catch (const Killed&) {
      }
    });
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    /// Whether such a message comes from 1.
    const auto comes = [&](int to, MessageKind kind) {
      for (std::shared_ptr<const Buffer> message; std::chrono::steady_clock::now() < until;) {
        if (!net.receive(1, to, message))
          std::this_thread::yield();
        else if (header_of(*message).kind == kind)
          return true;
      }
      return false;
    };
    net.send(3, 1, make_hello({1, {}, {}}));
    EXPECT_TRUE(comes(0, MessageKind::kHello));
    net.send(0, 1, make_list(MessageKind::kPlaces, std::vector<Replacement>{{2, 5, 1}, {3, 4, 1}}));
    net.send(4, 1, make_hello({1, {}, {}}));
    EXPECT_TRUE(comes(4, MessageKind::kPlaces));
    net.send(0, 1, make_word(MessageKind::kStop));
    EXPECT_TRUE(comes(4, MessageKind::kStop));
    net.send(4, 1, make_list(MessageKind::kBye, std::vector<NodeReport>()));
    EXPECT_TRUE(comes(0, MessageKind::kBye)) << "it waits for 5";
    net.kill(1);
    return Summary{};
  });
}

TEST(FarmComebacks, PutASpareInItsPlaceWithWhatIsBelow) {
  // 1, which 2 is below, comes back as 3, and 2 works for it again.
  Tree tree = tree_of({-1, 0, 1});
  tree.spares = 1;
  tree.restarts = 1;
  Net net(4);
  std::atomic<int> done{0};
  Numbers numbers(4000, [&](long) {
    ++done;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  const Summary summary = run_tree(numbers, quiet(), tree, net, [&] {
    while (done < 500) std::this_thread::yield();
    net.kill(1);
  });
  EXPECT_TRUE(numbers.exactly_once(summary));
  EXPECT_EQ(summary.lost_processes, 1);
  EXPECT_EQ(summary.restarted, 1);
  EXPECT_GT(net.sent(0, 3), 10U) << "no work for the one that came back";
  EXPECT_GT(net.sent(3, 2), 10U) << "and none through it";
  EXPECT_LT(net.sent(0, 2), net.sent(3, 2)) << "what was below it has stayed with the root";
  ASSERT_EQ(summary.nodes.size(), 3U);
  EXPECT_GT(summary.nodes[1].tasks, 0U);
}

TEST(FarmComebacks, GiveUpAPlaceWhereEverybodyDies) {
  Tree tree = tree_of({-1, 0, 0});
  tree.nodes[1].name = "bad";
  tree.spares = 5;
  tree.restarts = 2;
  Net net(8);
  std::atomic<int> done{0};
  Numbers numbers(4000, [&](long) {
    ++done;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  const Summary summary = run_tree(numbers, quiet(), tree, net, [&] {
    while (done < 100) std::this_thread::yield();
    for (const int rank : {1, 3, 4}) {
      while (rank > 2 && net.sent(0, rank) == 0) std::this_thread::yield();
      net.kill(rank);
    }
  });
  EXPECT_TRUE(numbers.exactly_once(summary));
  EXPECT_EQ(summary.lost_processes, 3);
  EXPECT_EQ(summary.restarted, 2);
  EXPECT_EQ(summary.given_up, std::vector<std::string>{"bad"});
  EXPECT_EQ(net.sent(0, 5), 0U) << "a spare was wasted";
}

TEST(FarmGraphOfProcesses, WorksForTheNearestParentThatLives) {
  // 3 is below 1, and else below 2.
  const Tree tree = graph_of({-1, 0, 0, 1}, {{3, 2}});
  Net net(4);
  std::atomic<int> done{0};
  std::atomic<bool> killed{false};
  Numbers numbers(4000, [&](long) {
    ++done;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    while (done > 2000 && !killed) std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  std::size_t before_from_2 = 0;
  std::size_t before_from_1 = 0;
  const Summary summary = run_tree(numbers, quiet(), tree, net, [&] {
    while (done < 1000) std::this_thread::yield();
    before_from_1 = net.sent(1, 3);
    before_from_2 = net.sent(2, 3);
    net.kill(1);
    killed = true;
  });
  EXPECT_TRUE(numbers.exactly_once(summary));
  EXPECT_GT(before_from_1, 5U);
  EXPECT_EQ(before_from_2, 0U) << "a further parent gave tasks before it was asked to";
  EXPECT_GT(net.sent(2, 3), 10U) << "3 does not work for 2";
  EXPECT_LE(net.sent(0, 3), 1U) << "the root, which has lost 1, must not have to feed 3; it tells it to stop";
}

/// 2 tells what it still has of the tasks of 1, and then gives their results, before the root hears of the death of 1.
/// Another task may have ended 1, and is to be tried in a process that holds nothing.
TEST(FarmGraphOfProcesses, HoldsNothingOfWhichTheResultHasCome) {
  const Tree tree = graph_of({-1, 0, 1}, {{2, 0}});
  Net net(3);
  net.keep_deaths_from(0, true);
  std::jthread others([&] {  // this test speaks for both
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    /// The next message of this kind from the root; nothing at its end.
    const auto next = [&](int rank, MessageKind kind) {
      for (std::shared_ptr<const Buffer> message; std::chrono::steady_clock::now() < until;) {
        if (!net.receive(0, rank, message))
          std::this_thread::yield();
        else if (header_of(*message).kind == kind)
          return message;
        else if (header_of(*message).kind == MessageKind::kStop)
          break;
      }
      return std::shared_ptr<const Buffer>();
    };
    const auto answer = [&](const Tasks& tasks) {
      Message results(MessageKind::kResults);
      for (const Task& task : tasks) {
        const Slice& bytes = task.value.as<Slice>();
        results.add(task, [&](Buffer& to) { to.append(bytes.data(), bytes.size); });
      }
      net.send(2, 0, results.finish());
    };
    net.send(1, 0, make_hello({2, {}, {}}));
    net.send(2, 0, make_hello({0, {}, {}}));
    Tasks given;
    while (given.size() < 3) {
      for (Task& task : tasks_of(next(1, MessageKind::kTasks))) given.push_back(std::move(task));
    }
    given.pop_back();
    Hello claims{1, {}, {}};
    for (const Task& task : given) claims.held.push_back(task.number);
    claims.held.push_back(kNoTask);
    net.send(2, 0, make_hello(claims));
    answer(given);
    while (net.waits(2, 0)) std::this_thread::yield();
    net.kill(1);
    net.keep_deaths_from(0, false);
    while (const auto message = next(2, MessageKind::kTasks)) answer(tasks_of(message));
    if (std::chrono::steady_clock::now() >= until) return net.kill(0);
    net.send(2, 0, make_list(MessageKind::kBye, std::vector<NodeReport>()));
  });
  long made = 0;
  int taken = 0;
  const auto input = [&]() -> std::optional<long> { return made < 1000 ? std::optional(made++) : std::nullopt; };
  const auto calculate = [](const long& number) { return number; };
  const auto output = [&](long) { ++taken; };
  Options options = quiet();
  options.stragglers_twice = false;
  detail::TypedProgram program(input, calculate, output);
  ThreadLink link(net, 0);
  EXPECT_NO_THROW(run_node(options, program, link, tree, {0, &kNobodyAsks, &never_grows}))
      << "2 does not get what may have ended 1";
  EXPECT_EQ(taken, 1000);
}

/// 3 is told to stop by its further parent, and 2, its parent, dies. The root may have heard of that before the run
/// ended, and expect 3.
TEST(FarmGraphOfProcesses, SaysByeToWhoMayExpectIt) {
  const Tree tree = graph_of({-1, 0, 0, 2}, {{3, 1}});
  Net net(4);
  Numbers numbers(0);
  numbers.run(quiet(), [&](const Options& options, Program& program) {
    std::jthread leaf([&] {
      ThreadLink link(net, 3);
      run_node(options, program, link, part_of(tree, 3), {1, &kNobodyAsks, &never_grows});
    });
    while (!net.waits(3, 1) || !net.waits(3, 2)) std::this_thread::yield();
    net.send(1, 3, make_word(MessageKind::kStop));
    while (net.waits(1, 3)) std::this_thread::yield();
    net.kill(2);
    leaf.join();
    std::shared_ptr<const Buffer> message;
    EXPECT_TRUE(net.receive(3, 0, message) && header_of(*message).kind == MessageKind::kBye);
    return Summary{};
  });
}

TEST(FarmGraphOfProcesses, LeavesNoMessageBehind) {
  // 3 and 4 have two parents each, which both tell them to stop.
  const Tree tree = graph_of({-1, 0, 0, 1, 2}, {{3, 2}, {4, 1}, {4, 0}});
  for (int round = 0; round < 100; ++round) {
    Net net(5);
    Numbers numbers(round % 50);
    EXPECT_TRUE(numbers.exactly_once(run_tree(numbers, quiet(), tree, net)));
  }
}

}  // namespace
}  // namespace starling::farm::deaths_test
