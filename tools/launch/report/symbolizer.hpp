// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Names for the addresses of a stack, from a helper program (starling-symbolize), so that the launcher itself starts
// without the libraries that read debug information.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"
#include "launch/start/spawn.hpp"

namespace starling::launch {

class Symbolizer {
 public:
  /// Gets the lines of the stack, each ended by a newline; plain addresses where the helper is missing or too slow.
  using Done = std::function<void(std::string)>;

  Symbolizer(EventLoop& loop, const Inherited& inherited) : loop_(loop), inherited_(inherited) {}

  /// Asks for the names of the addresses in the process. Its memory map is read at once: it need not live any longer.
  void start(pid_t process, std::span<const std::uint64_t> addresses, Done done);
  [[nodiscard]] bool running() const noexcept { return done_ != nullptr; }

 private:
  bool start_helper(int memory_map, std::span<const std::uint64_t> addresses);
  void read_lines();
  void finish();

  EventLoop& loop_;
  Inherited inherited_;
  Descriptor pipe_;
  EventLoop::TimerId deadline_ = 0;
  std::string lines_;
  std::string plain_;
  Done done_;
};

}  // namespace starling::launch
