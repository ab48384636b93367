// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Router: the server's middle where there are several Inputs or Outputs, or they run elsewhere, or Calculate has
// stages. New pieces, results and what Outputs have taken come to it one after the other; it gives tasks their numbers,
// makes tasks of what a stage returned, brings results into order, and chooses an Output for each: the one that has
// least before it.
//
// Thread safety: the server's Output thread; add() and note_done() before
// that thread has got anything; seen() any thread.
// Invariants: a task is in tasks_ from when it is made until its result was taken, divided or set aside; a piece is in
// pieces_ as long as anything that came of it is in tasks_ or waits for its turn.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <starling/farm/program.hpp>
#include <unordered_map>
#include <unordered_set>

#include "depot/releases.hpp"
#include "gate.hpp"
#include "input_output/outlet.hpp"
#include "queue/queue.hpp"

namespace starling::farm {

/// How many tasks there are. Created by one thread, settled by another.
struct Tally {
  std::atomic<std::uint64_t> created{0};
  std::atomic<std::uint64_t> settled{0};  ///< Taken by Output, divided by a stage, or in quarantine.
  std::atomic<std::uint64_t> skipped{0};  ///< Done by an earlier run.
};

class Router {
 public:
  /// To one Output: in this process, or elsewhere.
  struct Way {
    int rank = 0;
    Outlet* here = nullptr;
    Deliveries* there = nullptr;
    std::uint64_t before_it = 0;  ///< Given and not yet taken.
    std::uint64_t taken = 0;
    bool dead = false;
  };

  struct Parts {
    const Options& options;
    Program& program;
    Queue& ready;
    Tally& tally;
    Journal& journal;  ///< Of the pieces of which all parts are taken.
    Summary& summary;
    Releases& releases;
    bool results_stay;  ///< Large ones, with who calculated them: they may die before an Output has them.
  };

  Router(const Parts& parts, const std::vector<int>& inputs);

  void add(const Way& way) { ways_.push_back(way); }

  /// Done by an earlier run.
  void note_done(const TaskName& name);
  /// Whatever came into the queue of what is done.
  void on_task(Task& task);
  std::size_t live_inputs() const { return sources_.size() - ended_; }
  /// How many pieces of this Input have come.
  std::uint64_t seen(std::size_t input) const { return sources_[input].seen.load(std::memory_order_relaxed); }

  /// Pieces, done at least in part by an earlier run, that no Input has given. After the run.
  std::uint64_t not_given() const;

 private:
  static constexpr std::size_t kNoWay = ~std::size_t{0};

  struct Source {
    int rank = 0;
    std::atomic<std::uint64_t> seen{0};
    bool ended = false;
    bool dead = false;       ///< Before its end.
    Gate done;               ///< By an earlier run.
    std::uint64_t lost = 0;  ///< Pieces whose data died with it.
    std::uint64_t turn = 0;  ///< The next piece whose results go out, in the order of Input.
  };
  struct Known {
    TaskName name;
    bool settled = false;      ///< Its result has come.
    std::size_t way = kNoWay;  ///< To the Output that has been given its result, or is to get it again.
    Slice in{};                ///< Packed, or a Parcel; kept where the task may have to be calculated again.
    bool in_away = false;
    std::optional<Parcel> at{};  ///< The result.
  };
  using TaskPlace = std::unordered_map<std::uint64_t, Known>::iterator;
  struct Piece {
    std::uint64_t open = 0;     ///< Tasks whose result has not come.
    std::uint64_t untaken = 0;  ///< Results that wait for their turn or are with an Output.
    bool divided = false;
    bool incomplete = false;  ///< Something of it is in quarantine.
    std::vector<std::pair<TaskName, Task>> waiting;
  };

  void admit(Task& task);
  void end_input(std::size_t input, bool dead);
  void lose_output(std::size_t which);
  void begin(const TaskName& name, Value&& value, bool away);
  void calculate_again(std::uint64_t number, Known& known);
  void missing(std::uint64_t number);
  void lose_results_of(const Parcel& holder);
  void lose_task(TaskPlace found);
  void note_lost(std::size_t input);
  void deliver_again(Task& task, TaskPlace found);
  void end_wait_of_output(std::uint64_t number, Known& known);
  void drop_duplicate(const Task& task, TaskPlace found);
  void forget(TaskPlace found);
  void settle(Task& task);
  void divide(const TaskName& name, std::vector<Value>& parts);
  void deliver_pieces_in_turn(Source& source, std::size_t input);
  std::size_t least_loaded() const;
  void deliver(Task& task, const TaskName& name);
  void taken(std::uint64_t number);
  void report(const LostShare& share, const char* then) const;
  void retire_if_over(std::uint64_t piece);

  Parts parts_;
  std::vector<Source> sources_;
  std::vector<Way> ways_;
  std::size_t ended_ = 0;
  std::uint64_t next_number_ = 0;
  std::unordered_map<std::uint64_t, Known> tasks_;  ///< By number.
  std::unordered_map<std::uint64_t, Piece> pieces_;
  std::unordered_set<TaskName, TaskNameHash> done_parts_;
};

}  // namespace starling::farm
