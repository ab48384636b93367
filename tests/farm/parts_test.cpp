// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The farm's parts, each alone.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <deque>
#include <fstream>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "input_output/journal.hpp"
#include "queue/queue.hpp"
#include "server/gate.hpp"
#include "server/progress.hpp"
#include "starling/farm.hpp"
#include "task/window.hpp"
#include "temporary_path.hpp"
#include "tree/tree.hpp"
#include "wire/message.hpp"

#if __has_include(<cereal/cereal.hpp>)
#include <cereal/types/memory.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>

#include "starling/farm/cereal.hpp"
#define FARM_HAS_CEREAL 1
#endif

namespace starling::farm::parts_test {
namespace {

template <class T>
T there_and_back(const T& object) {
  Buffer bytes;
  Writer{bytes}(object);
  T other{};
  Reader reader(bytes.data(), bytes.size());
  reader(other);
  EXPECT_EQ(reader.left(), 0U);
  return other;
}

TEST(FarmPack, BringsBackWhatItPacked) {
  EXPECT_EQ(there_and_back(3.5), 3.5);
  EXPECT_EQ(there_and_back(std::string("a\0b", 3)), std::string("a\0b", 3));
  const std::vector<std::vector<std::string>> nested{{"one", ""}, {}, {"two"}};
  EXPECT_EQ(there_and_back(nested), nested);
  const std::map<std::string, std::vector<int>> map{{"a", {1, 2}}, {"b", {}}};
  EXPECT_EQ(there_and_back(map), map);
  using Either = std::variant<int, std::string>;
  EXPECT_EQ(there_and_back(Either("text")), Either("text"));
  const std::tuple<std::optional<std::string>, std::pair<int, std::string>> tuple{std::nullopt, {7, "x"}};
  EXPECT_EQ(there_and_back(tuple), tuple);
}

#ifdef FARM_HAS_CEREAL
TEST(FarmPack, LeavesTheRestToCereal) {
  const std::vector<std::set<std::string>> sets{{"a", "b"}, {}};
  EXPECT_EQ(there_and_back(sets), sets);
  static_assert(Packable<std::unique_ptr<std::string>>);
}
#endif

TEST(FarmPack, RefusesWhatIsCutOff) {
  Buffer bytes;
  Writer{bytes}(std::vector<int>{1, 2, 3});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::vector<int> numbers;
    EXPECT_THROW((Reader{bytes.data(), size}(numbers)), std::runtime_error) << size;
  }
}

TEST(FarmPack, KnowsWhatItCannotPack) {
  struct Opaque {
    std::string text;
  };
  static_assert(!Packable<Opaque>);
  static_assert(!Packable<std::vector<Opaque>>);
  static_assert(!Packable<int*>);
  static_assert(Packable<std::vector<std::string>>);
}

TEST(FarmValue, HoldsSmallAndLargeObjectsAndLeaksNone) {
  const auto counted = std::make_shared<int>(1);
  {
    struct Large {
      std::shared_ptr<int> count;
      char rest[100];
    };
    Value small{counted};
    Value large{Large{counted, {}}};
    Value moved = std::move(large);
    EXPECT_TRUE(large.empty());
    EXPECT_TRUE(moved.holds<Large>());
    moved = std::move(small);
    EXPECT_EQ(counted.use_count(), 2);
    EXPECT_EQ(moved.as<std::shared_ptr<int>>(), counted);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(FarmGate, LetsEachNumberThroughOnce) {
  Gate gate;
  for (const std::uint64_t number : {3, 0, 1, 7, 2}) EXPECT_TRUE(gate.admit(number));
  for (const std::uint64_t number : {3, 0, 1, 7, 2}) {
    EXPECT_FALSE(gate.admit(number));
    EXPECT_TRUE(gate.has_admitted(number));
  }
  EXPECT_FALSE(gate.has_admitted(4));
  EXPECT_EQ(gate.count_from(0), 5U);
  EXPECT_EQ(gate.count_from(3), 2U);
  EXPECT_EQ(gate.count_from(5), 1U);
  EXPECT_EQ(gate.count_from(100), 0U);
  EXPECT_TRUE(gate.admit(4));
}

TEST(FarmQueue, LeavesOtherTakersTheirShare) {
  Queue queue;
  for (std::uint64_t number = 0; number < 8; ++number) {
    Task task;
    task.number = number;
    queue.put(std::move(task));
  }
  Tasks tasks;
  ASSERT_TRUE(queue.take(tasks, 100, 4));
  EXPECT_EQ(tasks.size(), 2U);
  queue.put_first(tasks);
  queue.try_take(tasks, 3);
  ASSERT_EQ(tasks.size(), 3U);
  for (std::uint64_t number = 0; number < 3; ++number) EXPECT_EQ(tasks[number].number, number);
  queue.stop();
  EXPECT_FALSE(queue.take(tasks, 1, 1));
}

TEST(FarmQueue, WakesTakersForOneTaskHoweverLargeAHandfulIs) {
  Queue queue;
  queue.set_handful(100);
  std::jthread taker([&] {
    Tasks tasks;
    EXPECT_TRUE(queue.take(tasks, 8, 1));
    EXPECT_EQ(tasks.size(), 1U);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  queue.put(Task{});
}

TEST(FarmMessage, CarriesTasks) {
  Message message(MessageKind::kTasks);
  for (std::uint64_t number = 0; number < 3; ++number) {
    Task task;
    task.number = number;
    task.failures = 2;
    message.add(task, [&](Buffer& bytes) { bytes.append("abcd", number); });
  }
  const auto bytes = message.finish();
  EXPECT_EQ(header_of(*bytes).kind, MessageKind::kTasks);
  const Tasks tasks = tasks_of(bytes);
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_EQ(tasks[2].failures, 2);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(tasks[2].value.as<Slice>().data()), 2), "ab");
}

TEST(FarmJournal, ForgetsATornRecordAndGoesOnBehindTheLast) {
  const TemporaryPath file("journal");
  const std::string& path = file.path;
  const auto open = [&](Journal& journal, Start start) {
    std::vector<std::uint64_t> numbers;
    journal.open(path, start, [&](const TaskName& name, std::uint64_t) { numbers.push_back(name.number()); });
    return numbers;
  };
  {
    Journal journal;
    open(journal, Start::kFresh);
    journal.note({5, kWhole}, 50);
    journal.note({6, kWhole}, 60);
  }
  std::ofstream(path, std::ios::app) << "torn";
  {
    Journal journal;
    EXPECT_EQ(open(journal, Start::kResume), (std::vector<std::uint64_t>{5, 6}));
    Journal second;
    EXPECT_THROW(open(second, Start::kResume), std::runtime_error);  // in use
    journal.note({7, kWhole}, 70);
  }
  Journal journal;
  EXPECT_THROW(open(journal, Start::kFresh), std::runtime_error);
  Journal resumed;
  // The refused one still holds the lock until it is gone.
  EXPECT_THROW(open(resumed, Start::kResume), std::runtime_error);
}

TEST(FarmJournal, RefusesAFileThatIsNone) {
  const TemporaryPath file("other");
  const std::string& path = file.path;
  std::ofstream(path) << "somebody else's precious data";
  Journal journal;
  EXPECT_THROW(journal.open(path, Start::kResume, [](const TaskName&, std::uint64_t) {}), std::runtime_error);
}

TEST(FarmTree, PutsOneRelayOnEachHost) {
  const Tree tree = default_tree({"a", "a", "b", "c", "b", "d"});
  const std::vector<int> parents{-1, 0, 0, 0, 2, 2};
  for (std::size_t rank = 0; rank < parents.size(); ++rank) EXPECT_EQ(tree.nodes[rank].parent, parents[rank]) << rank;
  EXPECT_EQ(tree.ancestors(4), (std::vector<int>{2, 0}));
}

TEST(FarmTree, KnowsWhoSharesAHost) {
  const std::vector<std::string> hosts{"a", "b", "a", "b", "a", "spare's"};
  Tree tree = default_tree({hosts.begin(), hosts.end() - 1});
  const auto expect = [&](const std::vector<int>& sharers, const std::vector<int>& before) {
    const Tree told = tree_of_text(text_of(tree));
    for (std::size_t rank = 0; rank < told.nodes.size(); ++rank) {
      EXPECT_EQ(told.nodes[rank].sharers, sharers[rank]) << rank;
      EXPECT_EQ(told.nodes[rank].sharers_before, before[rank]) << rank;
    }
  };
  count_sharers(tree, hosts, true);
  expect({3, 2, 3, 2, 3}, {0, 0, 1, 1, 2});
  count_sharers(tree, hosts, false);
  expect({2, 2, 2, 2, 2}, {0, 0, 0, 1, 1});
}

TEST(FarmTree, GivesEachProcessItselfWhatIsBelowAndTheWayUp) {
  // 0 above 1 and 2, 1 above 3 and 4, 3 above 5.
  Tree tree = default_tree({"a", "b", "c", "d", "e", "f"});
  tree.input_nodes = {2};
  tree.nodes[1].threads = 7;
  tree.nodes[1].name = "a name\nof two lines";
  const Tree part = tree_of_text(text_of(part_of(tree, 1)));
  EXPECT_EQ(part.root(), 0);
  EXPECT_EQ(part.nodes.size(), tree.nodes.size());
  EXPECT_EQ(part.nodes[1].children, tree.nodes[1].children);
  EXPECT_EQ(part.nodes[1].threads, 7);
  EXPECT_EQ(part.nodes[1].name, tree.nodes[1].name);
  EXPECT_EQ(part.ancestors(1), std::vector<int>{0});
  EXPECT_TRUE(part.nodes[0].children.empty()) << "nothing of siblings";
  EXPECT_EQ(part.nodes[2].parent, TreeNode::kNotHere);
  EXPECT_EQ(part.inputs(), std::vector<int>{2});
  for (const int below : tree.nodes[1].children) {
    EXPECT_EQ(part.ancestors(below), tree.ancestors(below));
    const Tree theirs = part_of(part, below);  // as its parent sends it on
    EXPECT_EQ(text_of(theirs), text_of(part_of(tree, below)));
  }
}

/// Where each task takes task_us and comes back way_us later, and so many threads calculate: the share of the time that
/// they are busy, once the window has grown. Steps of 100 us.
double busy_share(std::uint64_t threads, std::uint64_t task_us, std::uint64_t way_us, std::uint64_t* limit) {
  constexpr std::uint64_t kStepUs = 100;
  constexpr std::uint64_t kUntilUs = 4'000'000;
  Window window(2);
  window.set_threads(threads);
  const Clock::time_point begin = Clock::now();
  std::deque<std::uint64_t> there;                           // when each task arrives
  std::deque<std::pair<std::uint64_t, std::uint64_t>> back;  // when each result arrives, and when its task left
  std::vector<std::uint64_t> free_at(threads, 0);
  std::uint64_t away = 0;
  std::uint64_t busy_us = 0;
  for (std::uint64_t now = 0; now < kUntilUs; now += kStepUs) {
    std::uint64_t done = 0;
    for (; !back.empty() && back.front().first <= now; back.pop_front(), --away, ++done) {
      window.note_way((now - back.front().second - task_us) * 1000);
    }
    if (done > 0) window.count(done, begin + std::chrono::microseconds(now));
    for (; away < window.limit(); ++away) there.push_back(now + way_us / 2);
    for (std::uint64_t& free : free_at) {
      if (free > now || there.empty() || there.front() > now) continue;
      free = now + task_us;
      if (now >= kUntilUs / 2) busy_us += task_us;
      back.emplace_back(free + way_us / 2, there.front() - way_us / 2);
      there.pop_front();
    }
  }
  *limit = window.limit();
  return static_cast<double>(busy_us) / static_cast<double>(threads * kUntilUs / 2);
}

TEST(FarmWindow, HidesTheWayHoweverLongAndHoardsNothing) {
  for (const std::uint64_t way_us : {200, 2'000, 20'000, 100'000}) {
    for (const std::uint64_t task_us : {500, 5'000, 50'000}) {
      std::uint64_t limit = 0;
      EXPECT_GT(busy_share(4, task_us, way_us, &limit), 0.95) << task_us << " us, way " << way_us << " us";
      const std::uint64_t done_on_the_way = 4 * std::max<std::uint64_t>(way_us, 5'000) / task_us;
      EXPECT_LE(limit, 2 * 4 + 3 * done_on_the_way + 4) << task_us << " us, way " << way_us << " us";
    }
  }
}

/// What reading this text as a tree file throws, without the path.
std::string tree_error(const std::string& text) {
  const TemporaryPath file("tree.toml");
  const std::string& path = file.path;
  std::ofstream(path) << text;
  try {
    place_tree(read_tree_file(path), {"here", "here"}, path);
  } catch (const std::runtime_error& error) {
    const std::string all = error.what();
    const std::size_t at = all.find(path);
    return at == std::string::npos ? all : all.substr(at + path.size() + 1);
  }
  return "nothing";
}

TEST(FarmTree, IsReadFromAFile) {
  const TemporaryPath file("good.toml");
  const std::string& path = file.path;
  std::ofstream(path) << "root = 'top'\ninputs = ['leaf']\n[nodes.top]\nhost = 'b'\nchildren = ['leaf']\n"
                         "[nodes.leaf]\nthreads = 3\n";
  const Tree tree = place_tree(read_tree_file(path), {"a", "b"}, path);
  EXPECT_EQ(tree.root(), 1);
  EXPECT_EQ(tree.nodes[0].name, "leaf");
  EXPECT_EQ(tree.nodes[0].threads, 3);
  EXPECT_EQ(tree.nodes[1].children, std::vector<int>{0});
  EXPECT_EQ(tree.inputs(), std::vector<int>{0});
  EXPECT_EQ(tree.outputs(), std::vector<int>{1});
}

TEST(FarmTree, SaysHowManySparesThereAreAndHowOftenTheyTakeAPlace) {
  const TemporaryPath file("spares.toml");
  std::ofstream(file.path) << "root = 'a'\nspares = 2\nrestarts = 5\n[nodes.a]\n";
  Options options;
  options.spares = 1;
  options.restarts = 1;
  Tree tree = read_tree_file(file.path);
  set_spares(tree, options, 3);
  const Tree placed = tree_of_text(text_of(part_of(place_tree(tree, {"a"}, file.path), 0)));
  EXPECT_EQ(placed.spares, 2);
  EXPECT_EQ(placed.restarts, 5);
  EXPECT_THROW(set_spares(tree, options, 2), std::invalid_argument);
  Tree unsaid = default_tree({"a"});
  set_spares(unsaid, options, 2);
  EXPECT_EQ(unsaid.spares, 1);
  EXPECT_EQ(unsaid.restarts, 1);
  EXPECT_EQ(tree_error("root = 'a'\nspares = -1\n[nodes.a]\n"), "2: 'spares' wants a number from 0 on");
  EXPECT_EQ(tree_error("root = 'a'\nrestarts = 'no'\n[nodes.a]\n"), "2: 'restarts' wants a number from 0 on");
}

TEST(FarmTree, NamesLineAndCauseOfWhatIsWrong) {
  EXPECT_EQ(tree_error("[nodes.a]\n"), "1: no root: say root = \"NAME\" in the first line");
  EXPECT_EQ(tree_error("root = 'a'\n[nodes.a]\nchildren = ['b']\n[nodes.b]\nchildren = ['a']\n"),
            "5: a cycle: 'a' is above this node already");
  EXPECT_EQ(tree_error("root = 'a'\n[nodes.a]\nchilds = ['b']\n"),
            "3: unknown key 'childs'; a node has 'host', 'threads', 'children' and 'also_below'");
  EXPECT_EQ(tree_error("root = 'a'\n\n[nodes.a]\nchildren = ['b']\n"), "4: node 'b' has no table [nodes.b]");
  EXPECT_EQ(tree_error("root = 'a'\n[nodes.a]\n[nodes.b]\n"), "3: node 'b' is nobody's child and not the root");
  EXPECT_EQ(tree_error("root = 'a'\n[nodes.a]\nchildren = ['b', 'b']\n[nodes.b]\n"), "3: 'b' has two parents");
  EXPECT_EQ(tree_error("root = 'a'\n[nodes.a]\nthreads = 'many'\n"), "3: 'threads' wants a number from -1 on");
  EXPECT_EQ(
      tree_error("root = 'a'\n[nodes.a]\nchildren = ['b']\n[nodes.b]\nhost = 'nowhere'\n"),
      "5: node 'b' wants host 'nowhere', where this job has no process left; start one there or take the line out");
  EXPECT_EQ(tree_error("root = 'a'\n[nodes.a]\n"),
            "has 1 nodes and the job has 2 processes; start as many, or one, which starts the others");
  EXPECT_EQ(tree_error("root = \n[nodes.a]\n").substr(0, 2), "1:");
  EXPECT_EQ(tree_error("root = 'a'\ninputs = ['c']\n[nodes.a]\n"), "2: 'inputs' names 'c', which is no node");
  EXPECT_EQ(tree_error("root = 'a'\noutputs = ['a', 'a']\n[nodes.a]\n"), "2: 'outputs' names 'a' twice");
  EXPECT_EQ(tree_error("root = 'a'\noutputs = []\n[nodes.a]\n"), "2: 'outputs' wants a list of names");
  const std::string two = "root = 'a'\n[nodes.a]\nchildren = ['b']\n";
  EXPECT_EQ(tree_error(two + "[nodes.b]\nalso_below = ['c']\n"), "5: 'also_below' names 'c', which is no node");
  EXPECT_EQ(tree_error(two + "[nodes.b]\nalso_below = ['a']\n"), "5: 'a' is above 'b' already");
  EXPECT_EQ(tree_error(two + "[nodes.b]\nalso_below = ['b']\n"), "5: a cycle: 'b' is below 'b'");
  EXPECT_EQ(tree_error("root = 'a'\n[nodes.a]\nalso_below = ['b']\nchildren = ['b']\n[nodes.b]\n"),
            "3: nothing is above the root");
  EXPECT_EQ(tree_error("root = 'a'\n[nodes.a]\nchildren = ['b', 'c']\n[nodes.b]\nchildren = ['d']\n"
                       "also_below = ['e']\n[nodes.c]\nchildren = ['e']\nalso_below = ['d']\n[nodes.d]\n[nodes.e]\n"),
            "9: a cycle: 'd' is below 'c'");
}

TEST(FarmTree, MayBeAGraph) {
  const TemporaryPath file("graph.toml");
  std::ofstream(file.path) << "root = 'top'\n[nodes.top]\nchildren = ['left', 'right']\n[nodes.left]\n"
                              "children = ['leaf']\n[nodes.right]\n[nodes.leaf]\nalso_below = ['right']\n";
  const Tree tree = place_tree(read_tree_file(file.path), {"a", "a", "a", "a"}, file.path);
  EXPECT_EQ(tree.nodes[3].parent, 1);
  EXPECT_EQ(tree.nodes[3].further_parents, std::vector<int>{2});
  EXPECT_EQ(tree.nodes[2].further_children, std::vector<int>{3});
  const Tree leaf = tree_of_text(text_of(part_of(part_of(tree, 1), 3)));
  EXPECT_EQ(leaf.ancestors(2), std::vector<int>{0}) << "it knows the way up from there";
  EXPECT_EQ(part_of(tree, 2).nodes[3].parent, 1) << "and who it is below there";
}

TEST(FarmOptions, TakesItsOwnAndLeavesTheRest) {
  std::string words[] = {
      "prog", "--farm-threads", "3", "mine", "--farm-order=input", "--resume", "--farm-journal=j", "--farm-inputs=2,0"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = 8;
  const Options options(argc, argv.data());
  EXPECT_EQ(argc, 2);
  EXPECT_STREQ(argv[1], "mine");
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.order, Order::kInput);
  EXPECT_EQ(options.inputs, (std::vector<int>{2, 0}));
  EXPECT_EQ(options.start, Start::kResume);
}

TEST(FarmOptions, RefusesWhatItDoesNotUnderstand) {
  for (const std::string wrong :
       {"--farm-threads=x", "--farm-thread=1", "--farm-order=up", "--resume", "--farm-tree", "--farm-inputs=1,"}) {
    std::string name = "prog";
    std::string word = wrong;
    char* argv[] = {name.data(), word.data(), nullptr};
    int argc = 2;
    EXPECT_THROW(Options::parse(argc, argv), std::invalid_argument) << wrong;
  }
}

TEST(FarmOptions, EndTheProgramWithASentenceWhereTheyAreWrong) {
  std::string words[] = {"prog", "--farm-thread=1"};
  char* argv[] = {words[0].data(), words[1].data(), nullptr};
  int argc = 2;
  EXPECT_EXIT(Options(argc, argv), ::testing::ExitedWithCode(Options::kWrongUsage),
              "prog: unknown option --farm-thread=1.*\nusage: prog ");
}

TEST(FarmProgress, SaysRateAndTimeLeft) {
  EXPECT_EQ(progress_text(50, 200, 10), "50 tasks, 5/s, 25 %, 30 s left");
  EXPECT_EQ(progress_text(50, 0, 10), "50 tasks, 5/s");
}

}  // namespace
}  // namespace starling::farm::parts_test
