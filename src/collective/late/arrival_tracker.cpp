// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/late/arrival_tracker.hpp"

#include <algorithm>
#include <utility>

#include "arrival/record/table.hpp"
#include "base/clock.hpp"
#include "collective/arguments/agreed_bytes.hpp"
#include "collective/arguments/roles.hpp"
#include "collective/late/slicing.hpp"

namespace starling::collective {
namespace {

using CallPlan = ArrivalHistory::CallPlan;

/// So many more calls must find nobody late than somebody, before any is not watched. A call to which somebody was late
/// counts as often as kRestless: less than all that was seen before, for a rank that lost its core once is not late.
constexpr std::uint32_t kCalm = 16;
constexpr std::uint32_t kRestless = 4;

double seconds(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }
std::int64_t nanoseconds(double s) { return static_cast<std::int64_t>(1e9 * s); }

/// What a rank saw of a call; null where it was not in it, as its arguments were not those of the others.
const ArrivalHistory::Stay* stay_in(const ArrivalHistory::RankTimes& times, std::uint64_t call) {
  for (const ArrivalHistory::Stay& stay : times.stays) {
    if (stay.call.load(std::memory_order_relaxed) == call) return &stay;
  }
  return nullptr;
}

/// "ireduce", "reduce_init".
std::string told_name(const ArrivalHistory::Key& key) {
  const char* prefix = key.form == Form::kNonblocking ? "i" : "";
  return std::string(prefix) + name(key.operation) + (key.form == Form::kPersistent ? "_init" : "");
}

}  // namespace

ArrivalTracker::ArrivalTracker(SharedBuffer& shared, std::int32_t rank, std::shared_ptr<LateTableSource> table_source)
    : shared_(shared),
      history_(shared.history()),
      rank_(static_cast<std::size_t>(rank)),
      table_source_(std::move(table_source)) {
  table_source_->trackers.push_back(this);
}

ArrivalTracker::~ArrivalTracker() {
  table_source_->finished_lines += lines();
  std::erase(table_source_->trackers, this);
}

ArrivalHistory::Key ArrivalTracker::key_of(const Arguments& a) noexcept {
  return {agreed_bytes(a), sites_.of(a.site), rooted(a.operation) ? a.root : 0, a.operation, a.form};
}

std::int32_t ArrivalTracker::find_kind(const ArrivalHistory::Key& key, const Machine& machine) {
  for (std::int32_t index = 0; index < static_cast<std::int32_t>(ArrivalHistory::kKinds); ++index) {
    const ArrivalHistory::Kind& kind = history_.kind(index);
    if (kind.generation != 0 && kind.key == key) return index;
  }
  return history_.replace_kind(key, 1e-9 * machine.message(static_cast<double>(key.bytes)));
}

std::optional<ArrivalPrediction> ArrivalTracker::enter(progress::Engine& progress, const WatchedCall& call) {
  tell_entry(call.number);
  ArrivalHistory::Head& head = history_.head();
  const comm::Communicator& comm = *call.arguments.comm;
  const auto decided = [&] { return head.decided.load(std::memory_order_acquire) >= call.number; };
  const auto wait_until = [&](const auto& done) {
    if (done()) [[likely]]
      return;
    shared_.block();
    progress.wait([&] { return done() || !comm.fit_for_collectives(); });
    shared_.unblock();
  };
  if (call.arguments.form == Form::kBlocking) wait_until([&] { return decided() || has_room(); });
  std::uint64_t before = head.claimed.load(std::memory_order_relaxed);
  if (before < call.number && head.claimed.compare_exchange_strong(before, call.number, std::memory_order_relaxed)) {
    CallPlan& plan = history_.plan(head.plans);
    if (has_room()) {
      make_plan(plan, call);
      plan.ready.store(call.number, std::memory_order_release);
    }
    // release: who sees this sees the plan, and that there is none.
    head.decided.store(call.number, std::memory_order_release);
    shared_.ring_blocked();
  }
  wait_until(decided);
  CallPlan* plan = history_.find_plan(call.number);
  if (plan == nullptr) {
    --watched_;
    knows_since_ = false;
    tell_left();
    return std::nullopt;
  }
  const OwnKind& own = begin(*plan, call);
  const ArrivalHistory::Key& key = history_.kind(plan->kind).key;
  // Ranks that disagree about the call find that out themselves, without a schedule.
  if (key.bytes != agreed_bytes(call.arguments) || key.operation != call.arguments.operation) return std::nullopt;
  return ArrivalPrediction{plan->late, history_.arrivals(*plan), own.slicing};
}

void ArrivalTracker::tell_entry(std::uint64_t call) {
  newest_ = call;
  entered_ns_ = now_ns();
  ArrivalHistory::RankTimes& times = history_.times(rank_);
  ArrivalHistory::Stay& stay = times.stays[watched_++ % ArrivalHistory::kStays];
  stay.entered_ns.store(entered_ns_, std::memory_order_relaxed);
  stay.left_ns.store(0, std::memory_order_relaxed);
  stay.call.store(call, std::memory_order_relaxed);
  // release: the time is there for whoever sees the number.
  times.entered.store(call, std::memory_order_release);
}

/// Up to which call it has left all.
void ArrivalTracker::tell_left() {
  const std::uint64_t left = open_.empty() ? newest_ : open_.front().number - 1;
  history_.times(rank_).left.store(left, std::memory_order_release);
}

/// Up to which call every rank has left all.
std::uint64_t ArrivalTracker::left_by_all() const noexcept {
  std::uint64_t left = ~std::uint64_t{0};
  for (std::size_t rank = 0; rank < history_.ranks(); ++rank) {
    left = std::min(left, history_.times(rank).left.load(std::memory_order_acquire));
  }
  return left;
}

/// Whether every rank has left the call whose plan the next one takes the place of.
bool ArrivalTracker::has_room() const noexcept {
  std::uint64_t oldest = ~std::uint64_t{0};
  for (std::size_t place = 0; place < ArrivalHistory::kPlans; ++place) {
    oldest = std::min(oldest, history_.plan(place).ready.load(std::memory_order_relaxed));
  }
  return oldest <= left_by_all();
}

void ArrivalTracker::make_plan(CallPlan& plan, const WatchedCall& call) {
  learn();
  ArrivalHistory::Head& head = history_.head();
  plan.kind = find_kind(key_of(call.arguments), call.machine);
  expect(plan, call.number);
  const int hold = decide(plan, call.handling);
  const std::uint64_t stride = std::max<std::uint64_t>(1, call.number - head.planned);
  head.skipped = hold > 1;
  plan.next_watched = hold > 1 ? call.number + static_cast<std::uint64_t>(hold) * stride : 0;
  head.planned = call.number;
  ++head.plans;
  ArrivalHistory::Kind& kind = history_.kind(plan.kind);
  kind.last_call = call.number;
  if (plan.late) ++kind.scheduled_calls;
}

/// When each rank comes to the call.
void ArrivalTracker::expect(CallPlan& plan, std::uint64_t call) {
  const std::span<arrival::Ticks> arrivals = history_.arrivals(plan);
  plan.predicted = !history_.head().skipped;
  for (std::size_t rank = 0; rank < history_.ranks(); ++rank) {
    const ArrivalHistory::RankTimes& times = history_.times(rank);
    const ArrivalHistory::Stay* stay = nullptr;
    if (times.entered.load(std::memory_order_acquire) >= call) stay = stay_in(times, call);
    arrivals[rank] = stay != nullptr ? stay->entered_ns.load(std::memory_order_relaxed) : expected_ns(rank, plan.kind);
  }
  plan.start_ns = *std::min_element(arrivals.begin(), arrivals.end());
  for (arrival::Ticks& tick : arrivals) tick = std::clamp<arrival::Ticks>(tick - plan.start_ns, 0, arrival::kMaxTicks);
}

/// When a rank comes that is not there yet: some time after it left the call before, or, where it does not wait for
/// that one first, entered it. Whoever should be there already is on its way.
std::int64_t ArrivalTracker::expected_ns(std::size_t rank, std::int32_t kind) const {
  const ArrivalHistory::Head& head = history_.head();
  const ArrivalHistory::RankTimes& times = history_.times(rank);
  const ArrivalHistory::Away& away = history_.away(kind)[rank];
  const ArrivalHistory::Stay* stay = nullptr;
  if (times.entered.load(std::memory_order_acquire) >= head.planned) stay = stay_in(times, head.planned);
  std::int64_t since_ns = 0;  // of a blocking call: it is still in the one before
  if (stay != nullptr) {
    const bool since_entry = away.since_entry.load(std::memory_order_relaxed);
    since_ns = (since_entry ? stay->entered_ns : stay->left_ns).load(std::memory_order_relaxed);
  } else if (head.plans != 0 && history_.kind(kind).key.form != Form::kBlocking) {  // it will enter that first
    CallPlan& former = history_.plan(head.plans - 1);
    since_ns = std::max(entered_ns_, former.start_ns + history_.arrivals(former)[rank]);
  }
  if (since_ns == 0) since_ns = entered_ns_;
  return std::max(entered_ns_, since_ns + away.ns.load(std::memory_order_relaxed));
}

/// Which way the call goes; returns for how many calls nobody need look again.
int ArrivalTracker::decide(CallPlan& plan, LateHandling handling) {
  plan.late = false;
  ArrivalHistory::Head& head = history_.head();
  if (handling == LateHandling::kOnlyWatch || !plan.predicted) return 1;
  ArrivalHistory::Kind& kind = history_.kind(plan.kind);
  const arrival::Choice::Answer answer = kind.driver.decide(history_.arrivals(plan), kind.vector_s);
  plan.late = answer.way == arrival::Choice::Way::kScheduled;
  const bool calm = kind.driver.is_calm() && !head.live.load(std::memory_order_relaxed);
  head.calm = calm ? std::min(head.calm + 1, kCalm) : head.calm - std::min(head.calm, kRestless);
  return head.calm == kCalm && handling == LateHandling::kMayGoAround ? answer.calls : 1;
}

/// From all calls that every rank has left by now.
void ArrivalTracker::learn() {
  const std::uint64_t all_left = left_by_all();
  ArrivalHistory::Head& head = history_.head();
  for (std::size_t place = 0; place < ArrivalHistory::kPlans; ++place) {
    CallPlan& plan = history_.plan(head.plans + place);  // the oldest first
    const std::uint64_t call = plan.ready.load(std::memory_order_relaxed);
    if (call <= head.learned || call > all_left) continue;
    learn(plan);
    head.learned = call;
  }
}

void ArrivalTracker::learn(CallPlan& plan) {
  const std::uint64_t call = plan.ready.load(std::memory_order_relaxed);
  std::vector<double> entered_s(history_.ranks());
  std::vector<double> left_s(history_.ranks());
  for (std::size_t rank = 0; rank < history_.ranks(); ++rank) {
    const ArrivalHistory::Stay* stay = stay_in(history_.times(rank), call);
    if (stay == nullptr) return;
    entered_s[rank] = seconds(stay->entered_ns.load(std::memory_order_relaxed));
    left_s[rank] = seconds(stay->left_ns.load(std::memory_order_relaxed));
  }
  const auto way = plan.late ? arrival::Choice::Way::kScheduled : arrival::Choice::Way::kPlain;
  const auto arrivals = plan.predicted ? history_.arrivals(plan) : std::span<arrival::Ticks>();
  ArrivalHistory::Kind& kind = history_.kind(plan.kind);
  const auto end = kind.key.form == Form::kBlocking ? arrival::End::kOfLast : arrival::End::kOfMean;
  kind.driver.learn({way, entered_s, left_s, arrivals, kind.vector_s, end}, history_.lateness(plan.kind));
}

/// This rank's account of a call whose plan is there.
ArrivalTracker::OwnKind& ArrivalTracker::begin(const CallPlan& plan, const WatchedCall& call) {
  OwnKind& own = own_[static_cast<std::size_t>(plan.kind)];
  const std::uint32_t generation = history_.kind(plan.kind).generation;
  if (own.generation != generation) {
    own = OwnKind{generation,
                  call.arguments.site,
                  0,
                  0,
                  slicing_of(agreed_bytes(call.arguments), call.arguments.comm->size(), call.machine),
                  false,
                  {}};
  }
  next_watched_ = plan.next_watched;
  ++own.calls;
  if (knows_since_) {
    if (std::exchange(own.away_since_entry, since_entry_) != since_entry_) own.away = {};
    own.away.learn(seconds(std::max<std::int64_t>(0, entered_ns_ - since_ns_)));
  }
  if (std::exchange(told_progress_, false)) {
    for (OwnKind& each : own_) each.away.restart();
  }
  tell_away(plan.kind, own);
  open_.push_back({call.number, (watched_ - 1) % ArrivalHistory::kStays, entered_ns_, plan.kind, generation});
  note_event(entered_ns_, true);
  return own;
}

void ArrivalTracker::note_event(std::int64_t at_ns, bool entry) {
  since_ns_ = at_ns;
  since_entry_ = entry;
  knows_since_ = watches(newest_ + 1);
}

void ArrivalTracker::tell_away(std::int32_t kind, const OwnKind& own) {
  ArrivalHistory::Away& away = history_.away(kind)[rank_];
  away.ns.store(nanoseconds(own.away.predict()), std::memory_order_relaxed);
  away.since_entry.store(own.away_since_entry, std::memory_order_relaxed);
}

void ArrivalTracker::leave(std::uint64_t number) {
  const auto call =
      std::find_if(open_.begin(), open_.end(), [&](const OpenCall& each) { return each.number == number; });
  if (call == open_.end()) return;  // it had no plan
  const std::int64_t now = now_ns();
  OwnKind& own = own_[static_cast<std::size_t>(call->kind)];
  if (own.generation == call->generation) own.time_s += seconds(now - call->entered_ns);
  history_.times(rank_).stays[call->stay].left_ns.store(now, std::memory_order_relaxed);
  open_.erase(call);
  note_event(now, false);
  tell_left();
  shared_.ring_blocked();
}

void ArrivalTracker::tell_progress(double fraction) {
  if (watched_ == 0) return;
  history_.head().live.store(true, std::memory_order_relaxed);
  if (!knows_since_) return;
  told_progress_ = true;
  const double away_s = seconds(now_ns() - since_ns_);
  for (std::size_t i = 0; i < own_.size(); ++i) {
    if (own_[i].calls == 0) continue;
    own_[i].away.progress(away_s, fraction);
    tell_away(static_cast<std::int32_t>(i), own_[i]);
  }
}

std::string ArrivalTracker::lines() {
  std::string lines;
  if (rank_ != 0) return lines;
  learn();  // no rank plans another call, which this one would be in
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const OwnKind& own = own_[i];
    const auto index = static_cast<std::int32_t>(i);
    const ArrivalHistory::Kind& kind = history_.kind(index);
    if (own.calls == 0 || own.generation != kind.generation) continue;
    const auto lateness = history_.lateness(index);
    const arrival::CallSummary summary{own.calls,
                                       kind.scheduled_calls,
                                       own.time_s,
                                       kind.driver.lost_s(),
                                       kind.driver.saved_s(),
                                       kind.driver.imbalance(),
                                       {lateness.begin(), lateness.end()}};
    lines += arrival::line_of(own.site, told_name(kind.key).c_str(), kind.key.bytes, summary);
  }
  return lines;
}

}  // namespace starling::collective
