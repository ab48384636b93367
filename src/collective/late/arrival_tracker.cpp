// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/late/arrival_tracker.hpp"

#include <algorithm>

#include "arrival/record/table.hpp"
#include "base/clock.hpp"
#include "collective/arguments/agreed_bytes.hpp"
#include "collective/arguments/roles.hpp"
#include "collective/late/slicing.hpp"

namespace starling::collective {
namespace {

double seconds(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }
std::int64_t nanoseconds(double s) { return static_cast<std::int64_t>(1e9 * s); }

}  // namespace

ArrivalTracker::ArrivalTracker(SharedBuffer& shared, std::int32_t rank, std::shared_ptr<LateTableSource> table_source)
    : shared_(shared),
      history_(shared.history()),
      rank_(static_cast<std::size_t>(rank)),
      table_source_(std::move(table_source)) {
  kinds_.reserve(ArrivalHistory::kKinds);
  table_source_->trackers.push_back(this);
}

ArrivalTracker::~ArrivalTracker() {
  table_source_->finished_lines += lines();
  std::erase(table_source_->trackers, this);
}

std::size_t ArrivalTracker::find(const Arguments& a, std::int64_t bytes, const Machine& machine) {
  const std::int32_t root = rooted(a.operation) ? a.root : 0;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const CallKind& kind = kinds_[i];
    if (kind.operation == a.operation && kind.bytes == bytes && kind.root == root) return i;
  }
  if (kinds_.size() == ArrivalHistory::kKinds) return kNone;
  CallKind& kind = kinds_.emplace_back();
  kind.operation = a.operation;
  kind.bytes = bytes;
  kind.root = root;
  kind.site = a.site;
  kind.vector_s = 1e-9 * machine.message(static_cast<double>(bytes));
  kind.slicing = slicing_of(bytes, a.comm->size(), machine);
  return kinds_.size() - 1;
}

std::optional<ArrivalPrediction> ArrivalTracker::enter(progress::Engine& progress, const Arguments& arguments,
                                                       const Machine& machine, LateHandling handling) {
  current_ = find(arguments, agreed_bytes(arguments), machine);
  if (current_ == kNone) return std::nullopt;
  CallKind& kind = kinds_[current_];
  const ArrivalHistory::CallHistory history = history_.of_kind(current_);
  const std::uint64_t call = ++kind.calls;
  const std::int64_t now = now_ns();
  tell_entry(kind, history, now);
  ArrivalHistory::CallPlan& plan = history.plan(call);
  std::uint64_t before = call - 1;
  // acq_rel: sees what the rank that claimed the call before has written.
  if (history.head().claimed.compare_exchange_strong(before, call, std::memory_order_acq_rel)) {
    if (!make_room(progress, history, call, *arguments.comm)) return std::nullopt;
    make_plan(history, kind, handling, now);
    plan.ready.store(call, std::memory_order_release);
    shared_.ring_all();
  } else if (plan.ready.load(std::memory_order_acquire) != call) {
    const auto is_ready = [&] { return plan.ready.load(std::memory_order_acquire) == call; };
    progress.wait([&] { return is_ready() || !arguments.comm->fit_for_collectives(); });
    if (!is_ready()) return std::nullopt;
  }
  return ArrivalPrediction{plan.late, history.arrivals(call), kind.slicing};
}

void ArrivalTracker::tell_entry(CallKind& kind, const ArrivalHistory::CallHistory& history, std::int64_t at_ns) {
  kind.own.enter(seconds(at_ns));
  ArrivalHistory::RankTimes& times = history.times(rank_);
  times.entered_ns[kind.calls % ArrivalHistory::kTimes].store(at_ns, std::memory_order_relaxed);
  times.away_ns.store(nanoseconds(kind.own.away_s()), std::memory_order_relaxed);
  // release: the time is there for whoever sees the number.
  times.entered.store(kind.calls, std::memory_order_release);
}

/// Until every rank has left the call whose plan and times this one takes the place of; false if one never will.
bool ArrivalTracker::make_room(progress::Engine& progress, const ArrivalHistory::CallHistory& history,
                               std::uint64_t call, const comm::Communicator& comm) {
  const auto all_left = [&] {
    for (std::size_t rank = 0; rank < history.ranks(); ++rank) {
      if (history.times(rank).left.load(std::memory_order_acquire) + ArrivalHistory::kPlans < call) return false;
    }
    return true;
  };
  if (all_left()) [[likely]]
    return true;
  shared_.block();
  progress.wait([&] { return all_left() || !comm.fit_for_collectives(); });
  shared_.unblock();
  return all_left();
}

