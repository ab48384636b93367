// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ParentUpstream: the processes above. Results are gathered for each and go up together; tasks that come back, deaths
// and wishes go up at once.
//
// There is a parent, and there may be further ones, the nearer first. The nearest that lives is told how many threads
// there are here, and gives tasks; the others are told of none. When a parent dies its own parent takes its place, to
// hear what is still had of its tasks, and the next further parent gives more, so nobody waits. Where no parent is left
// those that took their place give tasks. Once a spare is in the place of a dead one this process works for it again,
// and the others still get the results of what they gave.
//
// Thread safety: the relay's thread. Invariants: no two of those above are the same process; the result of a task goes
// to who gave it, or to who took the place of that.
#pragma once

#include <set>
#include <unordered_set>

#include "upstream.hpp"

namespace starling::farm {

class ParentUpstream final : public Upstream {
 public:
  explicit ParentUpstream(const RelayContext& context);

  std::chrono::milliseconds look_period() const override { return std::chrono::milliseconds(100); }
  /// The tree's reduction: first when all below have told theirs, then whenever something changes.
  void tell_threads(bool joining) override;
  void take_tasks(int parent, const std::shared_ptr<const Buffer>& message) override;
  bool send_results() override;
  bool results_wait() const override;
  /// Those above still have the inputs of these tasks.
  bool give_back(MessageKind kind, const Tasks& tasks) override;
  void on_no_threads() override;
  bool runs_out() const override { return false; }
  void drain() override;
  void grow() override;
  void tell_loss(int place, int deaths_before) override;
  std::vector<Replacement> replace_dead() override { return {}; }
  void on_replaced(int place) override;
  bool on_death(int peer) override;
  void on_stop(int peer) override;
  /// All tell this process to stop that were told of it; those that died and what took their place may not.
  bool released() const override;
  std::optional<RunEnd> ended() const override { return std::nullopt; }
  void say_bye(const std::vector<NodeReport>& reports) override;

 private:
  struct Above {
    std::vector<int> way;   ///< The process itself, then what is above it. Empty when the run ends after its death.
    bool is_parent = true;  ///< Not one that is there for a parent that died.
    std::size_t order = 0;  ///< Of a parent: how many are nearer; of another: of its place in the way up.
    bool joined = false;
    bool stopped = false;  ///< It has said its last word.
    std::uint64_t threads_told = 0;
    std::unordered_set<std::uint64_t> unanswered;  ///< Tasks from it whose results have not gone up.
    Message gathered{MessageKind::kResults};
    Clock::time_point gathered_since;
  };

  Above above_of(int process) const;
  void add(int parent);
  Above& nearest();
  /// Who gets the answer to a task; it is answered now.
  Above& answer(std::uint64_t number);
  void join(Above& above, bool anew);
  void send(const Above& above, std::shared_ptr<const Buffer> message);
  void flush(Above& above);
  bool flush_if_enough(Above& above);
  bool stays_here(const Task& result, const Above& above) const;
  void replace(std::size_t index);

  const RelayContext& context_;
  std::vector<Above> above_;  ///< Parents first, of these and of the others the nearest first.
  std::set<int> further_up_;  ///< Above those that died while the run ended.
  bool joined_ = false;       ///< It has said Hello to somebody, or need not wait for those below.
};

}  // namespace starling::farm
