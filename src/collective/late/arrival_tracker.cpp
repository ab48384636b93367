// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/late/arrival_tracker.hpp"

#include <algorithm>

#include "arrival/record/table.hpp"
#include "base/clock.hpp"
#include "collective/arguments/roles.hpp"
#include "collective/choose/shape.hpp"

namespace starling::collective {
namespace {

double seconds(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

}  // namespace

arrival::Link link_of(const Machine& machine) noexcept {
  arrival::Link link;
  for (std::size_t i = 0; i < link.size(); ++i) {
    const auto bytes = static_cast<double>(arrival::kSampledBytes[i]);
    const double hop_s = 1e-9 * (machine.message(bytes) + bytes * machine.reduce_byte_ns);
    link[i] = {arrival::kSampledBytes[i], hop_s, hop_s};  // processors move the bytes: nothing goes on behind a hop
  }
  return link;
}

arrival::Slicing slicing_of(std::int64_t bytes, std::int32_t ranks, const Machine& machine) {
  constexpr int kMostSegments = 64;  // more cost more to schedule than they save
  return arrival::slice(bytes, ranks, link_of(machine), kMostSegments);
}

Foresight::Foresight(Area& area, std::int32_t rank, std::shared_ptr<Ledger> ledger)
    : area_(area), board_(area.board()), rank_(static_cast<std::size_t>(rank)), ledger_(std::move(ledger)) {
  known_.reserve(Board::kKinds);
  ledger_->alive.push_back(this);
}

Foresight::~Foresight() {
  ledger_->gone += lines();
  std::erase(ledger_->alive, this);
}

std::size_t Foresight::find(const Arguments& a, std::int64_t bytes, const Machine& machine) {
  const std::int32_t root = rooted(a.operation) ? a.root : 0;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Known& known = known_[i];
    if (known.operation == a.operation && known.bytes == bytes && known.root == root) return i;
  }
  if (known_.size() == Board::kKinds) return kNone;
  Known& known = known_.emplace_back();
  known.operation = a.operation;
  known.bytes = bytes;
  known.root = root;
  known.site = a.site;
  known.vector_s = 1e-9 * machine.message(static_cast<double>(bytes));
  known.slicing = slicing_of(bytes, a.comm->size(), machine);
  return known_.size() - 1;
}

Outlook Foresight::enter(progress::Engine& progress, const Arguments& arguments, const Machine& machine,
                         Freedom freedom) {
  current_ = find(arguments, agreed_bytes(arguments), machine);
  if (current_ == kNone) return {};
  Known& known = known_[current_];
  const Board::Kind kind = board_.kind(current_);
  const std::uint64_t call = ++known.calls;
  tell_entry(known, kind);
  Board::Plan& plan = kind.plan(call);
  std::uint64_t before = call - 1;
  // acq_rel: sees what the rank that claimed the call before has written.
  if (kind.head().claimed.compare_exchange_strong(before, call, std::memory_order_acq_rel)) {
    if (!make_room(progress, kind, call, *arguments.comm)) return {};
    make_plan(kind, known, freedom);
    plan.ready.store(call, std::memory_order_release);
    area_.ring_all();
  } else if (plan.ready.load(std::memory_order_acquire) != call) {
    const auto is_ready = [&] { return plan.ready.load(std::memory_order_acquire) == call; };
    progress.wait([&] { return is_ready() || !arguments.comm->fit_for_collectives(); });
    if (!is_ready()) return {};
  }
  return {true, plan.late, kind.arrivals(call), known.slicing};
}

void Foresight::tell_entry(Known& known, const Board::Kind& kind) {
  known.entered_ns = now_ns();
  if (known.calls > 1) known.predictor.learn(seconds(known.entered_ns - known.left_ns));
  Board::Word& word = kind.word(rank_);
  word.entered_ns[known.calls % Board::kTimes].store(known.entered_ns, std::memory_order_relaxed);
  known.predictor.restart();
  word.away_ns.store(static_cast<std::int64_t>(1e9 * known.predictor.predict()), std::memory_order_relaxed);
  // release: the time is there for whoever sees the number.
  word.entered.store(known.calls, std::memory_order_release);
}

/// Until every rank has left the call whose plan and times this one takes the place of; false if one never will.
bool Foresight::make_room(progress::Engine& progress, const Board::Kind& kind, std::uint64_t call,
                          const comm::Communicator& comm) {
  const auto all_left = [&] {
    for (std::size_t rank = 0; rank < kind.ranks(); ++rank) {
      if (kind.word(rank).left.load(std::memory_order_acquire) + Board::kPlans < call) return false;
    }
    return true;
  };
  if (all_left()) [[likely]]
    return true;
  area_.block();
  progress.wait([&] { return all_left() || !comm.fit_for_collectives(); });
  area_.unblock();
  return all_left();
}

void Foresight::make_plan(const Board::Kind& kind, const Known& known, Freedom freedom) {
  const std::uint64_t call = known.calls;
  const std::int64_t now = known.entered_ns;
  learn(kind);
  const std::span<arrival::Ticks> arrivals = kind.arrivals(call);
  for (std::size_t rank = 0; rank < kind.ranks(); ++rank) {
    const Board::Word& word = kind.word(rank);
    const std::uint64_t left = word.left.load(std::memory_order_acquire);
    const std::int64_t away = word.away_ns.load(std::memory_order_relaxed);
    if (word.entered.load(std::memory_order_acquire) >= call) {
      arrivals[rank] = word.entered_ns[call % Board::kTimes].load(std::memory_order_relaxed);
    } else if (left + 1 == call) {
      // Whoever should be there already is on its way.
      arrivals[rank] = std::max(now, word.left_ns[left % Board::kTimes].load(std::memory_order_relaxed) + away);
    } else {
      arrivals[rank] = now + away;  // still in an earlier call
    }
  }
  const auto [first, last] = std::minmax_element(arrivals.begin(), arrivals.end());
  const std::int64_t start = *first;
  const double spread_s = seconds(*last - start);
  for (arrival::Ticks& tick : arrivals) tick = std::clamp<arrival::Ticks>(tick - start, 0, arrival::kMaxTicks);
  Board::Plan& plan = kind.plan(call);
  plan.late = freedom == Freedom::kMayGoAround &&
              kind.head().choice.choose(spread_s, known.vector_s).way == arrival::Choice::Way::kScheduled;
  if (plan.late) ++kind.head().scheduled_calls;
}

/// From all calls that every rank has left by now.
void Foresight::learn(const Board::Kind& kind) {
  std::uint64_t all_left = ~std::uint64_t{0};
  for (std::size_t rank = 0; rank < kind.ranks(); ++rank) {
    all_left = std::min(all_left, kind.word(rank).left.load(std::memory_order_acquire));
  }
  while (kind.head().learned < all_left) learn(kind, ++kind.head().learned);
}

void Foresight::learn(const Board::Kind& kind, std::uint64_t call) {
  std::vector<double> entered_s(kind.ranks());
  std::int64_t end = 0;
  std::int64_t last = 0;
  for (std::size_t rank = 0; rank < kind.ranks(); ++rank) {
    const Board::Word& word = kind.word(rank);
    const std::int64_t entered = word.entered_ns[call % Board::kTimes].load(std::memory_order_relaxed);
    entered_s[rank] = seconds(entered);
    last = std::max(last, entered);
    end = std::max(end, word.left_ns[call % Board::kTimes].load(std::memory_order_relaxed));
  }
  Board::Head& head = kind.head();
  const bool late = kind.plan(call).late;
  if (late) head.saved_s += head.choice.plain_s() - seconds(end - last);
  head.choice.learn(late ? arrival::Choice::Way::kScheduled : arrival::Choice::Way::kPlain, seconds(end - last));
  head.lost_s += arrival::note_last(entered_s, kind.lateness());
}

void Foresight::leave() {
  if (current_ == kNone) return;
  Known& known = known_[current_];
  known.left_ns = now_ns();
  known.time_s += seconds(known.left_ns - known.entered_ns);
  Board::Word& word = board_.kind(current_).word(rank_);
  word.left_ns[known.calls % Board::kTimes].store(known.left_ns, std::memory_order_relaxed);
  word.left.store(known.calls, std::memory_order_release);
  area_.ring_blocked();
  current_ = kNone;
}

void Foresight::tell_progress(double fraction) {
  const std::int64_t now = now_ns();
  for (std::size_t i = 0; i < known_.size(); ++i) {
    Known& known = known_[i];
    if (i == current_ || known.left_ns == 0) continue;  // in the call, or never came to its end
    known.predictor.progress(seconds(now - known.left_ns), fraction);
    const auto away_ns = static_cast<std::int64_t>(1e9 * known.predictor.predict());
    board_.kind(i).word(rank_).away_ns.store(away_ns, std::memory_order_relaxed);
  }
}

std::string Foresight::lines() const {
  std::string lines;
  if (rank_ != 0) return lines;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Known& known = known_[i];
    const Board::Kind kind = board_.kind(i);
    const Board::Head& head = kind.head();
    const auto lateness = kind.lateness();
    const arrival::Sightings seen{known.calls, head.scheduled_calls, known.time_s,
                                  head.lost_s, head.saved_s,         {lateness.begin(), lateness.end()}};
    lines += arrival::line_of(known.site, name(known.operation), known.bytes, seen);
  }
  return lines;
}

}  // namespace starling::collective
