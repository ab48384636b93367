// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LostRanks: ends ranks of this node that ranks of others have lost, in a job that goes on: all have to know the same
// dead. Most connections end because the process does, and how that ended is what the user shall read; so a rank has
// some time to end by itself.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "launch/events/event_loop.hpp"
#include "memory/job_segment.hpp"

namespace starling::launch {

class LostRanks {
 public:
  /// say: a sentence about this host.
  LostRanks(EventLoop& loop, std::function<void(const std::string& sentence)> say)
      : loop_(loop), say_(std::move(say)) {}

  /// The segment of this node outlives the loop.
  void give_up(const memory::JobSegment& segment, WorldRank rank);

 private:
  void end(const memory::JobSegment& segment, LocalRank rank);

  EventLoop& loop_;
  std::function<void(const std::string& sentence)> say_;
};

}  // namespace starling::launch
