// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankLayer: what a process keeps for its virtual ranks beside the elements of their array.
//
// **Thread safety**: none; belongs to the thread of its session. **Invariants**: lives as long as one of the elements.
#pragma once

#include <cstdint>
#include <memory>
#include <starling/array/virtual_ranks.hpp>
#include <string>
#include <vector>

#include "fiber/slots.hpp"

namespace starling::array::detail {

struct RankLayer {
  Session* session = nullptr;
  VirtualRanks::Main main = nullptr;
  int count = 0;
  int processes = 0;
  VirtualRanksOptions options;
  std::shared_ptr<Slots> slots;
  std::string why_not;      // ranks cannot move
  std::uint32_t calls = 0;  // of run()
  std::uint32_t run = 0;    // the one that is under way
  bool has_failed = false;
  bool has_told_why = false;
  double flushed_s = 0;  // when what ranks posted left last
  std::vector<BalanceReport> reports;
  VirtualRanks::Counters counters;
  ArrayCore* ranks = nullptr;
  ArrayCore* tellers = nullptr;

  bool can_move() const { return why_not.empty(); }
};

}  // namespace starling::array::detail
