// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/rank_streams.hpp"

#include <unistd.h>

#include "launch/report/report.hpp"

namespace starling::launch {

RankStreams::RankStreams(EventLoop& loop, const OutputStyle& style, std::function<void(int)> on_broken_output)
    : folder_(style.folder),
      output_(loop, STDOUT_FILENO, {style.ranks, style.times}, std::move(on_broken_output)),
      errors_(loop, STDERR_FILENO, {style.ranks, style.times}, [](int) {}),
      output_files_(output_, folder_, "stdout", [this](const std::string& why) { say(launcher_words({}, why)); }),
      error_files_(style.merged ? output_ : errors_, folder_, style.merged ? "stdout" : "stderr",
                   [this](const std::string& why) { say(launcher_words({}, why)); }) {}

Status RankStreams::begin(std::uint32_t ranks) {
  output_files_.set_ranks(ranks);
  error_files_.set_ranks(ranks);
  return folder_.empty() ? Status() : begin_rank_files(folder_, ranks);
}

void RankStreams::drain() {
  output_.drain();
  errors_.drain();
}

}  // namespace starling::launch
