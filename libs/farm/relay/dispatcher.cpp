// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dispatcher.hpp"

#include <algorithm>

namespace starling::farm {
namespace {

constexpr std::size_t kMostTasksAtOnce = 4096;

}  // namespace

bool Dispatcher::dispatch() {
  bool busy = false;
  // All get something before anybody gets more than its threads can begin with.
  for (auto& [rank, child] : context_.children) busy |= dispatch_to(rank, child, child.threads);
  for (auto& [rank, child] : context_.children) busy |= dispatch_to(rank, child, child.window.limit());
  return busy;
}

bool Dispatcher::dispatch_to(int rank, Child& child, std::uint64_t limit) {
  if (!child.calculates() || !context_.children.is_open(rank, child)) return false;
  if (context_.ready.size() == 0 || child.load() >= limit || !context_.neighbors.idle(rank)) return false;
  const std::uint64_t room = limit - child.load();
  if (child.load() >= child.threads && room * 4 < limit) return false;  // worth a message later
  Tasks tasks;
  context_.ready.try_take(tasks, std::min<std::uint64_t>(room, kMostTasksAtOnce));
  if (tasks.empty()) return false;
  give(rank, child, tasks);
  return true;
}

void Dispatcher::give(int rank, Child& child, Tasks& tasks, const RelayContext::Take& back) {
  child.tries_suspect = false;
  for (const Task& task : tasks) context_.stragglers.leave(task.number);
  if (!context_.tree.has(rank)) fetch_for(rank, child, tasks, back);
  send(rank, child, tasks);
}

/// The child talks to nobody but this process.
void Dispatcher::fetch_for(int rank, Child& child, Tasks& tasks, const RelayContext::Take& back) {
  std::erase_if(tasks, [&](Task& task) {
    if (!task.away) return false;
    ++child.fetching;
    context_.fetch(std::move(task), [this, rank, back](Task&& fetched) { on_fetched(rank, std::move(fetched), back); });
    return true;
  });
}

void Dispatcher::on_fetched(int rank, Task&& task, const RelayContext::Take& back) {
  Child* const child = context_.children.find(rank);
  if (child != nullptr) --child->fetching;
  if (task.state == TaskState::kGone) return context_.lose(std::move(task));
  Tasks one;
  one.push_back(std::move(task));
  const bool can_have_it = child != nullptr && child->calculates() && !context_.children.stopping();
  if (can_have_it) return send(rank, *child, one);
  if (back) return back(std::move(one.front()));
  context_.ready.put_first(one);
}

void Dispatcher::send(int rank, Child& child, Tasks& tasks) {
  const Clock::time_point now = Clock::now();
  Message message(MessageKind::kTasks);
  for (Task& task : tasks) {
    if (task.away) context_.depot.introduce(parcel_of(task.value.as<Slice>()), rank, Depot::What::kPiece);
    const Slice in = message.add(task, [&](Buffer& bytes) {
      if (!task.value.holds<Slice>()) return context_.program.pack_in(task.value, bytes);
      const Slice& packed = task.value.as<Slice>();
      bytes.append(packed.data(), packed.size);
    });
    child.held.insert_or_assign(task.number, HeldTask{in, order_++, task.failures, now, task.away});
    if (message.size() < kLargeMessage) continue;
    context_.neighbors.send(rank, message.finish());
    message = Message(MessageKind::kTasks);
  }
  if (message.count() > 0) context_.neighbors.send(rank, message.finish());
}

void Dispatcher::on_results(Child& child, const Tasks& results) {
  const Clock::time_point now = Clock::now();
  for (const Task& result : results) {
    std::erase(child.claims, result.number);
    const auto held = child.held.extract(result.number);
    if (!held) continue;
    const std::uint64_t away_ns = ns_between(held.mapped().since, now);
    child.window.note_way(away_ns - std::min(away_ns, result.cost_ns));
  }
  child.window.count(results.size(), now);
}

/// A copy that is under way counts by itself.
void Dispatcher::try_elsewhere(Task&& task, int but_not) {
  Children& children = context_.children;
  if (children.hold(task.number)) return;
  auto least = children.end();
  const auto load = [](const Child& child) { return child.load() / child.threads; };
  for (auto child = children.begin(); child != children.end(); ++child) {
    if (child->first == but_not || !children.is_open(child->first, child->second)) continue;
    if (!child->second.calculates()) continue;
    if (least == children.end() || load(child->second) < load(least->second)) least = child;
  }
  Tasks one;
  one.push_back(std::move(task));
  if (least == children.end()) return context_.ready.put(one);
  give(least->first, least->second, one);
}

void Dispatcher::run_stragglers_twice() {
  const Clock::time_point now = Clock::now();
  if (now - stragglers_sought_ < kStraggles) return;
  stragglers_sought_ = now;
  int idle_threads = context_.ready.waiting();
  for (auto& [rank, child] : context_.children) {
    if (child.is_apart()) continue;
    for (auto& [number, held] : child.held) {
      if (held.failures > 0 || context_.stragglers.contains(number) || now - held.since < kStraggles) continue;
      Tasks copy(1);
      copy[0].number = number;
      copy[0].value = Value(held.in);
      copy[0].away = held.away;
      if (!run_again(copy, rank, idle_threads)) return;
    }
  }
  context_.workers.copy_stragglers([&](std::uint64_t number) { return !context_.stragglers.contains(number); },
                                   [&](Tasks& copy) { run_again(copy, context_.neighbors.rank(), idle_threads); });
}

/// False if nobody idles. `idle_threads` do here.
bool Dispatcher::run_again(Tasks& copy, int has_it, int& idle_threads) {
  const std::uint64_t number = copy.front().number;
  if (idle_threads > 0) {
    --idle_threads;
    context_.stragglers.add(number, true);  // first: its data may be known to be gone at once
    if (copy.front().away) {
      context_.fetch(std::move(copy.front()));
    } else {
      context_.ready.put(copy);
    }
  } else if (!give_to_idle(copy, has_it)) {
    return false;
  } else {
    context_.stragglers.add(number, has_it == context_.neighbors.rank());
  }
  return true;
}

bool Dispatcher::give_to_idle(Tasks& tasks, int but_not) {
  for (auto& [rank, child] : context_.children) {
    if (rank == but_not || !context_.children.is_open(rank, child)) continue;
    if (!child.joined || child.load() >= child.threads || !context_.neighbors.idle(rank)) continue;
    if (child.held.contains(tasks.front().number)) continue;
    give(rank, child, tasks);
    return true;
  }
  return false;
}

}  // namespace starling::farm
