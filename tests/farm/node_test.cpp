// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whole farms whose processes are threads: one process, trees, and deaths at random moments.
#include "run/node.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "numbers.hpp"
#include "temporary_path.hpp"
#include "thread_link.hpp"
#include "wire/message.hpp"

namespace starling::farm {
namespace {

const std::atomic<bool> kNobodyAsks{false};
std::atomic<int> never_grows{0};

Options quiet() {
  Options options;
  options.progress = Progress::kOff;
  return options;
}

Summary summary_of(const NodeOutcome& outcome) {
  if (outcome.error) std::rethrow_exception(outcome.error);
  return outcome.summary;
}

Tree tree_of(const std::vector<int>& parents) {
  Tree tree;
  tree.nodes.resize(parents.size());
  for (std::size_t rank = 0; rank < parents.size(); ++rank) {
    tree.nodes[rank].parent = parents[rank];
    if (parents[rank] >= 0)
      tree.nodes[static_cast<std::size_t>(parents[rank])].children.push_back(static_cast<int>(rank));
  }
  return tree;
}

/// The same, where some have further parents.
Tree graph_of(const std::vector<int>& parents, const std::vector<std::pair<int, int>>& further) {
  Tree tree = tree_of(parents);
  for (const auto& [rank, parent] : further) {
    tree.nodes[static_cast<std::size_t>(rank)].further_parents.push_back(parent);
    tree.nodes[static_cast<std::size_t>(parent)].further_children.push_back(rank);
  }
  return tree;
}

Summary run_alone(Numbers& numbers, const Options& options, int threads) {
  Net net(1);
  ThreadLink link(net, 0);
  return numbers.run(options, [&](const Options& o, Program& program) {
    return summary_of(run_node(o, program, link, tree_of({-1}), {threads, &kNobodyAsks, &never_grows}));
  });
}

/// Every rank of the tree on a thread of its own; `meanwhile` may kill some.
NodeOutcome outcome_of_tree(Program& program, const Options& options, const Tree& tree, Net& net, int root_threads,
                            const std::function<void()>& meanwhile = {}) {
  std::vector<std::jthread> ranks;
  for (int rank = 1; rank < static_cast<int>(tree.nodes.size()); ++rank) {
    ranks.emplace_back([&, rank] {
      ThreadLink link(net, rank);
      try {
        run_node(options, program, link, part_of(tree, rank), {1 + rank % 2, &kNobodyAsks, &never_grows});
      } catch (const Killed&) {
      }
    });
  }
  for (int spare = 0; spare < tree.spares; ++spare) {
    ranks.emplace_back([&, rank = static_cast<int>(tree.nodes.size()) + spare] {
      try {
        const std::string text = net.wait_for_call(rank);
        if (text == kEndOfSpares || text == kEndOfFailed) return;
        const Assignment assignment = assignment_of_text(text);
        ThreadLink link(net, rank, assignment.place);
        run_node(options, program, link, assignment.tree, {1, &kNobodyAsks, &never_grows, 0, assignment.replaced});
      } catch (const Killed&) {
      }
    });
  }
  std::jthread killer([&] {
    if (meanwhile) meanwhile();
  });
  ThreadLink link(net, 0);
  return run_node(options, program, link, tree, {root_threads, &kNobodyAsks, &never_grows});
}

/// The same. Whoever ends takes in first what the others have for it: MPI may give the numbers of a freed communicator
/// to the next farm's, whose messages would mix with what is left.
Summary run_tree(Program& program, const Options& options, const Tree& tree, Net& net, int root_threads,
                 const std::function<void()>& meanwhile = {}) {
  const NodeOutcome outcome = outcome_of_tree(program, options, tree, net, root_threads, meanwhile);
  EXPECT_TRUE(meanwhile || net.unread() == 0);
  return summary_of(outcome);
}

Summary run_tree(Program& program, const Options& options, const std::vector<int>& parents, Net& net, int root_threads,
                 const std::function<void()>& meanwhile = {}) {
  return run_tree(program, options, tree_of(parents), net, root_threads, meanwhile);
}

Summary run_tree(Numbers& numbers, const Options& options, const Tree& tree, Net& net,
                 const std::function<void()>& meanwhile = {}) {
  return numbers.run(options,
                     [&](const Options& o, Program& program) { return run_tree(program, o, tree, net, 1, meanwhile); });
}
Summary run_tree(Numbers& numbers, const Options& options, const std::vector<int>& parents, Net& net,
                 const std::function<void()>& meanwhile = {}) {
  return run_tree(numbers, options, tree_of(parents), net, meanwhile);
}

TEST(Farm, TakesEveryResultOnce) {
  for (const int threads : {1, 2, 5}) {
    Numbers numbers(5000);
    const Summary summary = run_alone(numbers, quiet(), threads);
    EXPECT_EQ(summary.tasks, 5000U);
    EXPECT_TRUE(numbers.exactly_once(summary));
    EXPECT_EQ(summary.exit_code(), 0);
  }
}

/// Tasks that end only when so many have begun; whether that came to pass.
class Rendezvous {
 public:
  explicit Rendezvous(int wanted) : wanted_(wanted) {}
  void wait() {
    ++begun_;
    for (int i = 0; i < 2000 && begun_ < wanted_; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (begun_ < wanted_) failed_ = true;
  }
  bool took_place() const { return begun_ >= wanted_ && !failed_; }

 private:
  const int wanted_;
  std::atomic<int> begun_{0};
  std::atomic<bool> failed_{false};
};

TEST(Farm, BeginsOnEveryThreadBeforeTheFirstResult) {
  Rendezvous all(4);
  Numbers numbers(4, [&](long) { all.wait(); });
  run_alone(numbers, quiet(), 4);
  EXPECT_TRUE(all.took_place());
}

TEST(Farm, EndsWhenThereIsNothingToDo) {
  Numbers numbers(0);
  EXPECT_EQ(run_alone(numbers, quiet(), 2).tasks, 0U);
}

TEST(Farm, KeepsTheOrderOfInputWhenAsked) {
  Options options = quiet();
  options.order = Order::kInput;
  Numbers numbers(3000, [](long number) {
    if (number % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  run_alone(numbers, options, 4);
  ASSERT_EQ(numbers.order().size(), 3000U);
  EXPECT_TRUE(std::is_sorted(numbers.order().begin(), numbers.order().end()));
}

TEST(Farm, TriesAgainAndThenSetsAside) {
  std::atomic<int> attempts_of_7{0};
  std::atomic<int> attempts_of_9{0};
  Numbers numbers(20, [&](long number) {
    if (number == 7 && ++attempts_of_7 > 0) throw std::runtime_error("seven is poison");
    if (number == 9 && ++attempts_of_9 < 3) throw 9;
  });
  const Summary summary = run_alone(numbers, quiet(), 2);
  EXPECT_TRUE(numbers.exactly_once(summary));
  ASSERT_EQ(summary.quarantine.size(), 1U);
  EXPECT_EQ(summary.quarantine[0].number, 7U);
  EXPECT_EQ(summary.quarantine[0].failures, 3);
  EXPECT_EQ(summary.quarantine[0].last_error, "seven is poison");
  EXPECT_EQ(attempts_of_7, 3);
  EXPECT_EQ(attempts_of_9, 3);
  EXPECT_EQ(summary.retries, 4U);
  EXPECT_EQ(summary.exit_code(), 1);
}

/// Runs three functions in one process.
template <class Input, class Calculate, class Output>
Summary run_functions(const Options& options, const Input& input, const Calculate& calculate, const Output& output,
                      int threads) {
  detail::TypedProgram program(input, calculate, output);
  Net net(1);
  ThreadLink link(net, 0);
  return summary_of(run_node(options, program, link, tree_of({-1}), {threads, &kNobodyAsks, &never_grows}));
}

TEST(Farm, HoldsInputBackWhileOutputIsSlow) {
  std::atomic<int> made{0};
  std::atomic<int> taken{0};
  std::atomic<int> most{0};
  const auto input = [&]() -> std::optional<int> {
    if (made == 300) return std::nullopt;
    most = std::max(most.load(), made - taken);
    return made++;
  };
  const auto output = [&](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++taken;
  };
  run_functions(
      quiet(), input, [](int n) { return n; }, output, 2);
  EXPECT_EQ(taken, 300);
  EXPECT_LT(most, 100);
}

TEST(Farm, StopsWhenInputOrOutputThrows) {
  int made = 0;
  const auto endless = [&]() -> std::optional<int> { return made++; };
  const auto throws_at_50 = [&](int n) {
    if (n == 50) throw std::runtime_error("no more room");
  };
  EXPECT_THROW(run_functions(
                   quiet(), endless, [](int n) { return n; }, throws_at_50, 2),
               std::runtime_error);
  const auto broken = []() -> std::optional<int> { throw std::logic_error("no input"); };
  EXPECT_THROW(run_functions(
                   quiet(), broken, [](int n) { return n; }, [](int) {}, 2),
               std::logic_error);
}

TEST(Farm, ReportsACalculateThatCannotBeSetUp) {
  struct Broken {
    void start(Worker) { throw std::runtime_error("no licence"); }
    int operator()(int n) const { return n; }
  };
  int made = 0;
  const auto input = [&]() -> std::optional<int> { return made < 3 ? std::optional(made++) : std::nullopt; };
  const Summary summary = run_functions(
      quiet(), input, Broken{}, [](int) {}, 2);
  ASSERT_EQ(summary.quarantine.size(), 3U);
  EXPECT_EQ(summary.quarantine[0].last_error, "setting up Calculate failed: no licence");
}

TEST(Farm, ChainsKernelsAndChoosesThemByKind) {
  using Kind = std::variant<int, std::string>;
  int made = 0;
  const auto input = [&]() -> std::optional<Kind> {
    if (made++ >= 10) return std::nullopt;
    return made % 2 == 0 ? Kind(made) : Kind("text");
  };
  const auto calculate = chain(
      kernels([](int n) { return 2 * n; }, [](const std::string& s) { return int(s.size()); }),
      [](int n) { return n + 1; }, [](int n) { return std::to_string(n); });
  int sum = 0;
  run_functions(
      quiet(), input, calculate, [&](const std::string& s) { sum += std::stoi(s); }, 2);
  EXPECT_EQ(sum, 5 * 5 + (5 + 9 + 13 + 17 + 21));
}

TEST(Farm, GivesAwayWhatOnlyMoves) {
  int made = 0;
  const auto input = [&]() -> std::optional<std::vector<int>> {
    return made < 100 ? std::optional(std::vector<int>(10, made++)) : std::nullopt;
  };
  long sum = 0;
  run_functions(
      quiet(), input, [](const std::vector<int>& v) { return v[3]; }, [&](int n) { sum += n; }, 3);
  EXPECT_EQ(sum, 99 * 100 / 2);
}

TEST(Farm, DrainsAtTheTimeLimit) {
  Options options = quiet();
  options.time_limit_s = 0.15;
  Numbers numbers(1'000'000, [](long) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  const Summary summary = run_alone(numbers, options, 2);
  EXPECT_TRUE(summary.drained);
  EXPECT_EQ(summary.exit_code(), 2);
  EXPECT_GT(summary.tasks, 10U);
  EXPECT_EQ(numbers.order().size(), summary.tasks);
}

/// No file may grow beyond this while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(Farm, StopsWhenTheDiskIsFullAndGoesOnWhenItIsNot) {
  Options options = quiet();
  const TemporaryPath journal("full");
  options.journal = journal.path;
  std::multiset<int> taken;
  const auto run = [&] {
    int made = 0;
    const auto input = [&]() -> std::optional<int> { return made < 1000 ? std::optional(made++) : std::nullopt; };
    return run_functions(
        options, input, [](int n) { return n; }, [&](int n) { taken.insert(n); }, 2);
  };
  {
    const FileSizeLimit limit(4000);
    EXPECT_THROW(run(), std::runtime_error);
  }
  EXPECT_EQ(taken.size(), (4000 - 16) / 32 + 1U);  // the last one was taken and could not be noted
  options.start = Start::kResume;
  const Summary summary = run();
  EXPECT_EQ(summary.skipped, (4000 - 16) / 32U);
  EXPECT_EQ(std::set<int>(taken.begin(), taken.end()).size(), 1000U);
  EXPECT_EQ(taken.size(), 1001U);
}

TEST(FarmTreeOfProcesses, TakesEveryResultOnce) {
  const std::vector<std::vector<int>> trees{{-1, 0}, {-1, 0, 0, 0}, {-1, 0, 1, 2}, {-1, 0, 0, 1, 1, 2, 2}};
  for (const std::vector<int>& parents : trees) {
    for (const Order order : {Order::kAny, Order::kInput}) {
      Options options = quiet();
      options.order = order;
      Net net(static_cast<int>(parents.size()));
      Numbers numbers(3000);
      const Summary summary = run_tree(numbers, options, parents, net);
      EXPECT_TRUE(numbers.exactly_once(summary)) << parents.size();
      EXPECT_EQ(summary.nodes.size(), parents.size());
    }
  }
}

TEST(FarmTreeOfProcesses, UsesAllWhereTasksTakeLong) {
  Net net(5);
  Rendezvous all(1 + 2 + 1 + 2 + 1);
  Numbers numbers(60, [&](long) { all.wait(); });
  const Summary summary = run_tree(numbers, quiet(), {-1, 0, 0, 1, 1}, net);
  EXPECT_TRUE(numbers.exactly_once(summary));
  EXPECT_TRUE(all.took_place());
  for (const NodeReport& node : summary.nodes) EXPECT_GE(node.tasks, std::uint64_t(node.threads)) << node.rank;
}

TEST(FarmTreeOfProcesses, RunsAStragglerTwice) {
  Net net(3);
  std::atomic<int> runs_of_3{0};
  Numbers numbers(10, [&](long number) {
    if (number != 3 || runs_of_3++ > 0) return;
    for (int i = 0; i < 2000 && runs_of_3 < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  const Summary summary = numbers.run(quiet(), [&](const Options& o, Program& program) {
    return run_tree(program, o, {-1, 0, 0}, net, 0);
  });
  EXPECT_TRUE(numbers.exactly_once(summary));
  EXPECT_EQ(runs_of_3, 2);
}

TEST(Farm, RunsAStragglerOfItsOwnThreadsTwiceAndNoMore) {
  std::atomic<int> runs_of_3{0};
  Numbers numbers(10, [&](long number) {
    if (number != 3) return;
    ++runs_of_3;
    for (int i = 0; i < 2000 && runs_of_3 < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // three more looks for stragglers
  });
  const Summary summary = run_alone(numbers, quiet(), 4);
  EXPECT_TRUE(numbers.exactly_once(summary));
  EXPECT_EQ(runs_of_3, 2);
}

/// The child below a relay is slow: its task ends when its parent has done all that nobody else can have.
struct SlowChild {
  std::atomic<int>* parent_did;
  std::atomic<bool>* starved;
  int rank = 0;
  void start(Worker worker) { rank = worker.rank; }
  long operator()(const long& number) const {
    constexpr int kNearlyAll = 400 - 10;
    if (rank == 1) ++*parent_did;
    for (int i = 0; rank == 2 && *parent_did < kNearlyAll; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (i < 6000) continue;
      *starved = true;
      break;
    }
    return number;
  }
};

TEST(FarmTreeOfProcesses, NeverLetsAFastParentStarveForASlowChild) {
  for (const Gather gather : {Gather::kByLoad, Gather::kAtOnce, Gather::kFull}) {
    Net net(3);
    std::atomic<int> parent_did{0};
    std::atomic<bool> starved{false};
    long made = 0;
    long taken = 0;
    const auto input = [&]() -> std::optional<long> { return made < 400 ? std::optional(made++) : std::nullopt; };
    const auto output = [&](long) { ++taken; };
    const SlowChild calculate{&parent_did, &starved};
    Options options = quiet();
    options.gather = gather;
    options.stragglers_twice = false;
    detail::TypedProgram program(input, calculate, output);
    run_tree(program, options, {-1, 0, 1}, net, 0);
    EXPECT_EQ(taken, 400);
    EXPECT_FALSE(starved);
  }
}

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
  Numbers numbers(4000, [&](long) {
    ++done;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  std::size_t before_from_2 = 0;
  std::size_t before_from_1 = 0;
  const Summary summary = run_tree(numbers, quiet(), tree, net, [&] {
    while (done < 1000) std::this_thread::yield();
    before_from_1 = net.sent(1, 3);
    before_from_2 = net.sent(2, 3);
    net.kill(1);
  });
  EXPECT_TRUE(numbers.exactly_once(summary));
  EXPECT_GT(before_from_1, 5U);
  EXPECT_EQ(before_from_2, 0U) << "a further parent gave tasks before it was asked to";
  EXPECT_GT(net.sent(2, 3), 10U) << "3 does not work for 2";
  EXPECT_LE(net.sent(0, 3), 1U) << "the root, which has lost 1, must not have to feed 3; it tells it to stop";
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

/// Takes in what comes from the root, up to a message of this kind, and adds its tasks.
void take_until(Net& net, int rank, MessageKind kind, Tasks& all) {
  for (std::shared_ptr<const Buffer> message;;) {
    if (!net.receive(0, rank, message)) {
      std::this_thread::yield();
      continue;
    }
    if (header_of(*message).kind == MessageKind::kTasks) {
      for (Task& task : tasks_of(message)) all.push_back(std::move(task));
    }
    if (header_of(*message).kind == kind) return;
  }
}

std::shared_ptr<const Buffer> message_of(MessageKind kind, const Task& task) {
  Message message(kind);
  message.add(task, [&](Buffer& bytes) { bytes.append(task.value.as<Slice>().data(), task.value.as<Slice>().size); });
  return message.finish();
}

TEST(FarmTreeOfProcesses, SendsNothingToAChildThatWasToldToStop) {
  Net net(3);
  std::jthread others([&] {  // this test speaks for both
    net.send(1, 0, make_hello({1, {}, {}}));
    Tasks first;
    while (first.size() < 2) take_until(net, 1, MessageKind::kTasks, first);
    net.send(2, 0, make_hello({1, {}, {}}));
    net.send(1, 0, message_of(MessageKind::kResults, first[0]));  // at which Output throws
    Tasks more;
    take_until(net, 1, MessageKind::kStop, more);
    take_until(net, 2, MessageKind::kStop, more);
    net.send(1, 0, message_of(MessageKind::kOverdue, first[1]));
    net.send(1, 0, make_list(MessageKind::kBye, std::vector<NodeReport>()));
    while (net.waits(1, 0)) std::this_thread::yield();
    net.send(2, 0, make_list(MessageKind::kBye, std::vector<NodeReport>()));
  });
  long made = 0;
  const auto input = [&]() -> std::optional<long> { return made < 1000 ? std::optional(made++) : std::nullopt; };
  const auto calculate = [](const long& number) { return number; };
  const auto output = [&](long) { throw std::runtime_error("enough"); };
  Options options = quiet();
  options.stragglers_twice = false;
  detail::TypedProgram program(input, calculate, output);
  ThreadLink link(net, 0);
  const Tree tree = tree_of({-1, 0, 0});
  EXPECT_TRUE(run_node(options, program, link, tree, {0, &kNobodyAsks, &never_grows}).error);
  EXPECT_EQ(net.unread(), 0U);
}

/// Ends the process that calculates one of these. As in a process that has died, nothing comes after it.
struct Deadly {
  Net* net;
  std::set<int> poison;
  int rank = 0;
  void start(Worker worker) { rank = worker.rank; }
  int operator()(int n) const {
    if (poison.contains(n)) net->kill(rank);
    return n;
  }
};

/// A farm with 200 tasks of which these kill, and so many threads in each process; the server may begin later.
NodeOutcome run_deadly(const std::vector<int>& parents, const std::vector<int>& threads, const std::set<int>& poison,
                       int spare, int& taken) {
  const Tree tree = tree_of(parents);
  Net net(static_cast<int>(parents.size()));
  int made = 0;
  const auto input = [&]() -> std::optional<int> { return made < 200 ? std::optional(made++) : std::nullopt; };
  const auto output = [&](int) { ++taken; };
  Options options = quiet();
  options.stragglers_twice = false;
  const Deadly deadly{&net, poison};
  detail::TypedProgram program(input, deadly, output);
  std::vector<std::jthread> ranks;
  for (int rank = 1; rank < static_cast<int>(parents.size()); ++rank) {
    ranks.emplace_back([&, rank] {
      ThreadLink link(net, rank);
      try {
        run_node(options, program, link, tree, {threads[static_cast<std::size_t>(rank)], &kNobodyAsks, &never_grows});
      } catch (const Killed&) {
      }
    });
  }
  ThreadLink link(net, 0);
  return run_node(options, program, link, tree, {threads[0], &kNobodyAsks, &never_grows, spare});
}

TEST(FarmTreeOfProcesses, SetsAsideTasksThatKillWhoeverCalculatesThem) {
  for (const std::set<int>& poison : std::vector<std::set<int>>{{42}, {0, 1}, {42, 150}}) {
    int taken = 0;
    const NodeOutcome outcome = run_deadly({-1, 0, 0, 0, 0, 0, 0, 0}, {0, 2, 1, 2, 1, 2, 1, 2}, poison, 0, taken);
    ASSERT_FALSE(outcome.error);
    EXPECT_EQ(taken, 200 - static_cast<int>(poison.size()));
    EXPECT_EQ(outcome.summary.lost_processes, 3 * static_cast<int>(poison.size()));
    ASSERT_EQ(outcome.summary.quarantine.size(), poison.size());
    for (const Quarantined& task : outcome.summary.quarantine) {
      EXPECT_TRUE(poison.contains(static_cast<int>(task.number)));
      EXPECT_EQ(task.failures, 3);
      EXPECT_EQ(task.last_error, "the process that calculated it died");
    }
  }
}

TEST(FarmTreeOfProcesses, GivesSuspectsUpToWhoCanTryThem) {
  int taken = 0;
  const NodeOutcome outcome = run_deadly({-1, 0, 1, 0, 0, 0}, {0, 0, 2, 1, 1, 1}, {42}, 0, taken);
  ASSERT_FALSE(outcome.error);
  EXPECT_EQ(taken, 199);
  ASSERT_EQ(outcome.summary.quarantine.size(), 1U);
  EXPECT_EQ(outcome.summary.quarantine[0].number, 42U);
}

TEST(FarmTreeOfProcesses, EndsWhereNobodyIsLeftToCalculate) {
  int taken = 0;
  EXPECT_TRUE(run_deadly({-1, 0}, {0, 2}, {42}, 0, taken).error);
  EXPECT_LT(taken, 200);
  // A relay that does not calculate gives back what its children cannot.
  taken = 0;
  const NodeOutcome outcome = run_deadly({-1, 0, 1}, {0, 0, 2}, {42}, 1, taken);
  EXPECT_FALSE(outcome.error);
  EXPECT_EQ(taken + static_cast<int>(outcome.summary.quarantine.size()), 200);
}

TEST(Farm, LeavesAThreadBehindThatDoesNotComeBack) {
  // For ever: a thread that is left behind may look at what its task uses.
  static std::atomic<int> runs_of_9{0};
  Options options = quiet();
  options.summary = false;
  options.attempts = 2;
  options.task_limit_s = 0.5;
  options.stragglers_twice = false;
  static Numbers numbers(2000, [](long number) {
    if (number == 7 || (number == 9 && runs_of_9++ == 0)) std::this_thread::sleep_for(std::chrono::hours(1));
  });
  const Summary summary = run_alone(numbers, options, 2);
  EXPECT_TRUE(numbers.exactly_once(summary));
  EXPECT_EQ(runs_of_9, 2);
  ASSERT_EQ(summary.quarantine.size(), 1U);
  EXPECT_EQ(summary.quarantine[0].number, 7U);
  EXPECT_EQ(summary.quarantine[0].failures, 2);
  EXPECT_EQ(summary.quarantine[0].last_error, "took longer than 0.5 s");
  EXPECT_EQ(summary.nodes[0].left_behind, 3U);
}

TEST(FarmTreeOfProcesses, TriesWhatHangsInAnotherProcess) {
  struct Hanging {
    int rank = 0;
    void start(Worker worker) { rank = worker.rank; }
    long operator()(const long& n) const {
      if (rank == 1 && n % 50 == 0) std::this_thread::sleep_for(std::chrono::hours(1));
      return n;
    }
  };
  Net net(3);
  Options options = quiet();
  options.summary = false;
  options.attempts = 2;
  options.task_limit_s = 0.5;
  options.stragglers_twice = false;
  long made = 0;
  std::set<long> taken;
  const auto input = [&]() -> std::optional<long> { return made < 200 ? std::optional(made++) : std::nullopt; };
  const auto output = [&](long n) { taken.insert(n); };
  static const Hanging calculate;
  detail::TypedProgram program(input, calculate, output);
  const Summary summary = run_tree(program, options, {-1, 0, 0}, net, 0);
  EXPECT_EQ(taken.size(), 200U);
  EXPECT_TRUE(summary.quarantine.empty());
}

TEST(FarmTreeOfProcesses, CalculatesInTheServerOnceNobodyElseIsLeft) {
  Net net(2);
  Numbers numbers(300);
  const Tree tree = tree_of({-1, 0});
  net.kill(1);
  ThreadLink link(net, 0);
  const Summary summary = numbers.run(quiet(), [&](const Options& o, Program& program) {
    return summary_of(run_node(o, program, link, tree, {0, &kNobodyAsks, &never_grows, 2}));
  });
  EXPECT_TRUE(numbers.exactly_once(summary));
  EXPECT_EQ(summary.threads, 2);
}

}  // namespace
}  // namespace starling::farm
