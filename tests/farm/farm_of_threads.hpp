// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whole farms whose processes are threads of a test.
//
// Thread safety: one thread calls.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "numbers.hpp"
#include "run/node.hpp"
#include "thread_link.hpp"

namespace starling::farm {

inline const std::atomic<bool> kNobodyAsks{false};
inline std::atomic<int> never_grows{0};

inline Options quiet() {
  Options options;
  options.progress = Progress::kOff;
  return options;
}

inline Summary summary_of(const NodeOutcome& outcome) {
  if (outcome.error) std::rethrow_exception(outcome.error);
  return outcome.summary;
}

inline Tree tree_of(const std::vector<int>& parents) {
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
inline Tree graph_of(const std::vector<int>& parents, const std::vector<std::pair<int, int>>& further) {
  Tree tree = tree_of(parents);
  for (const auto& [rank, parent] : further) {
    tree.nodes[static_cast<std::size_t>(rank)].further_parents.push_back(parent);
    tree.nodes[static_cast<std::size_t>(parent)].further_children.push_back(rank);
  }
  return tree;
}
/// Ends the test's process where a farm does not end: a test that waits for ever says nothing.
class Watchdog {
 public:
  explicit Watchdog(std::string what) {
    thread_ = std::jthread([this, what = std::move(what)] {
      std::unique_lock lock(mutex_);
      if (over_.wait_for(lock, std::chrono::seconds(60), [this] { return ended_; })) return;
      std::fprintf(stderr, "a farm did not end in 60 s: %s\n", what.c_str());
      std::abort();
    });
  }
  ~Watchdog() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    over_.notify_all();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool ended_ = false;
  std::jthread thread_;
};

/// Every rank of the tree on a thread of its own; `meanwhile` may kill some.
inline NodeOutcome outcome_of_tree(Program& program, const Options& options, const Tree& tree, Net& net,
                                   int root_threads, const std::function<void()>& meanwhile = {}) {
  const Watchdog watchdog(net.story());
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
inline Summary run_tree(Program& program, const Options& options, const Tree& tree, Net& net, int root_threads,
                        const std::function<void()>& meanwhile = {}) {
  const NodeOutcome outcome = outcome_of_tree(program, options, tree, net, root_threads, meanwhile);
  EXPECT_TRUE(meanwhile || net.unread() == 0);
  return summary_of(outcome);
}

inline Summary run_tree(Program& program, const Options& options, const std::vector<int>& parents, Net& net,
                        int root_threads, const std::function<void()>& meanwhile = {}) {
  return run_tree(program, options, tree_of(parents), net, root_threads, meanwhile);
}

inline Summary run_tree(Numbers& numbers, const Options& options, const Tree& tree, Net& net,
                        const std::function<void()>& meanwhile = {}) {
  return numbers.run(options,
                     [&](const Options& o, Program& program) { return run_tree(program, o, tree, net, 1, meanwhile); });
}
inline Summary run_tree(Numbers& numbers, const Options& options, const std::vector<int>& parents, Net& net,
                        const std::function<void()>& meanwhile = {}) {
  return run_tree(numbers, options, tree_of(parents), net, meanwhile);
}
}  // namespace starling::farm
