// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Starts a farm on MPI: finds or starts the processes, makes the tree, runs this process's part.
#include <csignal>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/usable_cores.hpp"
#include "mpi/communicator.hpp"
#include "node.hpp"
#include "processes.hpp"
#include "server/progress.hpp"
#include "share_tree.hpp"
#include "wire/mpi_link.hpp"

namespace starling::farm {
namespace {

// Set in signal handlers.
std::atomic<bool> asked_to_end{false};
std::atomic<int> asked_to_grow{0};

/// While it lives SIGTERM asks for an end in order, and SIGUSR1 for one more process.
class Signals {
 public:
  Signals() {
    asked_to_end = false;
    asked_to_grow = 0;
    handle(
        SIGTERM, [](int) { asked_to_end = true; }, &before_term_);
    handle(
        SIGUSR1, [](int) { ++asked_to_grow; }, &before_usr1_);
  }
  ~Signals() {
    sigaction(SIGTERM, &before_term_, nullptr);
    sigaction(SIGUSR1, &before_usr1_, nullptr);
  }

 private:
  static void handle(int signal, void (*handler)(int), struct sigaction* before) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, before);
  }
  struct sigaction before_term_ {};
  struct sigaction before_usr1_ {};
};

/// A part of a core calculates as well as a whole one, only slower.
int cores_to_calculate() { return static_cast<int>(core_limits().usable(PartialCore::kOne)); }

struct Threads {
  int now;
  int spare = 0;  ///< For when nobody else is left.
};

/// Where deaths are survived the server's process is the one that must not die: unless it was told how many threads to
/// have it leaves its cores to the others of its host.
bool root_calculates(const Options& options, const Tree& tree) {
  return !survives_deaths() || options.threads >= 0 || tree.nodes[static_cast<std::size_t>(tree.root())].threads >= 0;
}

Threads threads_here(const Options& options, const Tree& tree, int rank) {
  const TreeNode& here = tree.nodes[static_cast<std::size_t>(rank)];
  const int threads = here.threads < 0 ? options.threads : here.threads;
  if (threads >= 0) return {threads};
  const bool all_calculate = root_calculates(options, tree);
  const int cores = cores_to_calculate();
  if (!all_calculate && rank == tree.root() && here.sharers > 0) return {0, cores};
  const int sharers = std::max(1, here.sharers);
  return {std::max(1, cores / sharers + (!all_calculate && here.sharers_before < cores % sharers ? 1 : 0))};
}

Tree tree_for(const Options& options, std::vector<std::string> hosts) {
  Tree tree;
  tree.spares = tree.restarts = -1;
  if (!options.tree_file.empty()) tree = read_tree_file(options.tree_file);
  set_spares(tree, options, hosts.size());
  if (tree.spares > 0 && !survives_deaths()) {
    throw std::runtime_error(formatted(
        "farm: spares are of no use here, for the death of a process ends the whole job{}; take --farm-spares "
        "or the line of the tree file out",
        how_to_survive()));
  }
  hosts.resize(hosts.size() - static_cast<std::size_t>(tree.spares));
  Tree placed = options.tree_file.empty() ? default_tree(hosts) : place_tree(tree, hosts, options.tree_file);
  placed.spares = tree.spares;
  placed.restarts = tree.restarts;
  put_inputs_and_outputs(placed, options);
  count_sharers(placed, hosts, root_calculates(options, placed));
  return placed;
}

/// One that joins later sees its parent and itself, and asks nobody; its parent's Inputs and Outputs are not its own.
Tree tree_of_one_more(const Options& options) {
  const std::vector<std::string> here(2);
  Tree tree = default_tree(here);
  count_sharers(tree, here, root_calculates(options, tree));
  return tree;
}

/// A spare whose run has ended.
NodeOutcome not_needed(RunEnd end) {
  NodeOutcome outcome;
  outcome.summary.server = outcome.summary.input = outcome.summary.output = false;
  outcome.summary.failed = end == RunEnd::kFailed;
  outcome.summary.share_lost = end == RunEnd::kShareLost;
  return outcome;
}

NodeOutcome run_here(const Options& options, Program& program) {
  const Processes processes(options);
  const MPI_Comm comm = processes.comm();
  const auto make = [&](std::vector<std::string> hosts) { return tree_for(options, std::move(hosts)); };
  const Share share = options.origin == Origin::kMore ? Share{tree_of_one_more(options)}
                                                      : share_tree(comm, Processes::own_host(), make);
  const Signals signals;
  std::optional<Assignment> assignment;
  if (share.root_of_spare >= 0) {
    RunEnd end = RunEnd::kComplete;
    assignment = wait_for_place(comm, share.root_of_spare, end);
    if (!assignment) return not_needed(end);
  }
  const Tree& tree = assignment ? assignment->tree : share.tree;
  const int rank = assignment ? assignment->place : any_mpi::rank_of(comm);
  MpiLink link(comm, rank, [&] { return Processes::start_one_more(options); });
  if (rank == tree.root() && tree.nodes.size() > 1 && !survives_deaths() && options.summary) {
    std::fprintf(stderr, "farm: the death of a process will end the whole job%s%s\n", how_to_survive(),
                 options.journal.empty() ? "; --farm-journal FILE keeps what is done" : "; the journal keeps it");
  }
  const Threads threads = threads_here(options, tree, rank);
  NodeSetting setting{threads.now, &asked_to_end, &asked_to_grow, threads.spare};
  if (assignment) setting.replaced = assignment->replaced;
  return run_node(options, program, link, tree, setting);
}

}  // namespace

Summary run(const Options& options, Program& program) {
  const NodeOutcome outcome = run_here(options, program);
  if (outcome.error) std::rethrow_exception(outcome.error);
  if (outcome.summary.server && options.summary) std::fputs(summary_text(outcome.summary).c_str(), stderr);
  return outcome.summary;
}

}  // namespace starling::farm
