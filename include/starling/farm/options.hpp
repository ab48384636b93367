// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a run of the farm can be told, and what it tells at its end.
//
// Thread safety: plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace starling::farm {

/// Results reach Output as they come, or in the order of Input.
enum class Order { kAny, kInput };
/// A bar on a terminal and a line now and then elsewhere; nothing; lines everywhere.
enum class Progress { kAuto, kOff, kLines };
/// When gathered results go up the tree: once they are a quarter of what is still away there or more work is wanted
/// soon; as soon as there is one; only when they fill 32 KiB. After 0.5 ms in any case.
enum class Gather { kByLoad, kAtOnce, kFull };
/// From the beginning, or where the journal ends.
enum class Start { kFresh, kResume };
/// Who started this process: the user; a farm for its tree; a farm that grows.
enum class Origin { kUser, kTree, kMore };

/// All of them have defaults. On the command line they are --farm-threads N and so on; --resume is short for
/// --farm-resume. `--farm-help` lists them.
struct Options {
  /// The status with which a program ends whose command line is wrong.
  static constexpr int kWrongUsage = 64;

  Options() = default;
  /// Takes the farm's options out of the command line. One that is wrong is said on standard error, and ends the
  /// program with kWrongUsage.
  Options(int& argc, char** argv);
  /// The same, but throws std::invalid_argument for one that is wrong.
  static Options parse(int& argc, char** argv);

  int threads = -1;  ///< Calculate threads of each process; -1: every usable core, shared with other ranks here.
  Order order = Order::kAny;
  int attempts = 3;          ///< A task that failed that often, for whatever reason, goes into quarantine.
  std::string tree_file;     ///< TOML; empty: a tree made from the machine.
  std::vector<int> inputs;   ///< The ranks where an Input runs; empty: the root. A tree file says it by names.
  std::vector<int> outputs;  ///< The same for Output.
  std::string journal;       ///< Where to note what Output has taken; empty: nowhere.
  Start start = Start::kFresh;
  double time_limit_s = 0;     ///< Input stops after that time, and what is under way is finished; 0: never.
  double task_limit_s = 0;     ///< A task that takes longer has failed, and is tried elsewhere; 0: never.
  std::uint64_t expected = 0;  ///< Tasks, if known: for the time left. 0: unknown.
  Progress progress = Progress::kAuto;
  bool summary = true;  ///< Print the summary to standard error at the end.
  Gather gather = Gather::kByLoad;
  bool stragglers_twice = true;  ///< What takes long runs a second time where cores idle.
  int replace = 0;               ///< How many dead children each process replaces by new ones.
  int spares = 0;                ///< The last ranks of the job stay out until they take the places of dead processes.
  int restarts = 3;              ///< How often the process of one place is replaced by a spare.
  Origin origin = Origin::kUser;
  std::vector<std::string> command;  ///< How this program was started, for processes that the farm starts itself.
};

/// A task that was set aside.
struct Quarantined {
  std::uint64_t number;  ///< Counted from 0 in the order of Input.
  int failures;
  std::string last_error;
  int input = 0;  ///< Which Input gave it.
};

/// What one process did.
struct NodeReport {
  int rank = 0;
  int threads = 0;
  std::uint64_t tasks = 0;
  std::uint64_t failures = 0;
  std::uint64_t left_behind = 0;  ///< Threads that did not come back from a task in time.
  double busy_s = 0;              ///< Time in Calculate, added up over the threads.
  double relay_s = 0;             ///< Processor time of the thread that talks to other processes.
  std::uint64_t messages = 0;     ///< That it sent and got.
  std::uint64_t bytes = 0;        ///< In these messages.
  double wall_s = 0;
  double busy_share() const { return wall_s > 0 && threads > 0 ? busy_s / (wall_s * threads) : 0; }
};

/// An Input or an Output whose process died while the run went on without it.
struct LostShare {
  enum class Of { kInput, kOutput };
  Of of = Of::kInput;
  int index = 0;           ///< Which Input or Output, counted from 0.
  int rank = 0;            ///< Where it ran.
  std::uint64_t came = 0;  ///< Pieces that came of the Input; results that the Output said it had taken.
  std::uint64_t lost = 0;  ///< Of the pieces that came: their data died with the Input's process. Results on their way
                           ///< to the Output: whether it took them is not known.
};

struct SlowTask {
  std::uint64_t number;
  double seconds;
};

/// What a run came to. Complete at the server, the root of the tree; elsewhere only the first five mean something.
struct Summary {
  bool server = true;
  bool input = true;            ///< An Input ran in this process.
  bool output = true;           ///< An Output ran in this process.
  bool failed = false;          ///< Input or Output threw, or nobody was left: where that was, run() throws it.
  bool share_lost = false;      ///< An Input or Output died, and the run went on without it: results are missing.
  bool drained = false;         ///< Stopped early, by SIGTERM or the time limit: --resume goes on.
  std::uint64_t tasks = 0;      ///< Results that Output took in this run.
  std::uint64_t skipped = 0;    ///< Taken in an earlier run, by the journal.
  std::uint64_t not_given = 0;  ///< Of those in the journal: for pieces that Input has not given this time.
  std::uint64_t retries = 0;
  std::uint64_t duplicates = 0;  ///< Results that came twice and were dropped.
  int processes = 1;
  int lost_processes = 0;
  int restarted = 0;                  ///< Of the lost: a spare took the place.
  std::vector<std::string> given_up;  ///< Nodes whose processes died more often than they are replaced.
  int threads = 0;
  double wall_s = 0;
  std::vector<LostShare> lost_shares;  ///< What is missing where share_lost is set.
  std::vector<Quarantined> quarantine;
  std::vector<NodeReport> nodes;
  std::vector<SlowTask> slowest;

  /// For main: 0 if every task is done, 1 if some are in quarantine, 2 if the run was stopped early, 3 if it failed, 4
  /// if the share of an Input or Output that died is missing.
  int exit_code() const { return failed ? 3 : share_lost ? 4 : drained ? 2 : quarantine.empty() ? 0 : 1; }
};

}  // namespace starling::farm
