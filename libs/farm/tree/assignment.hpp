// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a spare is told when it takes the place of a process that died, and what all others are told of it. A place of
// the tree has the number of the rank that is there at first; spares are the ranks behind the tree's.
//
// Thread safety: plain data.
#pragma once

#include <string>
#include <vector>

#include "tree.hpp"

namespace starling::farm {

/// Who is in a place now.
struct Replacement {
  int place;
  int rank;    ///< In the farm's communicator.
  int deaths;  ///< Processes that died in this place before.
};

struct Assignment {
  int place = -1;
  std::vector<Replacement> replaced;  ///< All so far, this one too.
  Tree tree;                          ///< Its part.
};

/// How a run has ended, as all processes are told.
enum class RunEnd { kComplete, kFailed, kShareLost };

/// To a spare instead of an assignment: the run has ended.
inline constexpr const char* kEndOfSpares = "end";
inline constexpr const char* kEndOfFailed = "failed";
inline constexpr const char* kEndOfShareLost = "share lost";

std::string text_of(const Assignment& assignment);
Assignment assignment_of_text(const std::string& text);

}  // namespace starling::farm
