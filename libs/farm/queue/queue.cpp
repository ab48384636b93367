// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "queue.hpp"

#include <algorithm>

namespace starling::farm {
namespace {

constexpr auto kLightSleep = std::chrono::microseconds(500);
constexpr int kLightSleeps = 4;

}  // namespace

void Queue::put(Task&& task) {
  {
    const std::lock_guard lock(back_mutex_);
    back_.push_back(std::move(task));
    put_.fetch_add(1);
  }
  added(1);
}

void Queue::put(Tasks& batch) {
  if (batch.empty()) return;
  const std::size_t count = batch.size();
  {
    const std::lock_guard lock(back_mutex_);
    for (Task& task : batch) back_.push_back(std::move(task));
    put_.fetch_add(count);
  }
  batch.clear();
  added(count);
}

void Queue::put_first(Tasks& batch) {
  if (batch.empty()) return;
  const std::size_t count = batch.size();
  {
    const std::lock_guard lock(front_mutex_);
    for (auto task = batch.rbegin(); task != batch.rend(); ++task) front_.push_front(std::move(*task));
    put_.fetch_add(count);
  }
  batch.clear();
  added(count);
}

void Queue::added(std::size_t count) {
  if (bell_ != nullptr) bell_->ring();
  const bool enough = size() >= handful();
  const int sleepers = deep_.load() + (enough ? light_.load() : 0);
  if (sleepers == 0) return;
  // A sleeper that has counted itself may not sleep yet; it does when it gives the mutex away.
  { const std::lock_guard lock(front_mutex_); }
  if (count > 1 && sleepers > 1) {
    wake_.notify_all();
  } else {
    wake_.notify_one();
  }
}

bool Queue::take(Tasks& out, std::size_t most, std::size_t sharers) {
  std::unique_lock lock(front_mutex_);
  if (size() == 0 && !stopped_ && !poked_) sleep(lock);
  poked_ = false;
  if (stopped_) return false;
  move_some(out, std::clamp<std::size_t>(size() / sharers, 1, most));
  return true;
}

void Queue::sleep(std::unique_lock<std::mutex>& lock) {
  const auto ready = [this] { return size() > 0 || stopped_ || poked_; };
  if (handful() > 1) {
    light_.fetch_add(1);
    for (int i = 0; i < kLightSleeps && !ready(); ++i) wake_.wait_for(lock, kLightSleep);
    light_.fetch_sub(1);
  }
  if (ready()) return;
  deep_.fetch_add(1);
  wake_.wait(lock, ready);
  deep_.fetch_sub(1);
}

void Queue::try_take(Tasks& out, std::size_t most) {
  if (size() == 0 || most == 0) return;
  const std::lock_guard lock(front_mutex_);
  if (!stopped_) move_some(out, most);
}

/// False if nothing is there.
bool Queue::fill_front() {
  if (!front_.empty()) return true;
  const std::lock_guard lock(back_mutex_);
  std::swap(front_, back_);
  return !front_.empty();
}

void Queue::move_some(Tasks& out, std::size_t most) {
  std::size_t moved = 0;
  for (; moved < most && fill_front(); ++moved) out.push_back(front_.pop_front());
  taken_.fetch_add(moved);
}

void Queue::poke() {
  {
    const std::lock_guard lock(front_mutex_);
    poked_ = true;
  }
  wake_.notify_all();
}

void Queue::stop() {
  {
    const std::lock_guard lock(front_mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  if (bell_ != nullptr) bell_->ring();
}

}  // namespace starling::farm
