// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Runs a helper program beside the event loop, and takes what it prints.
// Thread safety: none, for the event loop's thread of a single-threaded process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "launch/events/event_loop.hpp"
#include "launch/start/spawn.hpp"

namespace starling::launch {

struct HelperOutput {
  bool in_time = true;  ///< else it was killed when its time was over
  std::string output;
  std::string errors;
};

/// words: its path and arguments. done is called once, in the loop: when it has closed both of its outputs, or its time
/// is over. A helper that cannot be started has errors that say so. Each of its outputs is cut at most bytes.
void run_helper(EventLoop& loop, const Inherited& inherited, std::vector<std::string> words, std::int64_t patience_ns,
                std::size_t most, std::function<void(HelperOutput)> done);

/// What helpers of this process inherit where it has changed nothing for itself.
[[nodiscard]] Inherited inherited_as_it_is();

}  // namespace starling::launch
