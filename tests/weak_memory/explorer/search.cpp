// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "weak_memory/explorer/search.hpp"

#include <algorithm>
#include <utility>

namespace starling::weak {

const Step* Search::choose(const std::vector<Step>& possible) {
  if (depth_ < states_.size()) {
    const State& state = states_[depth_++];
    return &state.options[state.chosen];
  }
  State state;
  if (!states_.empty()) {
    const State& before = states_.back();
    const Step& taken = before.options[before.chosen];
    const auto stays = [&](const Step& step) {
      if (are_independent(step, taken)) state.asleep.push_back(step);
    };
    std::for_each(before.asleep.begin(), before.asleep.end(), stays);
    std::for_each(before.options.begin(), before.options.begin() + static_cast<std::ptrdiff_t>(before.chosen), stays);
  }
  for (const Step& step : possible) {
    if (std::find(state.asleep.begin(), state.asleep.end(), step) == state.asleep.end()) state.options.push_back(step);
  }
  if (state.options.empty()) return nullptr;
  states_.push_back(std::move(state));
  const State& now = states_[depth_++];
  return &now.options.front();
}

bool Search::next() {
  depth_ = 0;
  while (!states_.empty() && states_.back().chosen + 1 == states_.back().options.size()) states_.pop_back();
  if (states_.empty()) return false;
  ++states_.back().chosen;
  return true;
}

void Search::restart() {
  states_.clear();
  depth_ = 0;
}

}  // namespace starling::weak
