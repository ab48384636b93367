// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/levels/level_call.hpp"

#include <utility>

#include "collective/choose/shape.hpp"

namespace starling::collective {

namespace {

/// As CommunicatorState::root_stays says of calls on their own in which a root gives.
bool root_stays(LevelGroup& group, const Arguments& a) noexcept {
  const bool gives = a.operation == Operation::kBcast || a.operation == Operation::kScatter;
  const std::int32_t root = gives ? a.root : LevelGroup::kNoRoot;
  return std::exchange(group.giving_root, root) == root && gives;
}

}  // namespace

LevelCall::LevelCall(Call& outer, LevelGroup& group, Tag tag, Arguments arguments)
    : outer_(outer),
      group_(group),
      comm_(group.comm),
      arguments_(within(*comm_, arguments)),
      call_(outer.executor(), outer.p2p(), group.memory, arguments_, outer.tag() | static_cast<std::int32_t>(tag)) {
  const tuning::Distance distance = distance_of(*comm_);
  group.memory.settle(arguments_, agreed_bytes(arguments_), group.selector.learns());
  group.memory.set_machine(group.lane ? group.lane->of_each_node : group.selector.machine(distance));
  if (distance == tuning::Distance::kNetwork) group.memory.set_levels({comm_->size(), 1, kOneLevel}, nullptr);
}

const Algorithm& LevelCall::chosen() {
  Shape shape = shape_of(arguments_, agreed_bytes(arguments_), group_.memory, group_.selector.reproducible());
  // Between nodes the leaders change with the root, and know of other calls before.
  if (shape.distance != tuning::Distance::kNetwork) shape.root_stays = root_stays(group_, arguments_);
  if (const Algorithm* known = group_.choices.find(shape)) return *known;
  const Algorithm& chosen =
      group_.lane ? group_.selector.choose(shape, group_.lane->whole) : group_.selector.choose(shape);
  group_.choices.keep(shape, chosen);
  return chosen;
}

}  // namespace starling::collective
