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

}  // namespace

ArrivalTracker::ArrivalTracker(SharedBuffer& shared, std::int32_t rank, std::shared_ptr<LateTableSource> table_source)
    : shared_(shared),
      history_(shared.history()),
      rank_(static_cast<std::size_t>(rank)),
      table_source_(std::move(table_source)) {
  known_.reserve(ArrivalHistory::kKinds);
  table_source_->trackers.push_back(this);
}

ArrivalTracker::~ArrivalTracker() {
  table_source_->finished_lines += lines();
  std::erase(table_source_->trackers, this);
}

std::size_t ArrivalTracker::find(const Arguments& a, std::int64_t bytes, const Machine& machine) {
  const std::int32_t root = rooted(a.operation) ? a.root : 0;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Known& known = known_[i];
    if (known.operation == a.operation && known.bytes == bytes && known.root == root) return i;
  }
  if (known_.size() == ArrivalHistory::kKinds) return kNone;
  Known& known = known_.emplace_back();
  known.operation = a.operation;
  known.bytes = bytes;
  known.root = root;
  known.site = a.site;
  known.vector_s = 1e-9 * machine.message(static_cast<double>(bytes));
  known.slicing = slicing_of(bytes, a.comm->size(), machine);
  return known_.size() - 1;
}

std::optional<ArrivalPrediction> ArrivalTracker::enter(progress::Engine& progress, const Arguments& arguments,
                                                       const Machine& machine, LateHandling handling) {
  current_ = find(arguments, agreed_bytes(arguments), machine);
  if (current_ == kNone) return std::nullopt;
  Known& known = known_[current_];
  const ArrivalHistory::CallHistory kind = history_.of_kind(current_);
  const std::uint64_t call = ++known.calls;
  tell_entry(known, kind);
  ArrivalHistory::CallPlan& plan = kind.plan(call);
  std::uint64_t before = call - 1;
  // acq_rel: sees what the rank that claimed the call before has written.
  if (kind.head().claimed.compare_exchange_strong(before, call, std::memory_order_acq_rel)) {
    if (!make_room(progress, kind, call, *arguments.comm)) return std::nullopt;
    make_plan(kind, known, handling);
    plan.ready.store(call, std::memory_order_release);
    shared_.ring_all();
  } else if (plan.ready.load(std::memory_order_acquire) != call) {
    const auto is_ready = [&] { return plan.ready.load(std::memory_order_acquire) == call; };
    progress.wait([&] { return is_ready() || !arguments.comm->fit_for_collectives(); });
    if (!is_ready()) return std::nullopt;
  }
  return ArrivalPrediction{plan.late, kind.arrivals(call), known.slicing};
}

void ArrivalTracker::tell_entry(Known& known, const ArrivalHistory::CallHistory& kind) {
  known.entered_ns = now_ns();
  if (known.calls > 1) known.predictor.learn(seconds(known.entered_ns - known.left_ns));
  ArrivalHistory::RankTimes& times = kind.times(rank_);
  times.entered_ns[known.calls % ArrivalHistory::kTimes].store(known.entered_ns, std::memory_order_relaxed);
  known.predictor.restart();
  times.away_ns.store(static_cast<std::int64_t>(1e9 * known.predictor.predict()), std::memory_order_relaxed);
  // release: the time is there for whoever sees the number.
  times.entered.store(known.calls, std::memory_order_release);
}

