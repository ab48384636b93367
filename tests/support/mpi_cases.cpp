// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The runner of MPI cases. It speaks point-to-point on a communicator of its own, so that a broken collective fails its
// case and not the runner.
#include "support/mpi_cases.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "support/rank_threads.hpp"
#include "support/watchdog.hpp"

namespace starling::tests {
namespace {

constexpr int kPrintedFailures = 10;

thread_local Job* current = nullptr;

std::vector<Case>& cases() {
  static std::vector<Case> list;
  return list;
}

bool is_named(const Options& options, std::string_view name) {
  for (const std::string& except : options.except) {
    if (name.find(except) != std::string_view::npos) return false;
  }
  return name.find(options.only) != std::string_view::npos;
}

/// In the order of their files and lines, whatever the order in which the linker put the files.
std::vector<Case> in_order(std::vector<Case> listed) {
  std::stable_sort(listed.begin(), listed.end(),
                   [](const Case& a, const Case& b) { return std::strcmp(a.file, b.file) < 0; });
  return listed;
}

bool fits(const Case& one, int size) { return one.min_ranks <= size && size <= one.max_ranks; }

/// Whether a case of nodes runs depends on the size of each.
std::vector<Case> selected(const Options& options, int size) {
  std::vector<Case> chosen;
  for (const Case& one : cases()) {
    if (is_named(options, one.name) && (one.together == Together::kNode || fits(one, size))) chosen.push_back(one);
  }
  return in_order(chosen);
}

void record_error(MPI_Comm*, int* code, ...) {  // NOLINT(cert-dcl50-cpp): the signature is the standard's
  if (!current) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(*code, text, &length);
  current->fail(std::string("an MPI call failed after this line: ") + text, current->file(), current->line());
}

/// Sums a number over the ranks at rank 0 and gives everyone the sum.
int sum_over_ranks(MPI_Comm control, int rank, int size, int value) {
  int sum = value;
  for (int peer = 1; peer < size && rank == 0; ++peer) {
    int other = 0;
    MPI_Recv(&other, 1, MPI_INT, peer, 1, control, MPI_STATUS_IGNORE);
    sum += other;
  }
  if (rank != 0) MPI_Send(&value, 1, MPI_INT, 0, 1, control);
  if (rank != 0) MPI_Recv(&sum, 1, MPI_INT, 0, 2, control, MPI_STATUS_IGNORE);
  for (int peer = 1; peer < size && rank == 0; ++peer) MPI_Send(&sum, 1, MPI_INT, peer, 2, control);
  return sum;
}

/// A communicator, and this rank's place in it.
struct Circle {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  int size = 1;

  explicit Circle(MPI_Comm of) : comm(of) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
};

enum class Outcome { kPassed, kFailed, kFitsNobody };

struct Rank {
  const Options& options;
  RanksAre ranks_are;
  int thread_level;
  MPI_Comm control;
  Circle world;
  Circle node;  ///< the world where it is on one node

  [[nodiscard]] Outcome run(const Case& one, int repetition) const {
    const Circle& circle = one.together == Together::kNode ? node : world;
    Context context;
    context.rank = circle.rank;
    context.size = circle.size;
    context.comm = circle.comm;
    context.thread_level = thread_level;
    context.ranks_are = ranks_are;
    context.seed = options.seed + static_cast<std::uint64_t>(repetition);
    context.nodes = nodes();
    context.case_name = one.name;
    context.at(one.file, 0);
    const auto begin = std::chrono::steady_clock::now();
    current = &context;
    const Watch watch(context, options.case_timeout_s);
    const bool runs = fits(one, circle.size);
    if (runs) one.body(context);
    const int runners = one.together == Together::kNode ? sum(runs ? 1 : 0) : world.size;
    const int failures = sum(context.failures());
    current = nullptr;
    if (runners == 0) return Outcome::kFitsNobody;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (world.rank == 0) std::printf("%-6s %8.1f ms  %s\n", failures ? "FAILED" : "ok", took.count(), one.name);
    if (world.rank == 0) std::fflush(stdout);
    return failures == 0 ? Outcome::kPassed : Outcome::kFailed;
  }

