// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "relay.hpp"

#include <algorithm>
#include <ctime>
#include <optional>
#include <set>
#include <thread>

#include "queue/ticker.hpp"

namespace starling::farm {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);
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

Relay::Relay(const RelayContext& context, Upstream& upstream, PortTraffic& ports, Failover::LastResort last_resort)
    : context_(context),
      upstream_(upstream),
      ports_(ports),
      dispatcher_(context),
      failover_(context, dispatcher_, upstream, last_resort) {
  const auto here = static_cast<std::size_t>(context.neighbors.rank());
  for (const int child : context.tree.nodes[here].children) context.children.add(child);
  for (const int child : context.tree.nodes[here].further_children) context.children.add(child).further = true;
}

void Relay::run(const std::function<bool()>& tick) {
  Link& link = context_.neighbors.link();
  std::optional<Ticker> ticker;
  if (link.can_sleep()) ticker.emplace(context_.bell, upstream_.look_period());
  started_s_ = processor_s();
  upstream_.tell_threads(true);
  Clock::time_point ticked = Clock::now();
  while (!finished_) {
    const bool busy = step();
    const Clock::time_point now = Clock::now();
    if (now - ticked > kTick) {
      ticked = now;
      failover_.take_overdue();
      if (tick() && !std::exchange(asked_to_drain_, true)) upstream_.drain();
    }
    if (!finished_) rest(busy);
  }
  link.flush();
}

bool Relay::step() {
  bool busy = context_.neighbors.link().poll(*this);
  on_places(upstream_.replace_dead());
  failover_.end_claims();
  if (const std::optional<RunEnd> end = upstream_.ended()) {
    stop(*end, upstream_.after_deaths());
    ports_.end();
  }
  const bool stopping = context_.children.stopping();
  if (!stopping) {
    look_for_threads();
    busy |= failover_.try_suspects();
    busy |= dispatcher_.dispatch();
    if (context_.options.stragglers_twice && upstream_.runs_out()) dispatcher_.run_stragglers_twice();
  }
  if (!said_bye_) busy |= upstream_.send_results();
  busy |= ports_.send();
  busy |= context_.resolver.serve(context_.depot);
  busy |= context_.depot.send();
  if (stopping) leave_if_over();
  return busy;
}

/// Where nobody calculates, here or below, nothing waits for a result that cannot come.
void Relay::look_for_threads() {
  if (context_.threads() > 0 || failover_.waits_for_claims() || !context_.children.all_joined()) return;
  upstream_.on_no_threads();
}

/// First from the tree. The server closes the Inputs and Outputs elsewhere when the tree is empty, so that nobody in it
/// misses data that an Input has.
void Relay::leave_if_over() {
  if (!context_.depot.may_leave(context_.children.after_deaths())) return;
  if (!said_bye_ && context_.children.all_gone() && upstream_.released()) say_bye();
  if (!said_bye_) return;
  ports_.close();
  if (!ports_.closed()) return;
  context_.depot.leave();
  finished_ = true;
}

void Relay::stop(RunEnd end, bool after_deaths) {
  context_.ready.stop();
  context_.resolver.stop();
  context_.depot.end();
  context_.children.stop(end, after_deaths);
}

void Relay::say_bye() {
  while (!context_.workers.join_for(kTick)) failover_.take_overdue();
  NodeReport& report = reports_.emplace_back(context_.workers.report());
  report.relay_s = processor_s() - started_s_;
  report.messages = context_.neighbors.messages();
  report.bytes = context_.neighbors.bytes();
  context_.children.forget_excused();
  upstream_.say_bye(reports_);
  said_bye_ = true;
}

/// Polls again at once while messages come. When none do, sleeps in the link until one does, or, where that is not
/// possible, for ever longer times, bounded by a millisecond. What the own threads put into a queue ends a sleep.
void Relay::rest(bool busy) {
  quiet_ = busy ? 0 : std::min(quiet_ + 1, kYields + kDoublings);
  if (busy) return;
  if (context_.neighbors.none()) return context_.bell.wait_for(kTick);  // nobody can send anything
  if (quiet_ < kYields) return std::this_thread::yield();
  // Results that wait for others to go with, and orphans, have their times.
  Link& link = context_.neighbors.link();
  const bool timed = upstream_.results_wait() || failover_.waits_for_claims();
  if (link.can_sleep() && !timed) return context_.bell.wait_in(link);
  context_.bell.wait_for(kShortestRest * (1 << (quiet_ - kYields)));
}

void Relay::on_message(int peer, std::shared_ptr<const Buffer> message) {
  context_.neighbors.count_arrival(message->size());
  const MessageHeader header = header_of(*message);
  if (comes_early(header.kind, peer)) return early_[peer].push_back(std::move(message));
  switch (header.kind) {
    case MessageKind::kHello: return on_hello(peer, hello_of(*message));
    case MessageKind::kTasks: return upstream_.take_tasks(peer, message);
    case MessageKind::kResults: return on_results(peer, message);
    case MessageKind::kBye: return on_bye(peer, *message);
    case MessageKind::kDrain: return upstream_.drain();
    case MessageKind::kStop:
      context_.neighbors.forget(peer, Neighbors::kParent);
      upstream_.on_stop(peer);
      return stop(static_cast<RunEnd>(header.count % kAfterDeaths), header.count >= kAfterDeaths);
    case MessageKind::kBack:
    case MessageKind::kSuspects:
    case MessageKind::kOverdue: return failover_.on_given_back(header.kind, peer, message);
    case MessageKind::kGrow: return upstream_.grow();
    case MessageKind::kLost: {
      const auto lost = list_of<int>(*message);
      return upstream_.tell_loss(lost.at(0), lost.at(1));
    }
    case MessageKind::kPlaces: return on_places(list_of<Replacement>(*message));
    case MessageKind::kMeet: return context_.depot.on_meet(*message);
    case MessageKind::kAsk: return context_.depot.on_ask(peer, *message);
    case MessageKind::kHere: return context_.depot.on_here(peer, message);
    case MessageKind::kPart: return context_.depot.on_part(peer);
    case MessageKind::kRelease: return context_.depot.on_release(*message);
    default: return ports_.on_message(header.kind, peer, message);
  }
}

