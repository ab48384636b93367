// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One round of the fast method, compiled for several instruction sets: no allocation, raw arrays only.
//
// Layout: a process that takes part has a place. Places are in the order of fractional arrival time, and a round goes
// through them once round from the head's. Each place has a column (a bit for each segment: still held), each segment a
// row (a bit for each place: can be sent in this round).
// Invariants between rounds: column and row agree for every active place; rows may have stray bits elsewhere.
#pragma once

#include <cstdint>
#include <span>

#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

struct FastRound {
  int words;      ///< of 64 segments in a column: 1, 2, 4 or 8
  int row_words;  ///< of 64 places in a row: 1, 4, 8 or more
  int segments;
  int head;                      ///< the place where the round begins
  int sink;                      ///< the place that takes any segment
  int silent;                    ///< the place that never sends, or -1
  int active_count;              ///< how many take part; those that leave are taken off
  int root;                      ///< the place that never leaves, or -1
  std::uint64_t* columns;        ///< by place
  std::uint64_t* rows;           ///< by segment
  std::uint64_t* active;         ///< row_words: the places that take part; those that leave are cleared
  std::uint64_t* free;           ///< scratch, row_words
  std::uint16_t* hints;          ///< scratch, one for each segment
  const std::uint16_t* process;  ///< by place
  Transfer* found;               ///< room for as many as take part
};

struct FastKernels {
  const char* instruction_set;
  /// Finds the transfers of the round and ends it; returns how many there are.
  int (*round)(FastRound& round);
};
/// Those that this machine can run, the widest last.
std::span<const FastKernels* const> fast_kernels();

}  // namespace starling::arrival
