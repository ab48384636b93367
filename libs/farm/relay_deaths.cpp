// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a relay does about deaths, and about tasks that take so long that a death might be near.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "relay.hpp"

namespace starling::farm {
namespace {

constexpr auto kPatienceWithOrphans = std::chrono::seconds(5);

}  // namespace

void Relay::server_is_dead() {
  throw std::runtime_error(
      "farm: the process of Input and Output is dead; with a journal, --resume goes on from there");
}

void Relay::listen_to(int peer, Role role) {
  roles_[peer] |= role;
  parts_.link.open(peer);
}

void Relay::forget(int peer, Role role) {
  const auto found = roles_.find(peer);
  if (found == roles_.end()) return;
  found->second &= ~static_cast<unsigned>(role);
  if (found->second != 0) return;
  roles_.erase(found);
  parts_.link.close(peer);
}

void Relay::on_death(int peer) {
  const auto role = roles_.extract(peer);
  if (role && (role.mapped() & (kPort | kServer)) != 0) on_port_death(peer);
  if (peer == parent_) return find_new_parent();
  auto found = children_.extract(peer);
  if (!found) return;
  note_loss(peer);
  Child& dead = found.mapped();
  // An orphan that died before it came here: its children are the heirs in its place.
  const int owner = dead.lost_parent >= 0 && !dead.joined ? dead.lost_parent : peer;
  Estate& estate = estates_[owner];
  estate.deadline = Clock::now() + kPatienceWithOrphans;
  estate.heirs.erase(peer);
  if (const auto at = dead.slate.read()) {
    estate.at.insert(estate.at.end(), at->begin(), at->end());
  } else {
    estate.at_known = false;
  }
  estate.held.merge(dead.held);
  if (in_tree(peer)) {
    for (const int orphan : parts_.tree.nodes[static_cast<std::size_t>(peer)].children) adopt(orphan, owner);
  }
  tell_threads(false);
}

/// Two may notice a death, the parent and, should that die as well, the grandparent: it counts once.
void Relay::note_loss(int rank) {
  if (parts_.server == nullptr) {
    if (parent_ >= 0) send(parent_, make_list(MessageKind::kLost, std::vector<int>{rank}));
    return;
  }
  if (!lost_.insert(rank).second) return;
  if (replaced_ >= parts_.options.replace) return;
  ++replaced_;
  grow();
}

void Relay::grow() {
  if (stopping_) return;
  if (parts_.server == nullptr) return send(parent_, make_word(MessageKind::kGrow));
  ++grown_;
  try {
    const int peer = parts_.link.grow();
    if (peer < 0) return;
    children_[peer];
    listen_to(peer, kChild);
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "%s; the farm goes on without one more process\n", error.what());
  }
}

/// The orphan may have moved here already, or have died: then its Hello came, or its death will. While the farm ends
/// it may have been told so and be gone: nobody waits for it, and it and all below it find the word here if they come.
void Relay::adopt(int orphan, int dead_parent) {
  if (children_.contains(orphan)) return;
  if (stopping_) {
    send_stop(orphan);
    for (const int below : parts_.tree.nodes[static_cast<std::size_t>(orphan)].children) adopt(below, orphan);
    return;
  }
  children_[orphan].lost_parent = dead_parent;
  estates_[dead_parent].heirs.insert(orphan);
  listen_to(orphan, kChild);
}

/// The orphan goes on with what it has; the rest of its parent's tasks stay in the estate.
void Relay::inherit(int orphan, Child& child, const Hello& hello) {
  const auto found = estates_.find(child.lost_parent);
  if (found == estates_.end()) return;
  Estate& estate = found->second;
  for (const std::uint64_t number : hello.held) {
    if (auto held = estate.held.extract(number)) child.held.insert(std::move(held));
  }
  estate.heirs.erase(orphan);
}