void Relay::on_death(int peer) {
  const unsigned reasons = context_.neighbors.remove(peer);
  if ((reasons & (Neighbors::kPort | Neighbors::kServer)) != 0) ports_.on_death(peer);
  early_.erase(peer);
  context_.depot.on_death(peer);
  if (!upstream_.on_death(peer)) failover_.on_death(peer);
  take_early();
}

/// Once its Hello waits what follows waits as well.
bool Relay::comes_early(MessageKind kind, int peer) const {
  switch (kind) {
    case MessageKind::kHello: return context_.children.find(peer) == nullptr;
    case MessageKind::kResults:
    case MessageKind::kBye:
    case MessageKind::kBack:
    case MessageKind::kSuspects:
    case MessageKind::kOverdue: return early_.contains(peer);
    default: return false;
  }
}

void Relay::take_early() {
  const auto is_child = [&](const auto& each) { return context_.children.find(each.first) != nullptr; };
  for (auto found = early_.begin(); (found = std::find_if(early_.begin(), early_.end(), is_child)) != early_.end();) {
    const auto [peer, messages] = std::move(*found);
    early_.erase(found);
    for (const auto& message : messages) on_message(peer, message);
  }
}

void Relay::on_hello(int peer, const Hello& hello) {
  Child* const child = context_.children.find(peer);
  if (!child->joined && child->lost_parent >= 0) failover_.on_adopted(peer, *child, hello.held);
  if (child->further && !hello.held.empty()) failover_.on_claims(peer, *child, hello.held);
  if (!child->joined) {
    child->slate = OtherSlate(hello.slate);
    const std::vector<Replacement> replaced = context_.neighbors.replaced();
    if (!replaced.empty()) context_.neighbors.send(peer, make_list(MessageKind::kPlaces, replaced));
  }
  child->joined = true;
  child->threads = hello.threads;
  child->window.set_threads(hello.threads);
  upstream_.tell_threads(false);
  if (context_.children.stopping()) context_.children.stop(peer, *child);
}

/// Spares are in the places of dead processes. All below hear of it before they are told to stop, so that nobody waits
/// for what has gone.
void Relay::on_places(const std::vector<Replacement>& all) {
  const int here = context_.neighbors.rank();
  bool news = false;
  for (const Replacement& each : all) {
    if (each.place == here || each.deaths <= context_.neighbors.deaths(each.place)) continue;
    put_in_place(each);
    news = true;
  }
  if (!news) return;
  std::set<int> told;
  for (const auto& [rank, child] : context_.children) {
    if (child.joined) told.insert(rank);
  }
  ports_.add_peers(told);
  for (int place = 0; context_.tree.has(place); ++place) {
    if (may_go_astray(place)) told.insert(place);
  }
  const auto places = make_list(MessageKind::kPlaces, context_.neighbors.replaced());
  for (const int rank : told) context_.neighbors.send(rank, places);
  upstream_.tell_threads(false);
}

/// A process may not have heard of a spare above it, since it is a spare that was called before, or since all died that
/// would have told it. Then it goes up to the nearest that it knows to live, where nobody expects it, and listens
/// there.
bool Relay::may_go_astray(int place) const {
  const int here = context_.neighbors.rank();
  if (place == here || context_.children.find(place) != nullptr || !context_.tree.is_above(here, place)) return false;
  bool replaced = context_.neighbors.deaths(place) > 0;
  for (const int above : context_.tree.ancestors(place)) {
    if (above == here) break;
    replaced = replaced || context_.neighbors.deaths(above) > 0;
  }
  return replaced;
}

void Relay::put_in_place(const Replacement& replacement) {
  const int place = replacement.place;
  if (context_.neighbors.listens_to(place)) on_death(place);  // before MPI has told it
  context_.neighbors.assign(replacement);
  Children& children = context_.children;
  const TreeNode& here = context_.tree.nodes[static_cast<std::size_t>(context_.neighbors.rank())];
  const auto is_below = [&](int rank) { return children.find(rank) != nullptr; };
  if (context_.tree.inherits(context_.neighbors.rank(), place, is_below)) {
    children.add(place);
    // What is below it has come here, and works for it again; or hears of the spare first, and does not come.
    for (auto& [rank, child] : children) {
      if (!context_.tree.has(rank) || !context_.tree.is_above(place, rank)) continue;
      child.further = true;
      child.excused = !child.joined;
    }
  } else if (std::count(here.further_children.begin(), here.further_children.end(), place) > 0) {
    children.add(place).further = true;
  }
  upstream_.on_replaced(place);
}

void Relay::on_results(int peer, const std::shared_ptr<const Buffer>& message) {
  Tasks results = tasks_of(message);
  if (Child* const child = context_.children.find(peer)) {
    dispatcher_.on_results(*child, results);
    failover_.on_results(results);
    std::erase_if(results, [&](const Task& result) {
      return result.state == TaskState::kGone && context_.is_elsewhere(result.number);  // with its data
    });
  }
  context_.done.put(results);
}

void Relay::on_bye(int peer, const Buffer& message) {
  for (const NodeReport& report : list_of<NodeReport>(message)) {
    reports_.push_back(report);
    if (!context_.tree.has(peer)) reports_.back().rank = peer;  // it does not know its number here
  }
  context_.children.remove(peer);
}

}  // namespace starling::farm