void ArrivalTracker::make_plan(const ArrivalHistory::CallHistory& history, const CallKind& kind, LateHandling handling,
                               std::int64_t at_ns) {
  const std::uint64_t call = kind.calls;
  learn(history, kind);
  const std::span<arrival::Ticks> arrivals = history.arrivals(call);
  for (std::size_t rank = 0; rank < history.ranks(); ++rank) {
    const ArrivalHistory::RankTimes& times = history.times(rank);
    const std::uint64_t left = times.left.load(std::memory_order_acquire);
    const std::int64_t away = times.away_ns.load(std::memory_order_relaxed);
    if (times.entered.load(std::memory_order_acquire) >= call) {
      arrivals[rank] = times.entered_ns[call % ArrivalHistory::kTimes].load(std::memory_order_relaxed);
    } else if (left + 1 == call) {
      // Whoever should be there already is on its way.
      arrivals[rank] =
          std::max(at_ns, times.left_ns[left % ArrivalHistory::kTimes].load(std::memory_order_relaxed) + away);
    } else {
      arrivals[rank] = at_ns + away;  // still in an earlier call
    }
  }
  const std::int64_t start = *std::min_element(arrivals.begin(), arrivals.end());
  for (arrival::Ticks& tick : arrivals) tick = std::clamp<arrival::Ticks>(tick - start, 0, arrival::kMaxTicks);
  ArrivalHistory::Head& head = history.head();
  ArrivalHistory::CallPlan& plan = history.plan(call);
  plan.late = handling == LateHandling::kMayGoAround &&
              head.driver.decide(arrivals, kind.vector_s).way == arrival::Choice::Way::kScheduled;
  if (plan.late) ++head.scheduled_calls;
}

/// From all calls that every rank has left by now.
void ArrivalTracker::learn(const ArrivalHistory::CallHistory& history, const CallKind& kind) {
  std::uint64_t all_left = ~std::uint64_t{0};
  for (std::size_t rank = 0; rank < history.ranks(); ++rank) {
    all_left = std::min(all_left, history.times(rank).left.load(std::memory_order_acquire));
  }
  while (history.head().learned < all_left) learn(history, kind, ++history.head().learned);
}

void ArrivalTracker::learn(const ArrivalHistory::CallHistory& history, const CallKind& kind, std::uint64_t call) {
  std::vector<double> entered_s(history.ranks());
  std::int64_t end = 0;
  for (std::size_t rank = 0; rank < history.ranks(); ++rank) {
    const ArrivalHistory::RankTimes& times = history.times(rank);
    entered_s[rank] = seconds(times.entered_ns[call % ArrivalHistory::kTimes].load(std::memory_order_relaxed));
    end = std::max(end, times.left_ns[call % ArrivalHistory::kTimes].load(std::memory_order_relaxed));
  }
  const auto way = history.plan(call).late ? arrival::Choice::Way::kScheduled : arrival::Choice::Way::kPlain;
  history.head().driver.learn({way, entered_s, seconds(end), history.arrivals(call), kind.vector_s},
                              history.lateness());
}

void ArrivalTracker::leave() {
  if (current_ == kNone) return;
  CallKind& kind = kinds_[current_];
  const std::int64_t now = now_ns();
  kind.own.leave(seconds(now));
  ArrivalHistory::RankTimes& times = history_.of_kind(current_).times(rank_);
  times.left_ns[kind.calls % ArrivalHistory::kTimes].store(now, std::memory_order_relaxed);
  times.left.store(kind.calls, std::memory_order_release);
  shared_.ring_blocked();
  current_ = kNone;
}

void ArrivalTracker::tell_progress(double fraction) {
  const double now_s = seconds(now_ns());
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    CallKind& kind = kinds_[i];
    if (!kind.own.progress(now_s, fraction)) continue;
    history_.of_kind(i).times(rank_).away_ns.store(nanoseconds(kind.own.away_s()), std::memory_order_relaxed);
  }
}

std::string ArrivalTracker::lines() const {
  std::string lines;
  if (rank_ != 0) return lines;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const CallKind& kind = kinds_[i];
    const ArrivalHistory::CallHistory history = history_.of_kind(i);
    const ArrivalHistory::Head& head = history.head();
    const auto lateness = history.lateness();
    const arrival::CallSummary summary{kind.calls,           head.scheduled_calls,  kind.own.time_s(),
                                       head.driver.lost_s(), head.driver.saved_s(), {lateness.begin(), lateness.end()}};
    lines += arrival::line_of(kind.site, name(kind.operation), kind.bytes, summary);
  }
  return lines;
}

}  // namespace starling::collective
