// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LevelCall: a collective of the ranks of one group of the levels, as a part of one of them all. Its algorithm is
// chosen like that of any other call, so that every algorithm for one node, and every one over messages, is also one
// for a level. Thread safety: none; belongs to one coroutine. Invariants: one call has the levels at a time
// (LevelTurn). The parts of a call travel under its tag with a bit for their level, for the ranks of a group are others
// than those of the whole and messages match by rank.
#pragma once

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/levels/levels.hpp"

namespace starling::collective {

/// The one call that goes through the levels. Leaves them when it dies.
class LevelTurn {
 public:
  explicit LevelTurn(Call& call) noexcept : gate_lock_(Levels::of(call).gate(), call.executor()) {}
  Gate::Entry enter() noexcept { return gate_lock_.enter(); }

 private:
  GateLock gate_lock_;
};

class LevelCall {
 public:
  /// One or both of kLevelTags.
  enum class Tag : std::int32_t { kNode = 0x08000000, kLeaders = 0x10000000, kLane = 0x18000000 };

  /// arguments: with the root as a rank of the group.
  LevelCall(Call& outer, LevelGroup& group, Tag tag, Arguments arguments);
  ~LevelCall() { outer_.note(call_.take_failure()); }
  LevelCall(const LevelCall&) = delete;
  LevelCall& operator=(const LevelCall&) = delete;

  /// By the algorithm that the group chooses. Await it while this lives.
  Task run() { return chosen().run(call_, arguments_); }
  /// By one of two: the first is for ranks that share memory.
  using Body = Task (*)(Call&, const Arguments&);
  Task run(Body in_memory, Body by_messages) {
    group_.giving_root = LevelGroup::kNoRoot;
    return (group_.memory.buffer() != nullptr ? in_memory : by_messages)(call_, arguments_);
  }

 private:
  static Arguments within(comm::Communicator& comm, Arguments arguments) noexcept {
    arguments.comm = &comm;
    arguments.prediction = nullptr;
    return arguments;
  }
  [[nodiscard]] const Algorithm& chosen();

  Call& outer_;
  LevelGroup& group_;
  Ref<comm::Communicator> comm_;  ///< leaders change with the root
  Arguments arguments_;
  Call call_;
};

/// A part of a call on the ranks of this node.
[[nodiscard]] inline LevelCall on_node(Call& call, const Arguments& arguments) {
  return {call, Levels::of(call).node(), LevelCall::Tag::kNode, arguments};
}
/// A part between the leaders of a call with this root.
[[nodiscard]] inline LevelCall between_leaders(Call& call, const Arguments& arguments, std::int32_t root) {
  return {call, Levels::of(call).leaders(root), LevelCall::Tag::kLeaders, arguments};
}
/// A part between the last ranks of the nodes, in a call without leaders.
[[nodiscard]] inline LevelCall between_closers(Call& call, const Arguments& arguments) {
  return {call, Levels::of(call).closers(), LevelCall::Tag::kLeaders, arguments};
}
/// A part between the ranks that have one place on each node.
[[nodiscard]] inline LevelCall in_lane(Call& call, const Arguments& arguments) {
  return {call, Levels::of(call).lane(), LevelCall::Tag::kLane, arguments};
}

}  // namespace starling::collective
