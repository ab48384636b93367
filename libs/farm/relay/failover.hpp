// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Failover: what becomes of tasks whose process dies or whose thread hangs. The children of a dead child are adopted,
// and go on with the tasks that they still have; what none of them claims is calculated again. A task that may have
// ended a process is a suspect, and is tried alone in one.
//
// Thread safety: the relay's thread.
#pragma once

#include <deque>
#include <set>

#include "dispatcher.hpp"
#include "poison/poison_finder.hpp"
#include "upstream.hpp"

namespace starling::farm {

class Failover {
 public:
  /// What to do with suspects that no child is left to try.
  enum class LastResort { kSetAside, kTryHere };

  Failover(const RelayContext& context, Dispatcher& dispatcher, Upstream& upstream, LastResort last_resort)
      : context_(context), dispatcher_(dispatcher), upstream_(upstream), last_resort_(last_resort) {}

  void on_death(int peer);
  /// An adopted child tells which tasks it still has.
  void on_adopted(int rank, Child& child, const std::vector<std::uint64_t>& held);
  /// The same of a child that was here before.
  void on_claims(int rank, Child& child, const std::vector<std::uint64_t>& held);
  /// A child has given tasks back.
  void on_given_back(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message);
  /// Results have come: these tasks end no process.
  void on_results(const Tasks& results);

  /// Whether orphans may still claim tasks.
  bool waits_for_claims() const { return !unclaimed_.empty(); }
  void end_claims();
  /// Gives suspects to children. False if none got any.
  bool try_suspects();
  /// Takes tasks that are calculated for too long from their threads, and has them tried in another process.
  void take_overdue();

 private:
  /// What a dead child held, while its own children may still have it.
  struct Unclaimed {
    HeldTasks held;
    std::set<int> orphans;                  ///< They have not said yet what they have.
    std::vector<std::uint64_t> calculated;  ///< By those that died, at that moment.
    bool calculated_known = true;
    Clock::time_point deadline;
  };

  void adopt(int orphan, int dead_parent);
  void take_claims(int rank, Child& child, int dead_parent);
  void settle(const Unclaimed& unclaimed);
  void calculate_again(std::uint64_t number, const HeldTask& had, const std::optional<PoisonFinder::Finding>& finding,
                       Tasks& again);
  void return_cleared();
  bool reserve_child();
  void give_up_suspects();
  void on_overdue(Task&& task);

  const RelayContext& context_;
  Dispatcher& dispatcher_;
  Upstream& upstream_;
  const LastResort last_resort_;
  std::map<int, Unclaimed> unclaimed_;  ///< By the dead child.
  PoisonFinder finder_;
  std::deque<Task> suspects_;
};

}  // namespace starling::farm
