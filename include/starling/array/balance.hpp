// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Load balancing: which elements move where. A strategy is a pure function from measured loads to moves.
//
//     balancing::Plan plan = balancing::balance("refine", problem);      what a balancing step of an array does, with
//     what it measured
//
// **Thread safety**: pure functions. **Invariants**: no strategy moves an element that is fixed, or to a process that
// takes none; an element moves at most once in a plan. Sources: R. Graham, Bounds on multiprocessing timing anomalies,
// 1969 (greedy); R. Brunner, L. Kalé, Adapting to load on workstation clusters, Frontiers 1999 (refine); G. Cybenko,
// Dynamic load balancing for distributed memory multiprocessors, 1989 (diffusion).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starling::array {

namespace balancing {

struct Problem {
  struct Element {
    double load = 0;  // seconds of work since the last step; below 0: not measured yet
    std::int32_t process = 0;
    bool is_fixed = false;  // a coroutine waits in it
  };
  struct Link {  // between two elements, by their places in `elements`
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double bytes = 0;
    double messages = 0;
  };
  struct Anchor {  // between an element and what does not move: elements of other arrays on a process, or main
    std::uint32_t element = 0;
    std::int32_t process = 0;
    double bytes = 0;
    double messages = 0;
  };
  int processes = 1;
  std::vector<Element> elements;
  std::vector<Link> links;
  std::vector<Anchor> anchors;
  std::vector<double> background;  // other load of each process, in seconds; empty: none
  std::vector<bool> vacated;       // processes that must give up their elements; empty: none
  double tolerated = 1.02;         // refine, diffusion and graph stop at this imbalance
  int group = 16;                  // processes of one group of hierarchical
  // What graph weighs links, anchors and moves by, in one unit; seconds in a step of an array.
  double cost_of_byte = 1;  // between processes
  double cost_of_message = 0;
  double cost_of_move = 0;  // of one element
};

struct Move {
  std::uint32_t element = 0;  // its place in Problem::elements
  std::int32_t to = 0;
  bool operator==(const Move&) const = default;
};

/// What a plan is worth.
struct Verdict {
  double imbalance_before = 1;  // the largest process's load, over the average of those that take elements
  double imbalance_after = 1;
  double bound = 1;                 // no plan gets below: the largest element, or the largest background, alone
  double bytes_between_before = 0;  // of the links and anchors, between processes
  double bytes_between_after = 0;
  double messages_between_before = 0;
  double messages_between_after = 0;
  std::size_t moves = 0;
  std::string text() const;  // one line, without an end
};

struct Plan {
  std::vector<Move> moves;
  Verdict verdict;
};

/// Throws std::invalid_argument for a strategy's name that is none, with those that are.
Plan balance(std::string_view strategy, const Problem& problem);
Verdict judge(const Problem& problem, const std::vector<Move>& moves);
/// What was not measured yet is taken to be as the mean of what was: 0 where nothing was.
void weigh_unmeasured(Problem& problem);
/// Whether a strategy looks at Problem::links and anchors. Throws as balance does.
bool wants_links(std::string_view strategy);
/// What the links and anchors between processes cost by Problem's prices: as elements lie, and after moves.
double cost_of_links(const Problem& problem, const std::vector<Move>& moves = {});

}  // namespace balancing

/// How an array is balanced.
struct BalanceOptions {
  std::string strategy = "refine";
  double tolerated = 1.02;        // an imbalance that is good enough
  std::vector<int> vacated = {};  // processes that give up all their elements: their owners want them back
  bool always = false;            // also if the moves cost more than the plan gains by the next step
  // Whether what else a process did since the last step counts as its load, which stays there: the time for which
  // other programs, or other ranks on its core, kept methods waiting, and the work of other arrays that are measured.
  bool around_others = false;
  int group = 16;                 // of hierarchical: processes whose loads one of them knows, 2 to 1024
  double cost_of_move_s = 10e-6;  // what moving one element costs, until that has been measured
  // What a message to another process takes of both, beyond one to the same process; for strategies that weigh links.
  double cost_of_message_s = 0.25e-6;
  double cost_of_byte_s = 0.5e-9;
};

/// What a balancing step found and did.
struct BalanceReport {
  balancing::Verdict verdict;
  bool moved = false;            // the gain was worth the moves
  std::uint64_t most_bytes = 0;  // loads, sums and tasks that one process received, the one that received most
  double decide_s = 0;           // to collect the loads and make the plan
  double move_s = 0;
  std::string text() const;
};

/// What balancing that is automatic has done since it was asked for.
struct BalanceHistory {
  std::uint64_t steps = 0;             // in which loads were collected and a plan was made
  std::uint64_t steps_that_moved = 0;  // the others' plans were not worth it
  std::uint64_t moves = 0;
  BalanceReport last;  // its move_s is the time to order the moves: nobody waits for them
};

/// Which elements of an array talked with which, where they are and how much they worked, since measuring began or the
/// last balancing step.
struct CommunicationGraph {
  struct Node {
    std::string name;  // the index, or "others on process P": main and the elements of other arrays there
    int process = 0;
    double load_s = 0;
  };
  struct Link {  // from the element that sent, or asked, by its place in `nodes`; between others and an element, from
                 // them
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double messages = 0;
    double bytes = 0;
  };
  std::vector<Node> nodes;
  std::vector<Link> links;

  /// A line for each link, below one with the names of its columns: from, from_process, to, to_process, messages,
  /// bytes.
  std::string csv() const;
  /// For Graphviz: a box for each process, lines as thick as their links have bytes.
  std::string dot() const;
};

/// The names of all strategies.
std::vector<std::string> strategies();

}  // namespace starling::array
