// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "relay.hpp"

#include <algorithm>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <thread>

#include "gather.hpp"
#include "ticker.hpp"

namespace starling::farm {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);
constexpr std::size_t kBatch = 4096;
constexpr int kYields = 8;
constexpr int kDoublings = 7;  // 8 us to 1 ms
constexpr auto kShortestRest = std::chrono::microseconds(8);

/// Of this thread.
double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Relay::Relay(const Parts& parts) : parts_(parts), ancestors_(parts.tree.ancestors(parts.link.rank())) {
  for (const int child : parts_.tree.nodes[static_cast<std::size_t>(parts_.link.rank())].children) {
    children_[child];
    listen_to(child, kChild);
  }
  if (!ancestors_.empty()) {
    parent_ = ancestors_.front();
    listen_to(parent_, kParent);
  }
  if (parts_.port != nullptr) listen_to(parts_.tree.root(), kServer);
  if (parts_.server == nullptr) return;
  for (const auto& ranks : {parts_.tree.inputs(), parts_.tree.outputs()}) {
    for (const int rank : ranks) {
      if (rank == parts_.link.rank()) continue;
      ports_[rank].has_input = parts_.tree.input_place(rank).has_value();
      listen_to(rank, kPort);
    }
  }
}

std::uint64_t Relay::threads() const {
  std::uint64_t threads = static_cast<std::uint64_t>(parts_.workers.threads());
  for (const auto& [rank, child] : children_) threads += child.threads;
  return threads;
}

void Relay::run(const std::function<bool()>& tick) {
  std::optional<Ticker> ticker;
  if (parts_.link.can_sleep()) ticker.emplace(parts_.bell, parts_.server != nullptr ? kStraggles : kTick);
  started_s_ = processor_s();
  tell_threads(true);
  Clock::time_point ticked = Clock::now();
  while (!finished_) {
    const bool busy = step();
    const Clock::time_point now = Clock::now();
    if (now - ticked > kTick) {
      ticked = now;
      take_overdue();
      if (tick() && !asked_to_drain_) {
        asked_to_drain_ = true;
        if (parent_ >= 0) send(parent_, make_word(MessageKind::kDrain));
      }
    }
    if (!finished_) rest(busy);
  }
  parts_.link.flush();
}

bool Relay::step() {
  bool busy = parts_.link.poll(*this);
  for (auto estate = estates_.begin(); estate != estates_.end();) {
    const int dead = (estate++)->first;
    if (estates_[dead].heirs.empty() || estates_[dead].deadline < Clock::now()) settle_estate(dead);
  }
  if (parts_.server != nullptr && parts_.server->finished()) {
    run_failed_ = parts_.server->failed();
    stop_below();
    close_ports();
  }
  if (!stopping_) {
    see_who_calculates();
    busy |= hand_out();
    run_stragglers_twice();
  }
  busy |= send_up();
  busy |= step_ports();
  if (stopping_ && all_below_gone() && ports_.empty() && (parts_.port == nullptr || port_closed_)) {
    while (!parts_.workers.join_for(kTick)) take_overdue();
    report_this_process();
    if (parent_ >= 0) send(parent_, make_list(MessageKind::kBye, reports_));
    finished_ = true;
  }
  return busy;
}

/// Polls again at once while messages come. When none do, sleeps in the link until one does, or, where that is not
/// possible, for ever longer times, bounded by a millisecond. What the own threads put into a queue ends a sleep.
void Relay::rest(bool busy) {
  quiet_ = busy ? 0 : std::min(quiet_ + 1, kYields + kDoublings);
  if (busy) return;
  if (roles_.empty()) return parts_.bell.wait_for(kTick);  // nobody can send anything
  if (quiet_ < kYields) return std::this_thread::yield();
  // Results that wait for others to go with, and orphans, have their times.
  if (parts_.link.can_sleep() && up_.count() == 0 && estates_.empty()) return parts_.bell.wait_in(parts_.link);
  parts_.bell.wait_for(kShortestRest * (1 << (quiet_ - kYields)));
}

void Relay::send(int peer, std::shared_ptr<const Buffer> message) {
  ++messages_;
  parts_.link.send(peer, std::move(message));
}

void Relay::report_this_process() {
  NodeReport& report = reports_.emplace_back(parts_.workers.report());
  report.relay_s = processor_s() - started_s_;
  report.messages = messages_;
}

void Relay::on_message(int peer, std::shared_ptr<const Buffer> message) {
  ++messages_;
  switch (header_of(*message).kind) {
    case MessageKind::kHello: return on_hello(peer, hello_of(*message));
    case MessageKind::kTasks: return on_tasks(message);
    case MessageKind::kResults: return on_results(peer, message);
    case MessageKind::kBye: return on_bye(peer, *message);
    case MessageKind::kDrain:
      if (parts_.server != nullptr) return parts_.server->stop_input();
      return send(parent_, message);
    case MessageKind::kStop:
      run_failed_ = header_of(*message).count > 0;
      forget(peer, kParent);
      return stop_below();
    case MessageKind::kBack:
    case MessageKind::kSuspects:
    case MessageKind::kOverdue: return on_back(header_of(*message).kind, peer, message);
    case MessageKind::kGrow: return grow();
    case MessageKind::kLost: return note_loss(list_of<int>(*message).at(0));
    default: return on_port_message(header_of(*message).kind, peer, message);
  }
}

