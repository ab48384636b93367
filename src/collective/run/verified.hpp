// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A collective call under STARLING_CHECK=collective: the ranks first tell each other what they call, and go on only
// when it is the same.
// Thread safety: the holder of the world's lock.
#pragma once

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/task.hpp"

namespace starling::collective {

/// Picks the algorithm once it is known that all ranks ask for the same.
class Chooser {
 public:
  virtual const Algorithm& choose(Call& call) = 0;

 protected:
  ~Chooser() = default;
};

/// `gate` belongs to the communicator: verified calls run one after the other.
Task run_verified(Call& call, const Arguments& arguments, Chooser& chooser, Gate& gate);

}  // namespace starling::collective
