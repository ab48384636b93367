// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// StandardInput: reads what rank 0 on another host shall read: our standard input, a file, a pipe, or what is typed at
// our terminal. Not more than kWindow bytes are under way, so nothing is read that rank 0 does not want.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "launch/events/event_loop.hpp"

namespace starling::launch {

class StandardInput {
 public:
  static constexpr std::uint64_t kWindow = 64 * 1024;

  /// put(bytes) passes them on; ended(): there are no more. The descriptor is not owned.
  StandardInput(EventLoop& loop, int descriptor, std::function<void(std::string bytes)> put,
                std::function<void()> ended)
      : loop_(loop), descriptor_(descriptor), put_(std::move(put)), ended_(std::move(ended)) {}

  void start() { watch(); }
  /// Rank 0's pipe has taken so many bytes.
  void taken(std::uint64_t bytes);
  /// Nobody wants more.
  void stop();

 private:
  void watch();
  void read_after(std::int64_t ns);
  void read_some();

  EventLoop& loop_;
  int descriptor_;
  std::function<void(std::string)> put_;
  std::function<void()> ended_;
  std::uint64_t under_way_ = 0;
  bool watching_ = false;
  bool stopped_ = false;
};

}  // namespace starling::launch