void Relay::on_hello(int peer, const Hello& hello) {
  const auto found = children_.find(peer);
  if (found == children_.end()) return;
  Child& child = found->second;
  if (!child.joined && child.lost_parent >= 0) inherit(peer, child, hello);
  if (!child.joined) child.slate = OtherSlate(hello.slate);
  child.joined = true;
  child.threads = hello.threads;
  child.window.set_threads(hello.threads);
  tell_threads(false);
  if (stopping_ && !child.stopped) {
    child.stopped = true;
    send_stop(peer);
  }
}

/// The tree reduction: once all below have told theirs, and again whenever something changes.
void Relay::tell_threads(bool joining) {
  const bool all =
      std::all_of(children_.begin(), children_.end(), [](const auto& child) { return child.second.joined; });
  if (parts_.server != nullptr) parts_.server->set_threads(threads());
  if (parent_ < 0 || stopping_ || (!all && threads_told_ == 0)) return;
  if (threads_told_ == threads() && !joining) return;
  Hello hello{threads(), parts_.slate.name(), {}};
  if (joining) hello.held.assign(mine_.begin(), mine_.end());
  send(parent_, make_hello(hello));
  threads_told_ = hello.threads;
}

void Relay::on_tasks(const std::shared_ptr<const Buffer>& message) {
  Tasks tasks = tasks_of(message);
  for (const Task& task : tasks) mine_.insert(task.number);
  parts_.ready.put(tasks);
}

void Relay::on_results(int peer, const std::shared_ptr<const Buffer>& message) {
  Tasks results = tasks_of(message);
  const auto child = children_.find(peer);
  if (child != children_.end()) {
    for (const Task& result : results) {
      child->second.held.erase(result.number);
      inquest_.clear(result.number);
    }
    child->second.window.count(results.size(), Clock::now());
  }
  parts_.done.put(results);
}

void Relay::on_bye(int peer, const Buffer& message) {
  for (const NodeReport& report : list_of<NodeReport>(message)) {
    reports_.push_back(report);
    if (!in_tree(peer)) reports_.back().rank = peer;  // it does not know its number here
  }
  forget(peer, kChild);
  children_.erase(peer);
}

bool Relay::hand_out() {
  bool busy = try_suspects();
  // All get something before anybody gets more than its threads can begin with.
  for (auto& [rank, child] : children_) busy |= hand_to(rank, child, child.threads);
  for (auto& [rank, child] : children_) busy |= hand_to(rank, child, child.window.limit());
  return busy;
}

bool Relay::hand_to(int rank, Child& child, std::uint64_t limit) {
  if (!child.calculates() || rank == apart_ || child.is_apart()) return false;
  if (parts_.ready.size() == 0 || child.held.size() >= limit || !parts_.link.idle(rank)) return false;
  const std::uint64_t room = limit - child.held.size();
  if (child.held.size() >= child.threads && room * 4 < limit) return false;  // worth a message later
  Tasks tasks;
  parts_.ready.try_take(tasks, std::min<std::uint64_t>(room, kBatch));
  if (tasks.empty()) return false;
  give(rank, child, tasks);
  return true;
}

void Relay::give(int rank, Child& child, Tasks& tasks) {
  const Clock::time_point now = Clock::now();
  Message message(MessageKind::kTasks);
  for (Task& task : tasks) {
    const Slice in = message.add(task, [&](Buffer& bytes) {
      if (!task.value.holds<Slice>()) return parts_.program.pack_in(task.value, bytes);
      const Slice& packed = task.value.as<Slice>();
      bytes.append(packed.data(), packed.size);
    });
    child.held.insert_or_assign(task.number, Held{in, order_++, task.failures, now});
    if (message.size() < kLargeMessage) continue;
    send(rank, message.finish());
    message = Message(MessageKind::kTasks);
  }
  if (message.count() > 0) send(rank, message.finish());
}

/// Gathers results, and sends them when the policy says so.
bool Relay::send_up() {
  if (parts_.server != nullptr || parent_ < 0) return false;
  Tasks results;
  parts_.done.try_take(results, kBatch);
  const Clock::time_point now = Clock::now();
  if (up_.count() == 0) up_since_ = now;
  for (const Task& result : results) {
    const Slice& packed = result.value.as<Slice>();
    up_.add(result, [&](Buffer& bytes) { bytes.append(packed.data(), packed.size); });
    mine_.erase(result.number);
    if (up_.size() >= kLargeMessage) flush_up();
  }
  if (up_.count() == 0 || !parts_.link.idle(parent_)) return !results.empty();
  const Gathered gathered{up_.count(), up_.size(), now - up_since_, mine_.size(), threads()};
  if (!shall_go_up(parts_.options.gather, gathered)) return !results.empty();
  flush_up();
  return true;
}

void Relay::flush_up() {
  send(parent_, up_.finish());
  up_ = Message(MessageKind::kResults);
}

void Relay::stop_below() {
  stopping_ = true;
  parts_.ready.stop();
  for (auto& [rank, child] : children_) {
    if (child.stopped || !child.joined) continue;
    child.stopped = true;
    send_stop(rank);
  }
}

void Relay::send_stop(int peer) {
  Message stop(MessageKind::kStop);
  stop.set_count(run_failed_ ? 1 : 0);
  send(peer, stop.finish());
}

bool Relay::all_below_gone() const { return children_.empty(); }

}  // namespace starling::farm