  /// The node on which each rank was started; empty where nobody has said it.
  [[nodiscard]] std::vector<int> nodes() const {
    std::vector<int> all = options.ranks_on;
    for (int r = 0; options.nodes > 1 && r < world.size; ++r) all.push_back(options.node_of(r));
    return all;
  }

  /// The ranks that see other ranks on their node than were started there. Cases for several nodes would run as on one.
  [[nodiscard]] int strangers() const {
    const std::vector<int> all = nodes();
    if (all.empty()) return 0;
    const auto started_here = std::ranges::count(all, all[static_cast<std::size_t>(world.rank)]);
    if (started_here != node.size) {
      std::fprintf(stderr, "rank %d of %d was started with %d ranks on its node, and sees %d\n", world.rank, world.size,
                   static_cast<int>(started_here), node.size);
    }
    return sum(started_here == node.size ? 0 : 1);
  }

 private:
  [[nodiscard]] int sum(int value) const { return sum_over_ranks(control, world.rank, world.size, value); }
};

/// The ranks of this node; MPI_COMM_WORLD where it has all.
MPI_Comm node_of_world() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  if (Circle(node).size != Circle(MPI_COMM_WORLD).size) return node;
  MPI_Comm_free(&node);
  return MPI_COMM_WORLD;
}

void install_error_handler() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(record_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Errhandler_free(&handler);
}

}  // namespace

bool register_case(const Case& added) {
  cases().push_back(added);
  return true;
}

void Job::fail(std::string_view text, const char* file, int line) {
  if (failures_.fetch_add(1) >= kPrintedFailures) return;
  const char* slash = std::strrchr(file, '/');
  std::fprintf(stderr, "%s:%d: rank %d of %d, \"%s\": %.*s\n", slash ? slash + 1 : file, line, rank, size, case_name,
               static_cast<int>(text.size()), text.data());
}

void Job::run_threads(int count, const std::function<void(int)>& body) {
  const std::function<void(const std::function<void()>&)> join_rank = rank_adopter(ranks_are);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([this, &body, &join_rank, i] {
      current = this;
      join_rank([&] { body(i); });
    });
  }
  for (std::thread& thread : threads) thread.join();
}

int list_cases() {
  for (const Case& one : in_order(cases())) std::printf("%d %d %s\n", one.min_ranks, one.max_ranks, one.name);
  return 0;
}

int run_rank(const Options& options, RanksAre ranks_are) {
  int thread_level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, options.one_thread ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &thread_level);
  MPI_Comm control = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &control);
  install_error_handler();
  MPI_Comm node = node_of_world();
  const Rank self{options, ranks_are, thread_level, control, Circle(MPI_COMM_WORLD), Circle(node)};

  int passed = 0;
  int failed = self.strangers();
  for (int repetition = 0; repetition < options.repeat; ++repetition) {
    for (const Case& one : selected(options, self.world.size)) {
      const Outcome outcome = self.run(one, repetition);
      passed += outcome == Outcome::kPassed ? 1 : 0;
      failed += outcome == Outcome::kFailed ? 1 : 0;
    }
  }
  const bool is_any_named = std::ranges::any_of(cases(), [&](const Case& one) { return is_named(options, one.name); });
  if (!is_any_named) failed = 1;
  if (self.world.rank == 0) {
    if (!is_any_named) std::printf("--case and --except leave no case to run\n");
    std::printf("%d passed, %d failed\n", passed, failed);
    std::fflush(stdout);
  }
  if (node != MPI_COMM_WORLD) MPI_Comm_free(&node);
  MPI_Comm_free(&control);
  MPI_Finalize();
  return failed ? 1 : 0;
}

}  // namespace starling::tests
