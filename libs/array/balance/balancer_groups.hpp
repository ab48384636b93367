// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// GroupSteps: a balancing step that is decided by the leaders of groups (groups.hpp), for one array on one process. The
// step begins at process 0, goes down the tree and comes back four times: who are asked tell their loads, and leaders
// sums of them; leaders are told what to give away, and tell what their plan is worth; then process 0 says whether it
// is carried out.
//
// **Thread safety**: none. **Invariants**: steps have numbers, and what belongs to an older one is dropped; loads count
// from zero when a step is over, so one that is given up has changed nothing.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "element/elements.hpp"
#include "element/host.hpp"
#include "groups.hpp"

namespace starling::array::detail {

/// Tells a process which of its elements move, each with where to.
void post_moves(Host& host, std::uint16_t array, int process,
                const std::vector<std::pair<int, const std::string*>>& moves);

class GroupSteps {
 public:
  /// What process 0 says to all.
  struct Wanted {
    double tolerated = 1;
    double period_s = 0;
    std::uint64_t measures_links = 0;
    std::uint64_t around_others = 0;
    std::uint64_t group = 16;
  };
  /// What a process adds to the loads of its elements.
  struct Measured {
    double move_s = 0;  // what moves took since the last step
    double background_s = 0;
    std::uint64_t moved = 0;
    std::uint64_t wants_vacated = 0;
  };
  /// Of all below a leader.
  struct Total {
    double load_s = 0;
    double most_s = 0;     // of a process
    double after_s = 0;    // the same with the plan
    double largest_s = 0;  // of an element
    double move_s = 0;
    std::uint64_t moved = 0;
    std::uint64_t wants_vacated = 0;
    std::uint64_t moves = 0;       // of the plan
    std::uint64_t most_bytes = 0;  // that one process has received
    void add(const Total& other);
  };
  class Owner {
   public:
    virtual Measured measured(bool around_others) = 0;
    /// The step is over, and another period begins.
    virtual void begin_period(std::uint32_t number, const Wanted& wanted) = 0;
    /// Process 0: somebody wants his process to himself, which this step cannot do.
    virtual void give_up(std::uint32_t number) = 0;
    /// Process 0: whether the plan is carried out.
    virtual bool decide(std::uint32_t number, const Total& total) = 0;

   protected:
    ~Owner() = default;
  };

  GroupSteps(Elements& elements, Host& host, Owner& owner) : elements_(elements), host_(host), owner_(owner) {}

  /// Process 0.
  void begin(std::uint32_t number, const Wanted& wanted);
  void handle(const Record& record);

 private:
  enum class What : std::uint8_t { kAsk, kLoads, kSum, kTask, kPlan, kGo };
  /// What this process knows as a leader of one level.
  struct Level {
    int answers = 0;
    std::vector<balancing::Part> parts;
    Total total;
  };

  char* post(int to, What what, int level, std::size_t bytes);
  template <class Info>
  void tell(int to, What what, int level, const Info& info);
  template <class Info>
  void tell_parts(What what, int level, const Info& info);
  bool is_complete(int level);
  void handle_ask(int level);
  void tell_loads();
  void take_loads(const Record& record);
  void take_sum(const Record& record, int level);
  void sum_is_complete(int level);
  void lead(int level, const balancing::Task& task);
  void make_plan(const balancing::Task& task);
  void plan_is_complete(int level);
  void handle_go(int level, bool is_carried_out);
  void send_moves();

  Elements& elements_;
  Host& host_;
  Owner& owner_;
  std::uint32_t number_ = 0;
  Wanted wanted_;
  balancing::GroupTree tree_;
  std::uint64_t received_ = 0;  // bytes from others, in this step
  std::vector<Level> levels_;   // by level
  // As a leader of processes.
  balancing::Problem problem_;
  std::vector<std::string> names_;  // bytes of the indices of problem_.elements
  balancing::Moves moves_;
};

}  // namespace starling::array::detail
