// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace starling::pap {
namespace {

constexpr double kShortestNap_s = 50e-6;
constexpr double kLongestNap_s = 2e-3;
/// How often an exchange that MPI does not begin, for it lacks memory for one, is tried again, and when.
constexpr int kMostTries = 2000;
constexpr double kBetweenTries_s = 1e-3;

std::chrono::duration<double> seconds(double s) { return std::chrono::duration<double>(s); }

}  // namespace

void ExchangeThread::start(Exchange* exchange, double due_s, std::span<const Stay> stays,
                           std::function<ExpectedArrival()> ask) {
  const std::lock_guard guard(lock_);
  if (exchange->is_broken_) return;
  exchange->stage_ = Exchange::Stage::kDue;
  exchange->tries_ = 0;
  exchange->due_s_ = due_s;
  exchange->ask_ = std::move(ask);
  exchange->mine_.assign(2, 0);
  for (const Stay& stay : stays) exchange->mine_.insert(exchange->mine_.end(), {stay.entered_s, stay.left_s});
  exchange->times_.each_ = exchange->mine_.size();
  exchange->times_.all_.resize(exchange->size_ * exchange->mine_.size());
  open_.push_back(exchange);
  if (!thread_.joinable()) thread_ = Thread([this] { run(); });
  changed_.notify_one();
}

const ExchangedTimes& ExchangeThread::wait(Exchange* exchange) {
  static const ExchangedTimes kNoTimes;
  std::unique_lock guard(lock_);
  if (exchange->stage_ == Exchange::Stage::kIdle) return kNoTimes;
  exchange->due_s_ = 0;
  // Whoever waits does the work itself: the exchange thread may be asleep.
  while (exchange->stage_ != Exchange::Stage::kDone) {
    if (advance(exchange, clock_s())) {
      open_.erase(std::find(open_.begin(), open_.end(), exchange));
      break;
    }
    guard.unlock();
    yield();
    guard.lock();
  }
  exchange->stage_ = Exchange::Stage::kIdle;
  return exchange->times_;
}

void ExchangeThread::stop() {
  {
    const std::lock_guard guard(lock_);
    stopping_ = true;
    for (Exchange* exchange : open_) exchange->due_s_ = 0;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

/// Returns whether the exchange is over. The lock is held.
bool ExchangeThread::advance(Exchange* exchange, double now_s) {
  if (exchange->stage_ == Exchange::Stage::kDue && exchange->due_s_ <= now_s) {
    const ExpectedArrival expected = exchange->ask_();
    exchange->mine_[0] = expected.next_s;
    exchange->mine_[1] =
        (expected.is_live ? ExchangedTimes::kLive : 0) + (expected.has_failed ? ExchangedTimes::kFailed : 0);
    const int begun = exchange->allgather_.begin(exchange->mine_, exchange->times_.all_);
    if (begun != MPI_SUCCESS) {
      exchange->due_s_ = now_s + kBetweenTries_s;
      return ++exchange->tries_ > kMostTries && break_off(exchange);
    }
    exchange->stage_ = Exchange::Stage::kRunning;
  }
  if (exchange->stage_ != Exchange::Stage::kRunning) return false;
  int done = 0;
  if (exchange->allgather_.test(&done) != MPI_SUCCESS) return break_off(exchange);
  if (done == 0) return false;
  exchange->stage_ = Exchange::Stage::kDone;
  return true;
}

/// What has come says nothing.
bool ExchangeThread::break_off(Exchange* exchange) {
  exchange->is_broken_ = true;
  exchange->times_.all_.clear();
  exchange->stage_ = Exchange::Stage::kDone;
  return true;
}

void ExchangeThread::run() {
  std::unique_lock guard(lock_);
  double nap_s = kShortestNap_s;
  for (;;) {
    const double now_s = clock_s();
    const auto over = std::remove_if(open_.begin(), open_.end(), [&](Exchange* each) { return advance(each, now_s); });
    if (over != open_.end()) nap_s = kShortestNap_s;
    open_.erase(over, open_.end());
    if (open_.empty()) {
      if (stopping_) return;
      changed_.wait(guard);
      continue;
    }
    double next_s = std::numeric_limits<double>::infinity();
    for (const Exchange* each : open_) {
      next_s = std::min(next_s, each->stage_ == Exchange::Stage::kRunning ? now_s + nap_s : each->due_s_);
    }
    changed_.wait_for(guard, seconds(std::max(0.0, next_s - now_s)));
    nap_s = std::min(2 * nap_s, kLongestNap_s);
  }
}

}  // namespace starling::pap
