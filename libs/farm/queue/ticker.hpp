// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ticker: rings a bell now and then, while it lives, for a thread whose sleep has no end by itself.
//
// Thread safety: one thread makes and ends it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "bell.hpp"

namespace starling::farm {

class Ticker {
 public:
  Ticker(Bell& bell, std::chrono::milliseconds period)
      : thread_([this, &bell, period](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          while (!wake_.wait_for(lock, stop, period, [&] { return stop.stop_requested(); })) bell.ring();
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace starling::farm
