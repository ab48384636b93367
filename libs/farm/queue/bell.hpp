// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Bell: wakes the one thread that has more to watch than a queue, whether it sleeps here or in a call of the Link.
// Ringing costs a store and a load while nobody sleeps.
//
// Thread safety: any thread rings; one waits.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "wire/link.hpp"

namespace starling::farm {

class Bell {
 public:
  void ring() {
    // Sequentially consistent, as the sleeper's: either the sleeper sees the ring, or the ringer sees the sleeper.
    rung_.store(true);
    SleeperState state = state_.load();
    if (state == SleeperState::kAsleep) {
      const std::lock_guard lock(mutex_);
      wake_.notify_one();
    } else if (state == SleeperState::kInLink && state_.compare_exchange_strong(state, SleeperState::kWoken)) {
      link_->wake();
    }
  }

  /// Sleeps until somebody rings or the time is over.
  void wait_for(std::chrono::nanoseconds time) {
    state_.store(SleeperState::kAsleep);
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, time, [this] { return rung_.load(); });
    }
    state_.store(SleeperState::kAwake);
    rung_.store(false);
  }

  /// Sleeps until somebody rings or something has happened on the link.
  void wait_in(Link& link) {
    link_ = &link;
    state_.store(SleeperState::kInLink);
    if (!rung_.load()) link.sleep();
    if (state_.exchange(SleeperState::kAwake) == SleeperState::kWoken) link.end_wake();
    rung_.store(false);
  }

 private:
  enum class SleeperState { kAwake, kAsleep, kInLink, kWoken };

  std::atomic<bool> rung_{false};
  std::atomic<SleeperState> state_{SleeperState::kAwake};
  Link* link_ = nullptr;  ///< Written before kInLink is.
  std::mutex mutex_;
  std::condition_variable wake_;
};

}  // namespace starling::farm
