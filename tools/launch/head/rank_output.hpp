// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankOutput: what the ranks of other hosts print, into our standard output or error. It gives the agents room for more
// as the reader takes it. Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "launch/link/messages.hpp"
#include "launch/report/output.hpp"

namespace starling::launch {

class RankOutput {
 public:
  using GiveRoom = std::function<void(std::int32_t node, std::uint64_t bytes)>;

  RankOutput(LineSink& sink, GiveRoom give_room) : sink_(sink), give_room_(std::move(give_room)) {}

  void take(std::int32_t node, const RankLines& lines) {
    owed_[node] += lines.text.size();
    sink_.put(lines.rank, lines.text);
    settle();
  }

 private:
  void settle() {
    if (waits_) return;
    if (sink_.full()) {
      waits_ = true;
      return sink_.when_room([this] {
        waits_ = false;
        settle();
      });
    }
    for (const auto& [node, bytes] : std::exchange(owed_, {})) give_room_(node, bytes);
  }

  LineSink& sink_;
  GiveRoom give_room_;
  std::map<std::int32_t, std::uint64_t> owed_;  ///< by node
  bool waits_ = false;
};

}  // namespace starling::launch
