// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Cases: tests that run on every rank of a job at once. mpi_cases.hpp adds what calls MPI; cases that include this
// header only are compiled once for all MPIs.
//
// Thread safety: checks may come from any thread that run_threads() started. State shared by ranks must not exist:
// callbacks without an extra_state keep theirs in thread_local variables.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace starling::tests {

enum class RanksAre { kProcesses, kThreads };

/// What a case sees of its job. One object for each rank and case.
class Job {
 public:
  int rank = 0;
  int size = 1;
  RanksAre ranks_are = RanksAre::kProcesses;
  std::uint64_t seed = 1;  ///< the same on every rank
  std::vector<int> nodes;  ///< of each rank of the job, where the command line says it; empty: all are on one

  [[nodiscard]] bool on_one_node(int a, int b) const {
    return nodes.empty() || nodes[static_cast<std::size_t>(a)] == nodes[static_cast<std::size_t>(b)];
  }

  /// A generator that gives every rank the same numbers, or with a salt other ones.
  [[nodiscard]] std::mt19937_64 generator(std::uint64_t salt = 0) const {
    return std::mt19937_64(seed * 0x9e3779b97f4a7c15u + salt);
  }

  /// Runs `body(0..count-1)` in threads of this rank and joins them.
  void run_threads(int count, const std::function<void(int)>& body);

  [[nodiscard]] int failures() const { return failures_.load(); }

  bool check(bool good, const char* text, const char* file, int line) {
    at(file, line);
    if (!good) fail(text, file, line);
    return good;
  }

  template <typename A, typename B>
  bool check_eq(const A& got, const B& expected, const char* text, const char* file, int line) {
    at(file, line);
    if (got == expected) return true;
    std::ostringstream out;
    out << text << ": got ";
    print(out, got);
    out << ", expected ";
    print(out, expected);
    fail(out.str(), file, line);
    return false;
  }

  void fail(std::string_view text, const char* file, int line);

  /// Remembers where the rank is, for the watchdog's report.
  void at(const char* file, int line) {
    file_.store(file, std::memory_order_relaxed);
    line_.store(line, std::memory_order_relaxed);
  }
  [[nodiscard]] const char* file() const { return file_.load(std::memory_order_relaxed); }
  [[nodiscard]] int line() const { return line_.load(std::memory_order_relaxed); }

  const char* case_name = "";

 private:
  template <typename T>
  static void print(std::ostream& out, const T& value) {
    if constexpr (std::is_same_v<T, char> || std::is_same_v<T, unsigned char> || std::is_same_v<T, signed char>) {
      out << static_cast<int>(value);
    } else if constexpr (requires { out << value; }) {
      out << value;
    } else {
      out << "(a value of " << sizeof(T) << " bytes)";
    }
  }

  std::atomic<int> failures_{0};
  std::atomic<const char*> file_{""};
  std::atomic<int> line_{0};
};

/// Which ranks run a case together.
enum class Together { kWorld, kNode };

struct Case {
  const char* name;
  int min_ranks;
  int max_ranks;
  void (*body)(Job& world);
  const char* file;
  Together together;
};

/// Adds the case to the binary's list; the value only makes a static initialiser possible.
bool register_case(const Case& added);

struct Options {
  bool list = false;                ///< print every case's least and most ranks and its name, and run none
  std::string only;                 ///< run the cases whose name contains this
  std::vector<std::string> except;  ///< and none of these
  std::uint64_t seed = 1;
  int repeat = 1;
  int case_timeout_s = 60;
  bool one_thread = false;  ///< MPI is asked for MPI_THREAD_FUNNELED, else for MPI_THREAD_MULTIPLE

  // Of the binary that runs ranks as threads.
  int threads = 1;                                            ///< ranks
  int nodes = 1;                                              ///< on which they stand
  bool round_robin = false;                                   ///< dealt to the nodes one by one, else in blocks
  std::vector<int> ranks_on;                                  ///< processes: the node on which each rank was started
  bool tcp = false;                                           ///< joins the nodes, else a simulated network
  std::int64_t delay_us = 0;                                  ///< of a packet between nodes
  bool random_delay = false;                                  ///< each packet has its own, up to delay_us
  std::vector<std::pair<std::string, std::string>> settings;  ///< configuration variables

  /// The node on which the command line puts a rank.
  [[nodiscard]] int node_of(int rank) const {
    return round_robin ? rank % nodes : static_cast<int>(std::int64_t{rank} * nodes / threads);
  }
};

/// Reads the command line; prints the usage and leaves at a mistake.
Options read_options(int argc, char** argv);

/// Prints every case's least and most ranks and its name. Returns the exit status.
int list_cases();

}  // namespace starling::tests

// Numbered by __COUNTER__, since the compiler may read several files as one.
#define STARLING_CASE_(World, together, name, min_ranks, max_ranks) \
  STARLING_COUNTED_CASE_(World, together, name, min_ranks, max_ranks, __COUNTER__)
#define STARLING_COUNTED_CASE_(World, together, name, min_ranks, max_ranks, number) \
  STARLING_NUMBERED_CASE_(World, together, name, min_ranks, max_ranks, number)
#define STARLING_NUMBERED_CASE_(World, together, name, min_ranks, max_ranks, number) \
  STARLING_NAMED_CASE_(World, together, name, min_ranks, max_ranks, case_##number, registered_##number)
#define STARLING_NAMED_CASE_(World, together, name, min_ranks, max_ranks, function, registered)                     \
  static void function([[maybe_unused]] World& world);                                                              \
  [[maybe_unused]] static const bool registered = starling::tests::register_case(                                   \
      {name, min_ranks, max_ranks, [](starling::tests::Job& job) { function(static_cast<World&>(job)); }, __FILE__, \
       starling::tests::Together::together});                                                                       \
  static void function([[maybe_unused]] World& world)

/// CASE("name", least ranks, most ranks) { ... }: a case that sees a Job by the name of `world`.
#define CASE(name, min_ranks, max_ranks) STARLING_CASE_(starling::tests::Job, kWorld, name, min_ranks, max_ranks)

/// Each gives back whether it held, and needs the Job in scope under the name `world`.
#define CHECK(condition) world.check(static_cast<bool>(condition), #condition, __FILE__, __LINE__)
#define CHECK_EQ(got, expected) world.check_eq((got), (expected), #got, __FILE__, __LINE__)
#define FAIL(text) world.fail((text), __FILE__, __LINE__)