/// What nobody claimed is calculated again; the inquest says what of it is to blame for the death.
void Relay::settle_estate(int dead) {
  const Estate estate = std::move(estates_[dead]);
  estates_.erase(dead);
  if (stopping_) return;
  std::vector<std::pair<std::uint64_t, const Held*>> oldest;
  std::vector<std::uint64_t> at;
  for (const auto& [number, task] : estate.held) {
    oldest.emplace_back(number, &task);
    if (!estate.at_known || std::count(estate.at.begin(), estate.at.end(), number) > 0) at.push_back(number);
  }
  std::sort(oldest.begin(), oldest.end(),
            [](const auto& a, const auto& b) { return a.second->order < b.second->order; });
  const std::optional<Inquest::Verdict> verdict = inquest_.died_at(at);
  Tasks again;
  for (const auto& [number, had] : oldest) {
    Task task;
    task.number = number;
    task.value = Value(had->in);
    task.failures = had->failures;
    if (verdict && verdict->task == number) task.failures = static_cast<std::uint16_t>(had->failures + verdict->deaths);
    if (task.failures >= parts_.options.attempts) {
      set_aside(task, "the process that calculated it died");
    } else if (inquest_.suspected(number)) {
      suspects_.push_back(std::move(task));
    } else {
      again.push_back(std::move(task));
    }
  }
  parts_.ready.put_first(again);
}

void Relay::set_aside(Task& task, const std::string& why) {
  task.state = TaskState::kFailed;
  task.value = Value(packed_text(why));
  parts_.done.put(std::move(task));
}

Slice Relay::packed_text(const std::string& text) {
  auto bytes = std::make_shared<Buffer>();
  bytes->append(text.data(), text.size());
  return {bytes, 0, text.size()};
}

void Relay::find_new_parent() {
  ancestors_.erase(ancestors_.begin());
  if (stopping_) {
    parent_ = -1;
    return;
  }
  if (ancestors_.empty()) {
    server_is_dead();
  }
  parent_ = ancestors_.front();
  listen_to(parent_, kParent);
  tell_threads(true);
}

/// At the end of the run, where cores idle: the tasks that are away for longest are given to somebody else as well.
void Relay::run_stragglers_twice() {
  if (parts_.server == nullptr || !parts_.options.stragglers_twice) return;
  if (!parts_.server->input_ended() || parts_.ready.size() > 0) return;
  const Clock::time_point now = Clock::now();
  if (now - stragglers_sought_ < kStraggles) return;
  stragglers_sought_ = now;
  int idle = parts_.ready.waiting();
  for (auto& [rank, child] : children_) {
    if (child.is_apart()) continue;
    for (auto& [number, held] : child.held) {
      if (held.failures > 0 || twice_.contains(number) || now - held.since < kStraggles) continue;
      Tasks copy(1);
      copy[0].number = number;
      copy[0].value = Value(held.in);
      if (!run_again(copy, rank, idle)) return;
    }
  }
  parts_.workers.copy_stragglers([&](std::uint64_t number) { return !twice_.contains(number); },
                                 [&](Tasks& copy) { run_again(copy, parts_.link.rank(), idle); });
}

/// False if nobody idles. `idle` threads do here.
bool Relay::run_again(Tasks& copy, int but_not, int& idle) {
  const std::uint64_t number = copy.front().number;
  if (idle > 0) {
    --idle;
    parts_.ready.put(copy);
  } else if (!give_to_idle(copy, but_not)) {
    return false;
  }
  twice_.insert(number);
  return true;
}

bool Relay::give_to_idle(Tasks& tasks, int but_not) {
  for (auto& [rank, child] : children_) {
    if (rank == but_not || rank == apart_ || child.is_apart() || !child.joined || child.held.size() >= child.threads ||
        !parts_.link.idle(rank))
      continue;
    if (child.held.contains(tasks.front().number)) continue;
    give(rank, child, tasks);
    return true;
  }
  return false;
}

}  // namespace starling::farm
