// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "channel.hpp"

#include <algorithm>
#include <cmath>

namespace starling::pap {
namespace {

constexpr int kMostSegments = 512;
/// With live progress, the word is asked for when half the time has gone, for then it knows more.
constexpr double kAskAfter = 0.5;
constexpr double kWorthMeasuring = 4;  // plain calls' time, lost by a rank waiting for others

MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  PMPI_Comm_dup(comm, &copy);
  return copy;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

}  // namespace

Channel::Channel(MPI_Comm comm, const Kind& kind, const void* site, Ground& ground)
    : ground_(ground), comm_(duplicate(comm)), kind_(kind), site_(site), size_(size_of(comm)), exchange_(comm_, size_) {
  PMPI_Comm_rank(comm_, &rank_);
  clock_offset_s_ = ground_.clock_offset_s(comm_);
  arrivals_.assign(static_cast<std::size_t>(size_), 0);
  sightings_.ranks.resize(static_cast<std::size_t>(size_));
  decide();
}

void Channel::only_watch() noexcept {
  only_watched_ = true;
  decide();
}

arrival::Choice::Way Channel::enter(Helper& helper) {
  entered_s_ = shared_clock_s();
  const Words& words = helper.wait(&exchange_);
  if (has_left_) {
    const std::lock_guard guard(predictor_lock_);
    predictor_.learn(entered_s_ - left_s_);
    predictor_.restart();
    has_left_ = false;
  }
  if (!words.empty()) {
    take_in(words);
    const bool was_measured = vector_s_ > 0;
    decide();
    if (!was_measured && vector_s_ > 0) entered_s_ = shared_clock_s();  // the call did not take what measuring took
  }
  return answer_.way;
}

void Channel::leave(Helper& helper) {
  double wait_s = 0;
  {
    const std::lock_guard guard(predictor_lock_);
    left_s_ = shared_clock_s();
    has_left_ = true;
    if (has_progress_) wait_s = kAskAfter * predictor_.predict();
  }
  ++sightings_.calls;
  if (answer_.way == arrival::Choice::Way::kScheduled) ++sightings_.scheduled_calls;
  sightings_.time_s += left_s_ - entered_s_;
  untold_.push_back({entered_s_, left_s_});
  if (untold_.size() == static_cast<std::size_t>(answer_.calls)) tell(helper, wait_s);
}

void Channel::tell(Helper& helper, double wait_s) {
  helper.start(&exchange_, clock_s() + wait_s, untold_, [this, left_s = left_s_] {
    const std::lock_guard guard(predictor_lock_);
    return Outlook{left_s + predictor_.predict(), has_progress_};
  });
  untold_.clear();
}

void Channel::progress(double fraction) {
  const std::lock_guard guard(predictor_lock_);
  if (!has_left_) return;
  has_progress_ = true;
  predictor_.progress(shared_clock_s() - left_s_, fraction);
}

/// All ranks do this with the same words, so all go on alike.
void Channel::take_in(const Words& words) {
  double first_s = words.outlook(0).next_s;
  is_live_ = false;
  for (std::size_t rank = 0; rank < words.ranks(); ++rank) {
    first_s = std::min(first_s, words.outlook(rank).next_s);
    is_live_ = is_live_ || words.outlook(rank).is_live;
  }
  for (std::size_t rank = 0; rank < words.ranks(); ++rank) {
    const double ticks = 1e9 * (words.outlook(rank).next_s - first_s);
    // Whatever a clock or a program says, a schedule needs a time that can be.
    arrivals_[rank] = ticks > 0 ? std::llround(std::min(ticks, static_cast<double>(arrival::kMaxTicks))) : 0;
  }
  for (std::size_t call = 0; call < words.calls(); ++call) learn(words, call);
}

void Channel::learn(const Words& words, std::size_t call) {
  std::vector<double> entered_s;
  double end_s = words.stay(0, call).left_s;
  for (std::size_t rank = 0; rank < words.ranks(); ++rank) {
    const Stay stay = words.stay(rank, call);
    entered_s.push_back(stay.entered_s);
    end_s = std::max(end_s, stay.left_s);
  }
  const double exposed_s = end_s - *std::max_element(entered_s.begin(), entered_s.end());
  if (answer_.way == arrival::Choice::Way::kScheduled) sightings_.saved_s += choice_.plain_s() - exposed_s;
  choice_.learn(answer_.way, exposed_s);
  sightings_.note(entered_s);
}

void Channel::decide() {
  if (only_watched_) {
    answer_ = {arrival::Choice::Way::kPlain, arrival::Choice::kLongestHold};
    return;
  }
  answer_ = choose();
  if (answer_.way == arrival::Choice::Way::kPlain || vector_s_ > 0) return;
  // Somebody is late enough to be gone around, so it matters what messages take. To measure it takes longer than many
  // calls, so it must have cost something to wait.
  if (!ground_.has_link() && sightings_.lost_s < kWorthMeasuring * choice_.plain_s()) {
    answer_ = {arrival::Choice::Way::kPlain, 1};
    return;
  }
  const arrival::Link& link = ground_.link(comm_);
  vector_s_ = arrival::hop_s(kind_.bytes, link);
  slicing_ = arrival::slice(kind_.bytes, size_, link, kMostSegments);
  answer_ = choose();
}

arrival::Choice::Answer Channel::choose() {
  const auto [first, last] = std::minmax_element(arrivals_.begin(), arrivals_.end());
  // Until messages were measured: a tree of whole vectors takes as many one after the other as it is deep, and back.
  const double vector_s = vector_s_ > 0 ? vector_s_ : choice_.plain_s() / (2 * std::log2(size_));
  return choice_.choose(1e-9 * static_cast<double>(*last - *first), vector_s,
                        is_live_ ? 1 : arrival::Choice::kLongestHold);
}

int Channel::earliest() const {
  return static_cast<int>(std::min_element(arrivals_.begin(), arrivals_.end()) - arrivals_.begin());
}

void Channel::begin_finish(Helper& helper) {
  const Words& words = helper.wait(&exchange_);
  if (!words.empty()) take_in(words);
  if (!untold_.empty()) tell(helper, 0);
}

void Channel::finish(Helper& helper) {
  const Words& words = helper.wait(&exchange_);
  if (!words.empty()) take_in(words);
  has_left_ = false;
}

}  // namespace starling::pap
