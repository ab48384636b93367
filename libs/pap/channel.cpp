// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "channel.hpp"

#include <algorithm>
#include <cmath>

#include "mpi/communicator.hpp"

namespace starling::pap {
namespace {

constexpr int kMostSegments = 512;
/// With live progress, the word is asked for when half the time has gone, for then it knows more.
constexpr double kAskAfter = 0.5;
constexpr double kWorthMeasuring = 4;  // plain calls' time, lost by a rank waiting for others
constexpr std::span<const arrival::Ticks> kNothing;

PrivateCommunicator copy_of(MPI_Comm comm) {
  PrivateCommunicator copy;
  any_mpi::duplicate(comm, copy);
  return copy;
}

}  // namespace

Channel::Channel(MPI_Comm comm, const CallKind& kind, const void* site, Measurements& measurements)
    : measurements_(measurements),
      comm_(copy_of(comm)),
      kind_(kind),
      site_(site),
      rank_(any_mpi::rank_of(comm)),
      size_(any_mpi::size_of(comm)),
      exchange_(comm_.get(), size_) {
  clock_offset_s_ = measurements_.clock_offset_s(comm_.get());
  arrivals_.assign(static_cast<std::size_t>(size_), 0);
  lateness_.resize(static_cast<std::size_t>(size_));
  decide();
}

void Channel::only_watch() noexcept {
  only_watched_ = true;
  decide();
}

void Channel::always_go_around() {
  always_around_ = true;
  decide();
}

arrival::Choice::Way Channel::enter(ExchangeThread& exchange_thread) {
  const double entered_s = shared_clock_s();
  const ExchangedTimes& times = exchange_thread.wait(&exchange_);
  {
    const std::lock_guard guard(own_lock_);
    own_.enter(entered_s);
  }
  if (exchange_.is_broken() && !only_watched_) only_watch();  // nobody knows what the others expect
  if (!times.empty()) {
    take_in(times);
    const bool was_measured = vector_s_ > 0;
    decide();
    if (!was_measured && vector_s_ > 0)
      own_.enter_again(shared_clock_s());  // the call did not take what measuring took
  }
  return answer_.way;
}

void Channel::note_failure() {
  const std::lock_guard guard(own_lock_);
  has_failed_ = true;
}

void Channel::leave(ExchangeThread& exchange_thread) {
  double wait_s = 0;
  {
    const std::lock_guard guard(own_lock_);
    own_.leave(shared_clock_s());
    if (has_progress_) wait_s = kAskAfter * own_.away_s();
  }
  ++calls_;
  if (answer_.way == arrival::Choice::Way::kScheduled) ++scheduled_calls_;
  untold_.push_back({own_.entered_s(), own_.left_s()});
  if (untold_.size() == static_cast<std::size_t>(answer_.calls)) tell(exchange_thread, wait_s);
}

void Channel::tell(ExchangeThread& exchange_thread, double wait_s) {
  exchange_thread.start(&exchange_, clock_s() + wait_s, untold_, [this] {
    const std::lock_guard guard(own_lock_);
    return ExpectedArrival{own_.next_s(), has_progress_, has_failed_};
  });
  untold_.clear();
}

void Channel::progress(double fraction) {
  const std::lock_guard guard(own_lock_);
  if (own_.progress(shared_clock_s(), fraction)) has_progress_ = true;
}

/// All ranks do this with the same words, so all go on alike.
void Channel::take_in(const ExchangedTimes& times) {
  for (std::size_t call = 0; call < times.calls(); ++call) learn(times, call);
  double first_s = times.expected(0).next_s;
  is_live_ = false;
  for (std::size_t rank = 0; rank < times.ranks(); ++rank) {
    first_s = std::min(first_s, times.expected(rank).next_s);
    is_live_ = is_live_ || times.expected(rank).is_live;
    only_watched_ = only_watched_ || times.expected(rank).has_failed;
  }
  for (std::size_t rank = 0; rank < times.ranks(); ++rank) {
    const double ticks = 1e9 * (times.expected(rank).next_s - first_s);
    // Whatever a clock or a program says, a schedule needs a time that can be.
    arrivals_[rank] = ticks > 0 ? std::llround(std::min(ticks, static_cast<double>(arrival::kMaxTicks))) : 0;
  }
  is_predicted_ = true;
}

void Channel::learn(const ExchangedTimes& times, std::size_t call) {
  std::vector<double> entered_s;
  std::vector<double> left_s;
  for (std::size_t rank = 0; rank < times.ranks(); ++rank) {
    const Stay stay = times.stay(rank, call);
    entered_s.push_back(stay.entered_s);
    left_s.push_back(stay.left_s);
  }
  // What was predicted was predicted of the first call after it.
  const bool predicted = is_predicted_ && call == 0;
  driver_.learn(
      {answer_.way, entered_s, left_s, predicted ? std::span<const arrival::Ticks>(arrivals_) : kNothing, transfer_s()},
      lateness_);
}

void Channel::decide() {
  if (only_watched_) {
    answer_ = {arrival::Choice::Way::kPlain, arrival::Choice::kLongestHold};
    return;
  }
  if (always_around_) {
    if (vector_s_ == 0) measure_messages();
    answer_ = {arrival::Choice::Way::kScheduled, 1};
    return;
  }
  answer_ = choose();
  if (answer_.way == arrival::Choice::Way::kPlain || vector_s_ > 0) return;
  // Somebody is late enough to be gone around, so it matters what messages take. To measure it takes longer than many
  // calls, so it must have cost something to wait.
  if (!measurements_.has_link() && driver_.lost_s() < kWorthMeasuring * driver_.plain_s()) {
    answer_ = {arrival::Choice::Way::kPlain, 1};
    return;
  }
  measure_messages();
  answer_ = choose();
}

void Channel::measure_messages() {
  const arrival::Link& link = measurements_.link(comm_.get());
  vector_s_ = arrival::hop_s(kind_.bytes, link);
  slicing_ = arrival::slice(kind_.bytes, size_, link, kMostSegments);
}

double Channel::transfer_s() const {
  // Until messages were measured: a tree of whole vectors takes as many one after the other as it is deep, and back.
  return vector_s_ > 0 ? vector_s_ : driver_.plain_s() / (2 * std::log2(size_));
}

arrival::Choice::Answer Channel::choose() {
  return driver_.decide(arrivals_, transfer_s(), is_live_ ? 1 : arrival::Choice::kLongestHold);
}

arrival::CallSummary Channel::summary() const {
  return {calls_, scheduled_calls_, own_.time_s(), driver_.lost_s(), driver_.saved_s(), driver_.imbalance(), lateness_};
}

void Channel::begin_finish(ExchangeThread& exchange_thread) {
  const ExchangedTimes& times = exchange_thread.wait(&exchange_);
  if (!times.empty()) take_in(times);
  if (!untold_.empty()) tell(exchange_thread, 0);
}

void Channel::finish(ExchangeThread& exchange_thread) {
  const ExchangedTimes& times = exchange_thread.wait(&exchange_);
  if (!times.empty()) take_in(times);
  own_.end();
}

}  // namespace starling::pap
