// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whole farms whose processes are threads: one process, and trees.
#include "run/node.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <thread>

#include "farm_of_threads.hpp"
#include "temporary_path.hpp"
#include "wire/message.hpp"

namespace starling::farm::node_test {
namespace {

Summary run_alone(Numbers& numbers, const Options& options, int threads) {
  Net net(1);
  ThreadLink link(net, 0);
  return numbers.run(options, [&](const Options& o, Program& program) {
    return summary_of(run_node(o, program, link, tree_of({-1}), {threads, &kNobodyAsks, &never_grows}));
  });
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
}  // namespace starling::farm::node_test
