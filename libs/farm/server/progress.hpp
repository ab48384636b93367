// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a run shows on standard error: a bar on a terminal, lines elsewhere if they are asked for, and the summary.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <starling/farm/options.hpp>
#include <string>

#include "task/task.hpp"

namespace starling::farm {

class ProgressBar {
 public:
  explicit ProgressBar(const Options& options);

  /// As often as one likes; it prints at most five times a second, lines every ten seconds.
  void show(std::uint64_t done);
  void finish(std::uint64_t done);

 private:
  void print(std::uint64_t done, Clock::time_point now);

  const std::uint64_t expected_;
  const bool terminal_;
  const bool on_;
  const Clock::time_point started_ = Clock::now();
  Clock::time_point shown_ = started_;
};

/// "1234 tasks, 150/s, 12 %, 65 s left".
std::string progress_text(std::uint64_t done, std::uint64_t expected, double seconds);
/// Keeps the slowest tasks.
void note_slow(Summary& summary, std::uint64_t number, std::uint64_t cost_ns);
/// "Output 1 (rank 3) died: 20 of its results..."
std::string text_of(const LostShare& share);
std::string summary_text(const Summary& summary);

}  // namespace starling::farm
