// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Balancer: balances one array. Process 0 asks all for the loads that they measured since the last step, gives them to
// a strategy, and tells each process which of its elements move.
//
// A step is begun by main, or, when balancing is automatic, by the first process that works when its period is over: it
// tells process 0. Nobody stops for such a step: elements may move at any time. Only a process that works looks at the
// clock, so an idle process sleeps.
//
// **Thread safety**: none. **Invariants**: steps have numbers, and answers to an older step are dropped; loads count
// from zero after each answer; no step begins by itself before an element has worked since the last.
#pragma once

#include <cstdint>
#include <starling/array/balance.hpp>
#include <string>
#include <vector>

#include "balancer_groups.hpp"
#include "balancer_links.hpp"
#include "element/elements.hpp"
#include "element/host.hpp"

namespace starling::array::detail {

/// Moves elements of the balancer's array.
class Mover {
 public:
  /// If the element is still here.
  virtual void move(const Index& index, int to) = 0;

 protected:
  ~Mover() = default;
};

class Balancer final : private GroupSteps::Owner {
 public:
  Balancer(Elements& elements, Host& host, Mover& mover, const Places& places, bool measures = false)
      : elements_(elements),
        host_(host),
        mover_(mover),
        places_(places),
        measures_(measures),
        groups_(elements, host, *this) {}

  bool is_measuring() const { return measures_; }
  /// With other processes.
  void go_on(bool measures) { measures_ = measures; }
  /// Whether what elements send, and what is sent to them, is counted.
  bool is_measuring_links() const { return measures_links_; }
  /// Process 0: everybody measures from now on, or not any more; then nothing is balanced by itself either.
  void measure(bool on);
  /// Process 0: everybody measures what this strategy wants to know.
  void measure_for(const std::string& strategy);
  /// This process, from zero.
  void measure_links(bool on);
  /// From outside of the array to one of its elements.
  void count_visit(const Index& to, std::size_t bytes) { visits_.count(to, bytes); }
  /// Process 0, from main: a step, until the elements have arrived.
  BalanceReport step(const BalanceOptions& options);
  /// Process 0, from main: everybody measures, and a step begins when a period of work is over.
  void repeat(double every_s, const BalanceOptions& options);
  /// Process 0, from main: moves the elements of some processes, and no others, to the rest. Nothing is balanced by
  /// itself any more.
  void vacate(const std::vector<int>& processes);
  const BalanceHistory& history() const { return history_; }
  /// Process 0, from main: what was measured, of all processes.
  CommunicationGraph communication();

  /// A method that is measured ended, after so much work.
  void worked(double load_s, double now_s) {
    worked_s_ += load_s;
    if (now_s < due_s_) return;
    due_s_ = kNever_s;  // once in a period
    post(0, Ask::kDue, heard_, 0);
  }
  /// An element was packed, or unpacked, which took this long.
  void packed(double seconds) {
    move_s_ += seconds;
    ++packed_;
  }
  void unpacked(double seconds) { move_s_ += seconds; }

  void handle_measured(const Record& record);
  void handle_moves(const Record& record);
  void handle_grouped(const Record& record);

 private:
  static constexpr double kNever_s = 1e300;
  enum class Ask : std::uint8_t { kStop, kStart, kTell, kAnswer, kDue };
  /// What process 0 says of the period that begins.
  struct Period {
    double length_s;
    std::uint64_t links;  // 1 where they are to be measured
  };
  // GroupSteps::Owner.
  GroupSteps::Measured measured(bool around_others) override;
  void begin_period(std::uint32_t number, const GroupSteps::Wanted& wanted) override;
  void give_up(std::uint32_t number) override;
  bool decide(std::uint32_t number, const GroupSteps::Total& total) override;

  char* post(int to, Ask what, std::uint32_t number, std::size_t bytes);
  Period next_period() const;
  void ask(Ask what);
  void handle_due(std::uint32_t number);
  void start_period(std::uint32_t number, const Period& period);
  double take_background_s();
  void begin_loads();
  void answer(const Record& asked);
  void take_answer(const Record& record);
  enum class By : std::uint8_t { kAny, kProcess0 };
  void begin(const BalanceOptions& options, By by = By::kAny);
  void decide();
  void note_step(std::size_t moves);
  bool is_worth_it(const balancing::Verdict& verdict, double total_s, double links_s) const;
  double cost_of_move_s() const;
  void send_moves(const balancing::Plan& plan);

  Elements& elements_;
  Host& host_;
  Mover& mover_;
  const Places& places_;
  bool measures_ = false;
  bool measures_links_ = false;
  double due_s_ = kNever_s;   // when a process that works tells so
  std::uint32_t heard_ = 0;   // the last step that asked this process
  double move_s_ = 0;         // since the last answer
  std::uint32_t packed_ = 0;  // elements, since the last answer
  GroupSteps groups_;
  double worked_s_ = 0;  // this array's methods, since the last answer
  double taken_s_ = 0;   // what the process had been taken for at the last answer
  Visits visits_;
  // At process 0.
  std::uint32_t number_ = 0;  // of the last step
  bool is_collecting_ = false;
  bool is_asked_for_ = false;  // by main, which waits
  bool is_due_ = false;        // another one, after the one that is collecting
  bool is_shown_ = false;      // and moves nothing
  bool wants_links_ = false;   // from all, in the next period
  double every_s_ = kNever_s;  // the period that main wants
  double busy_s_ = 0;          // processor time that this step takes here
  double begin_s_ = 0;
  double all_move_s_ = 0;  // by what was measured so far
  std::uint64_t all_moves_ = 0;
  int answers_ = 0;
  BalanceOptions options_;    // of this step
  BalanceOptions automatic_;  // of those that begin by themselves
  BalanceReport report_;
  BalanceHistory history_;
  balancing::Problem problem_;
  std::vector<std::string> names_;  // bytes of the indices of problem_.elements
  LinkAnswers links_;
  std::uint64_t received_ = 0;        // bytes of answers, in this step
  std::vector<double> background_s_;  // of each process
  std::vector<bool> wants_vacated_;   // of each process, by its owner
  CommunicationGraph shown_;
};

}  // namespace starling::array::detail
