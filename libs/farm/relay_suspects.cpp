// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a relay does with tasks that may have been the end of a process, with those that take too long, and where nobody
// is left that calculates.
#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "relay.hpp"

namespace starling::farm {

/// A suspect is alone in a process, so that there is no doubt should that die. While there are any, the smallest child
/// is kept for them; children that have nothing to do take some as well.
bool Relay::try_suspects() {
  apart_ = -1;
  Tasks cleared;
  std::erase_if(suspects_, [&](Task& task) {
    if (inquest_.suspected(task.number)) return false;
    cleared.push_back(std::move(task));
    return true;
  });
  parts_.ready.put_first(cleared);
  if (suspects_.empty()) return false;
  bool waiting = !estates_.empty();
  for (const auto& [rank, child] : children_) {
    waiting = waiting || !child.joined;
    if (child.calculates() && (apart_ < 0 || child.threads < children_.at(apart_).threads)) apart_ = rank;
  }
  if (apart_ < 0 && !waiting) give_up_suspects();
  bool busy = false;
  for (auto& [rank, child] : children_) {
    if (suspects_.empty()) break;
    if (rank != apart_ && parts_.ready.size() > 0) continue;
    if (!child.calculates() || !child.held.empty() || !parts_.link.idle(rank)) continue;
    Tasks one;
    one.push_back(std::move(suspects_.front()));
    suspects_.pop_front();
    give(rank, child, one);
    child.tries_suspect = true;
    busy = true;
  }
  return busy;
}

/// No child is left to try them in. The server's own process is too good for that: what has been the end of a process
/// is set aside, and so is what may have been, unless the user wants the server to calculate.
void Relay::give_up_suspects() {
  Tasks all(std::make_move_iterator(suspects_.begin()), std::make_move_iterator(suspects_.end()));
  suspects_.clear();
  if (parts_.server == nullptr) return give_back(MessageKind::kSuspects, all);
  const bool server_calculates = parts_.spare_threads == 0 && parts_.workers.threads() > 0;
  for (Task& task : all) {
    if (server_calculates && !inquest_.guilty(task.number)) {
      parts_.ready.put(std::move(task));
      continue;
    }
    task.failures = std::max<std::uint16_t>(task.failures, 1);
    set_aside(task, "a process died at it, and no other is left to try it in");
  }
}

/// To the parent, who still has their inputs.
void Relay::give_back(MessageKind kind, const Tasks& tasks) {
  if (tasks.empty()) return;
  Message message(kind);
  for (const Task& task : tasks) {
    message.add(task, [](Buffer&) {});
    mine_.erase(task.number);
  }
  send(parent_, message.finish());
}

void Relay::on_back(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) {
  const auto child = children_.find(peer);
  if (child == children_.end()) return;
  Tasks again;
  std::vector<std::uint64_t> suspects;
  for (Task& task : tasks_of(message)) {
    const auto held = child->second.held.extract(task.number);
    if (!held) continue;
    task.value = Value(held.mapped().in);
    if (kind == MessageKind::kSuspects) suspects.push_back(task.number);
    if (kind == MessageKind::kSuspects || inquest_.suspected(task.number)) {
      suspects_.push_back(std::move(task));
    } else if (kind == MessageKind::kOverdue) {
      try_elsewhere(std::move(task), peer);
    } else {
      again.push_back(std::move(task));
    }
  }
  inquest_.suspect(suspects);
  parts_.ready.put_first(again);
}

/// A thread that hangs cannot be ended. It is left behind, and its task goes to another process if there is one.
void Relay::take_overdue() {
  const double limit_s = parts_.options.task_limit_s;
  if (limit_s <= 0) return;
  const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(limit_s));
  parts_.workers.take_overdue(limit, [&](Task&& task) {
    char why[64];
    std::snprintf(why, sizeof why, "took longer than %g s", limit_s);
    if (parts_.options.summary) {
      std::fprintf(stderr, "farm: rank %d: task %llu %s; its thread is left behind and another takes its place\n",
                   parts_.link.rank(), static_cast<unsigned long long>(task.number), why);
    }
    if (stopping_) return;
    if (!parts_.program.can_retry() || task.failures >= parts_.options.attempts) return set_aside(task, why);
    if (parts_.server != nullptr) return try_elsewhere(std::move(task), parts_.link.rank());
    Tasks one;
    one.push_back(std::move(task));
    give_back(MessageKind::kOverdue, one);
  });
}

/// In another process than this, if one calculates; not if a copy is under way already, which counts by itself.
void Relay::try_elsewhere(Task&& task, int but_not) {
  if (is_with_a_child(task.number)) return;
  auto least = children_.end();
  const auto load = [](const Child& child) { return child.held.size() / child.threads; };
  for (auto child = children_.begin(); child != children_.end(); ++child) {
    if (child->first == but_not || child->first == apart_ || child->second.is_apart()) continue;
    if (!child->second.calculates()) continue;
    if (least == children_.end() || load(child->second) < load(least->second)) least = child;
  }
  Tasks one;
  one.push_back(std::move(task));
  if (least == children_.end()) return parts_.ready.put(one);
  give(least->first, least->second, one);
}

bool Relay::is_with_a_child(std::uint64_t number) const {
  return std::any_of(children_.begin(), children_.end(),
                     [&](const auto& child) { return child.second.held.contains(number); });
}

/// Where nobody calculates, here or below, nothing waits for a result that cannot come.
void Relay::see_who_calculates() {
  if (threads() > 0 || !estates_.empty()) return;
  if (std::any_of(children_.begin(), children_.end(), [](const auto& child) { return !child.second.joined; })) return;
  if (parts_.server == nullptr) {
    Tasks all;
    parts_.ready.try_take(all, parts_.ready.size());
    return give_back(MessageKind::kBack, all);
  }
  if (parts_.spare_threads > 0) {
    parts_.workers.start(parts_.spare_threads);
    return tell_threads(false);
  }
  parts_.server->trouble(
      lost_.empty() ? "farm: no process has a Calculate thread: --farm-threads or the tree file say 0 for each"
                    : "farm: nobody is left to calculate: " + std::to_string(lost_.size()) +
                          " processes died, and the others have no Calculate threads; with a journal, --resume goes on "
                          "from there");
}

}  // namespace starling::farm
