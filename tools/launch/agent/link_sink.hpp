// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LinkSink: the lines of ranks on their way to mpiexec's standard output or error. No more than kWindow bytes are under
// way, so a slow reader there stops the ranks here, and what else the link carries never waits behind much text.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "launch/link/messages.hpp"
#include "launch/report/line_sink.hpp"

namespace starling::launch {

class LinkSink final : public LineSink {
 public:
  static constexpr std::uint64_t kWindow = 256 * 1024;

  explicit LinkSink(std::function<void(std::string body)> send) : send_(std::move(send)) {}

  void put(WorldRank writer, std::string_view text) override {
    if (text.empty()) return;
    under_way_ += text.size();
    send_(RankLines{writer, std::string(text)}.serialised());
  }
  [[nodiscard]] bool full() const noexcept override { return under_way_ >= kWindow; }
  void when_room(std::function<void()> resume) override { waiting_.push_back(std::move(resume)); }

  /// The reader has taken so many bytes.
  void give_room(std::uint64_t bytes) {
    under_way_ -= bytes < under_way_ ? bytes : under_way_;
    if (full()) return;
    for (const auto& resume : std::exchange(waiting_, {})) resume();
  }

 private:
  std::function<void(std::string)> send_;
  std::uint64_t under_way_ = 0;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace starling::launch
