// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "failover.hpp"

#include <algorithm>
#include <cstdio>

namespace starling::farm {
namespace {

constexpr auto kPatienceWithOrphans = std::chrono::seconds(5);

}  // namespace

void Failover::on_death(int peer) {
  Children::Removed removed = context_.children.remove(peer);
  if (!removed) return;
  Child& dead = removed.mapped();
  upstream_.tell_loss(peer, context_.neighbors.deaths(peer));
  // An orphan that died before it joined here: its children may claim in its place.
  const bool claimed = dead.joined && !dead.owes_claims;
  const int owner = dead.lost_parent >= 0 && !claimed ? dead.lost_parent : peer;
  Unclaimed& unclaimed = unclaimed_[owner];
  unclaimed.deadline = Clock::now() + kPatienceWithOrphans;
  unclaimed.orphans.erase(peer);
  if (const auto calculated = dead.slate.read()) {
    unclaimed.calculated.insert(unclaimed.calculated.end(), calculated->begin(), calculated->end());
  } else {
    unclaimed.calculated_known = false;
  }
  unclaimed.held.merge(dead.held);
  const auto is_below = [&](int rank) { return context_.children.find(rank) != nullptr; };
  if (context_.tree.inherits(context_.neighbors.rank(), peer, is_below)) {
    for (const int orphan : context_.tree.nodes[static_cast<std::size_t>(peer)].children) adopt(orphan, owner);
  }
  upstream_.tell_threads(false);
}

/// The orphan may have moved here already, or have died: then its Hello came, or its death will. While the farm ends
/// it may have been told so and be gone: nobody waits for it, and it and all below it find the word here if they come.
void Failover::adopt(int orphan, int dead_parent) {
  if (Child* const here = context_.children.find(orphan)) {
    here->excused = false;
    if (!here->further) return;
    if (!here->claims.empty()) return take_claims(orphan, *here, dead_parent);
    if (!here->joined) return;
    here->owes_claims = true;
    here->lost_parent = dead_parent;
    unclaimed_[dead_parent].orphans.insert(orphan);
    return;
  }
  if (context_.children.stopping()) {
    context_.children.send_stop(orphan);
    for (const int below : context_.tree.nodes[static_cast<std::size_t>(orphan)].children) adopt(below, orphan);
    return;
  }
  context_.children.add(orphan).lost_parent = dead_parent;
  unclaimed_[dead_parent].orphans.insert(orphan);
}

void Failover::on_adopted(int rank, Child& child, const std::vector<std::uint64_t>& held) {
  const auto found = unclaimed_.find(child.lost_parent);
  if (found == unclaimed_.end()) return;
  Unclaimed& unclaimed = found->second;
  for (const std::uint64_t number : held) {
    if (auto task = unclaimed.held.extract(number)) child.held.insert(std::move(task));
  }
  unclaimed.orphans.erase(rank);
}

/// It may tell of its parent's death before this process hears of that.
void Failover::on_claims(int rank, Child& child, const std::vector<std::uint64_t>& held) {
  child.claims = held;
  for (const int parent : context_.tree.ancestors(rank)) {
    if (unclaimed_.contains(parent)) return take_claims(rank, child, parent);
  }
}

void Failover::take_claims(int rank, Child& child, int dead_parent) {
  Unclaimed& unclaimed = unclaimed_[dead_parent];
  unclaimed.orphans.erase(rank);
  child.owes_claims = false;
  for (const std::uint64_t number : std::exchange(child.claims, {})) {
    if (auto task = unclaimed.held.extract(number)) child.held.insert(std::move(task));
  }
}

void Failover::end_claims() {
  for (auto each = unclaimed_.begin(); each != unclaimed_.end();) {
    if (!each->second.orphans.empty() && each->second.deadline >= Clock::now()) {
      ++each;
      continue;
    }
    const Unclaimed unclaimed = std::move(each->second);
    each = unclaimed_.erase(each);
    if (!context_.children.stopping()) settle(unclaimed);
  }
}

/// What nobody claimed is calculated again, in the order in which it was given out.
void Failover::settle(const Unclaimed& unclaimed) {
  std::vector<std::pair<std::uint64_t, const HeldTask*>> oldest;
  std::vector<std::uint64_t> calculated;
  for (const auto& [number, task] : unclaimed.held) {
    oldest.emplace_back(number, &task);
    const auto& known = unclaimed.calculated;
    if (!unclaimed.calculated_known || std::count(known.begin(), known.end(), number) > 0) calculated.push_back(number);
  }
  std::sort(oldest.begin(), oldest.end(),
            [](const auto& a, const auto& b) { return a.second->order < b.second->order; });
  const std::optional<PoisonFinder::Finding> finding = finder_.on_death(calculated);
  Tasks again;
  for (const auto& [number, had] : oldest) calculate_again(number, *had, finding, again);
  context_.ready.put_first(again);
}

void Failover::calculate_again(std::uint64_t number, const HeldTask& had,
                               const std::optional<PoisonFinder::Finding>& finding, Tasks& again) {
  Task task;
  task.number = number;
  task.value = Value(had.in);
  task.away = had.away;
  task.failures = had.failures;
  if (finding && finding->task == number) task.failures = static_cast<std::uint16_t>(had.failures + finding->deaths);
  if (task.failures >= context_.options.attempts) {
    context_.quarantine(task, "the process that calculated it died");
  } else if (finder_.suspected(number)) {
    suspects_.push_back(std::move(task));
  } else if (!context_.is_elsewhere(number)) {  // a copy that is under way counts by itself
    again.push_back(std::move(task));
  }
}

void Failover::on_results(const Tasks& results) {
  for (const Task& result : results) finder_.clear(result.number);
}

/// A suspect is alone in a process, so that there is no doubt should that die. While there are any, the smallest child
/// is kept for them; children that have nothing to do take some as well.
bool Failover::try_suspects() {
  return_cleared();
  context_.children.reserve(-1);
  if (suspects_.empty()) return false;
  if (!reserve_child()) give_up_suspects();
  bool busy = false;
  for (auto& [rank, child] : context_.children) {
    if (suspects_.empty()) break;
    if (rank != context_.children.reserved() && context_.ready.size() > 0) continue;
    if (!child.calculates() || child.load() > 0 || !context_.neighbors.idle(rank)) continue;
    Tasks one;
    one.push_back(std::move(suspects_.front()));
    suspects_.pop_front();
    dispatcher_.give(rank, child, one, [this](Task&& task) { suspects_.push_back(std::move(task)); });
    child.tries_suspect = true;
    busy = true;
  }
  return busy;
}

/// Those that are not suspected any more are tasks like others.
void Failover::return_cleared() {
  Tasks cleared;
  std::erase_if(suspects_, [&](Task& task) {
    if (finder_.suspected(task.number)) return false;
    cleared.push_back(std::move(task));
    return true;
  });
  context_.ready.put_first(cleared);
}

/// False if there is no child, and none is about to join.
bool Failover::reserve_child() {
  int smallest = -1;
  for (const auto& [rank, child] : context_.children) {
    if (!child.calculates()) continue;
    if (smallest < 0 || child.threads < context_.children.find(smallest)->threads) smallest = rank;
  }
  context_.children.reserve(smallest);
  return smallest >= 0 || waits_for_claims() || !context_.children.all_joined();
}

/// The root's own process must not die: what ended a process is set aside, and so is what may have, unless the user
/// wants the root to calculate.
void Failover::give_up_suspects() {
  Tasks all(std::make_move_iterator(suspects_.begin()), std::make_move_iterator(suspects_.end()));
  suspects_.clear();
  if (upstream_.give_back(MessageKind::kSuspects, all)) return;
  const bool calculates = last_resort_ == LastResort::kTryHere && context_.workers.threads() > 0;
  for (Task& task : all) {
    if (calculates && !finder_.blamed(task.number)) {
      context_.ready.put(std::move(task));
      continue;
    }
    task.failures = std::max<std::uint16_t>(task.failures, 1);
    context_.quarantine(task, "a process died while it calculated this task, and no other is left to try it in");
  }
}

void Failover::on_given_back(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) {
  Child* const child = context_.children.find(peer);
  if (child == nullptr || context_.children.stopping()) return;  // stopped children take no tasks
  Tasks again;
  std::vector<std::uint64_t> suspects;
  for (Task& task : tasks_of(message)) {
    std::erase(child->claims, task.number);
    const auto held = child->held.extract(task.number);
    if (!held) continue;
    task.value = Value(held.mapped().in);
    task.away = held.mapped().away;
    if (kind == MessageKind::kSuspects) suspects.push_back(task.number);
    if (kind == MessageKind::kSuspects || finder_.suspected(task.number)) {
      suspects_.push_back(std::move(task));
    } else if (kind == MessageKind::kOverdue) {
      dispatcher_.try_elsewhere(std::move(task), peer);
    } else {
      again.push_back(std::move(task));
    }
  }
  finder_.suspect(suspects);
  context_.ready.put_first(again);
}

/// A thread that hangs cannot be ended. It is left behind, and its task goes to another process if there is one.
void Failover::take_overdue() {
  const double limit_s = context_.options.task_limit_s;
  if (limit_s <= 0) return;
  const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(limit_s));
  context_.workers.take_overdue(limit, [&](Task&& task) { on_overdue(std::move(task)); });
}

void Failover::on_overdue(Task&& task) {
  context_.stragglers.leave(task.number);
  const int rank = context_.neighbors.rank();
  char why[64];
  std::snprintf(why, sizeof why, "took longer than %g s", context_.options.task_limit_s);
  if (context_.options.summary) {
    std::fprintf(stderr, "farm: rank %d: task %llu %s; its thread is left behind and another takes its place\n", rank,
                 static_cast<unsigned long long>(task.number), why);
  }
  if (context_.children.stopping()) return;
  if (!context_.program.can_retry() || task.failures >= context_.options.attempts) {
    return context_.quarantine(task, why);
  }
  Tasks one;
  one.push_back(std::move(task));
  if (!upstream_.give_back(MessageKind::kOverdue, one)) dispatcher_.try_elsewhere(std::move(one.front()), rank);
}

}  // namespace starling::farm
