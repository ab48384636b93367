// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankFiles: writes what ranks print into a file for each (--output-filename), and passes it on.
// The files are FOLDER/1/rank.N/stdout and stderr; N has as many digits as the largest rank. begin_rank_files() makes
// them for all ranks before the first text comes. Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "launch/report/line_sink.hpp"

namespace starling::launch {

/// Makes the folders of `ranks` ranks and in them the files, and empties those of an earlier job. An error says which
/// cannot be made, and why.
Status begin_rank_files(const std::string& folder, std::uint32_t ranks);

class RankFiles final : public LineSink {
 public:
  /// folder: empty: passes everything on and writes nothing. name: stdout or stderr. failed(why) is called once.
  RankFiles(LineSink& next, std::string folder, const char* name, std::function<void(const std::string& why)> failed)
      : next_(next), folder_(std::move(folder)), name_(name), failed_(std::move(failed)) {}

  /// How many ranks there are, from which the names follow.
  void set_ranks(std::uint32_t ranks) noexcept { ranks_ = ranks; }

  void put(WorldRank writer, std::string_view text) override;
  [[nodiscard]] bool full() const noexcept override { return next_.full(); }
  void when_room(std::function<void()> resume) override { next_.when_room(std::move(resume)); }

 private:
  void write(WorldRank writer, std::string_view text);

  LineSink& next_;
  std::string folder_;
  const char* name_;
  std::function<void(const std::string&)> failed_;
  std::uint32_t ranks_ = 1;
  bool has_failed_ = false;
};

}  // namespace starling::launch