/// Until every rank has left the call whose plan and times this one takes the place of; false if one never will.
bool ArrivalTracker::make_room(progress::Engine& progress, const ArrivalHistory::CallHistory& kind, std::uint64_t call,
                               const comm::Communicator& comm) {
  const auto all_left = [&] {
    for (std::size_t rank = 0; rank < kind.ranks(); ++rank) {
      if (kind.times(rank).left.load(std::memory_order_acquire) + ArrivalHistory::kPlans < call) return false;
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

void ArrivalTracker::make_plan(const ArrivalHistory::CallHistory& kind, const Known& known, LateHandling handling) {
  const std::uint64_t call = known.calls;
  const std::int64_t now = known.entered_ns;
  learn(kind);
  const std::span<arrival::Ticks> arrivals = kind.arrivals(call);
  for (std::size_t rank = 0; rank < kind.ranks(); ++rank) {
    const ArrivalHistory::RankTimes& times = kind.times(rank);
    const std::uint64_t left = times.left.load(std::memory_order_acquire);
    const std::int64_t away = times.away_ns.load(std::memory_order_relaxed);
    if (times.entered.load(std::memory_order_acquire) >= call) {
      arrivals[rank] = times.entered_ns[call % ArrivalHistory::kTimes].load(std::memory_order_relaxed);
    } else if (left + 1 == call) {
      // Whoever should be there already is on its way.
      arrivals[rank] =
          std::max(now, times.left_ns[left % ArrivalHistory::kTimes].load(std::memory_order_relaxed) + away);
    } else {
      arrivals[rank] = now + away;  // still in an earlier call
    }
  }
  const auto [first, last] = std::minmax_element(arrivals.begin(), arrivals.end());
  const std::int64_t start = *first;
  const double spread_s = seconds(*last - start);
  for (arrival::Ticks& tick : arrivals) tick = std::clamp<arrival::Ticks>(tick - start, 0, arrival::kMaxTicks);
  ArrivalHistory::CallPlan& plan = kind.plan(call);
  plan.late = handling == LateHandling::kMayGoAround &&
              kind.head().choice.choose(spread_s, known.vector_s).way == arrival::Choice::Way::kScheduled;
  if (plan.late) ++kind.head().scheduled_calls;
}

/// From all calls that every rank has left by now.
void ArrivalTracker::learn(const ArrivalHistory::CallHistory& kind) {
  std::uint64_t all_left = ~std::uint64_t{0};
  for (std::size_t rank = 0; rank < kind.ranks(); ++rank) {
    all_left = std::min(all_left, kind.times(rank).left.load(std::memory_order_acquire));
  }
  while (kind.head().learned < all_left) learn(kind, ++kind.head().learned);
}

void ArrivalTracker::learn(const ArrivalHistory::CallHistory& kind, std::uint64_t call) {
  std::vector<double> entered_s(kind.ranks());
  std::int64_t end = 0;
  std::int64_t last = 0;
  for (std::size_t rank = 0; rank < kind.ranks(); ++rank) {
    const ArrivalHistory::RankTimes& times = kind.times(rank);
    const std::int64_t entered = times.entered_ns[call % ArrivalHistory::kTimes].load(std::memory_order_relaxed);
    entered_s[rank] = seconds(entered);
    last = std::max(last, entered);
    end = std::max(end, times.left_ns[call % ArrivalHistory::kTimes].load(std::memory_order_relaxed));
  }
  ArrivalHistory::Head& head = kind.head();
  const bool late = kind.plan(call).late;
  if (late) head.saved_s += head.choice.plain_s() - seconds(end - last);
  head.choice.learn(late ? arrival::Choice::Way::kScheduled : arrival::Choice::Way::kPlain, seconds(end - last));
  head.lost_s += arrival::note_last(entered_s, kind.lateness());
}

void ArrivalTracker::leave() {
  if (current_ == kNone) return;
  Known& known = known_[current_];
  known.left_ns = now_ns();
  known.time_s += seconds(known.left_ns - known.entered_ns);
  ArrivalHistory::RankTimes& times = history_.of_kind(current_).times(rank_);
  times.left_ns[known.calls % ArrivalHistory::kTimes].store(known.left_ns, std::memory_order_relaxed);
  times.left.store(known.calls, std::memory_order_release);
  shared_.ring_blocked();
  current_ = kNone;
}

void ArrivalTracker::tell_progress(double fraction) {
  const std::int64_t now = now_ns();
  for (std::size_t i = 0; i < known_.size(); ++i) {
    Known& known = known_[i];
    if (i == current_ || known.left_ns == 0) continue;  // in the call, or never came to its end
    known.predictor.progress(seconds(now - known.left_ns), fraction);
    const auto away_ns = static_cast<std::int64_t>(1e9 * known.predictor.predict());
    history_.of_kind(i).times(rank_).away_ns.store(away_ns, std::memory_order_relaxed);
  }
}

std::string ArrivalTracker::lines() const {
  std::string lines;
  if (rank_ != 0) return lines;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Known& known = known_[i];
    const ArrivalHistory::CallHistory kind = history_.of_kind(i);
    const ArrivalHistory::Head& head = kind.head();
    const auto lateness = kind.lateness();
    const arrival::Sightings seen{known.calls, head.scheduled_calls, known.time_s,
                                  head.lost_s, head.saved_s,         {lateness.begin(), lateness.end()}};
    lines += arrival::line_of(known.site, name(known.operation), known.bytes, seen);
  }
  return lines;
}

}  // namespace starling::collective
