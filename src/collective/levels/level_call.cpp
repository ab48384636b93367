// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/levels/level_call.hpp"

#include "collective/choose/shape.hpp"

namespace starling::collective {

const Algorithm& LevelCall::chosen() {
  Shape shape = shape_of(arguments_, group_.memory, group_.selector.reproducible());
  if (shape.distance == tuning::Distance::kNetwork) {
    shape.nodes = shape.ranks;
    shape.node_ranks = 1;
  }
  if (const Algorithm* known = group_.choices.find(shape)) return *known;
  const Algorithm& chosen = group_.selector.choose(shape);
  group_.choices.keep(shape, chosen);
  return chosen;
}

}  // namespace starling::collective
