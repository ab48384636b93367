// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankStreams: what ranks print, on its way to mpiexec's standard output and error and into files, as OutputStyle says
// it; and what mpiexec says itself. Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.hpp"
#include "launch/options/job_spec.hpp"
#include "launch/report/output.hpp"
#include "launch/report/rank_files.hpp"

namespace starling::launch {

class RankStreams {
 public:
  /// on_broken_output: see Sink; of standard output only.
  RankStreams(EventLoop& loop, const OutputStyle& style, std::function<void(int error)> on_broken_output);

  /// Before the ranks print, once it is known how many there are. An error says which file cannot be made, and why.
  Status begin(std::uint32_t ranks);

  /// Of the ranks.
  [[nodiscard]] LineSink& output() noexcept { return output_files_; }
  [[nodiscard]] LineSink& errors() noexcept { return error_files_; }
  /// Whole lines of mpiexec's own.
  void say(const std::string& lines) { errors_.put(WorldRank(), lines); }
  /// Writes all that is queued, however long the reader takes.
  void drain();

 private:
  std::string folder_;
  Sink output_;
  Sink errors_;
  RankFiles output_files_;
  RankFiles error_files_;
};

}  // namespace starling::launch
