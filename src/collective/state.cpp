// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/state.hpp"

#include <array>

#include "collective/list.hpp"

namespace starling::collective {
namespace {

/// Rank 0's word to everybody, before there is shared memory to say it in.
Task announce(Call& call, std::uint64_t& word) {
  Arguments a;
  a.operation = Operation::kBcast;
  a.comm = &call.comm();
  a.receive_buffer = &word;
  a.receive_count = sizeof(word);
  a.receive_type = &datatype::predefined(datatype::Basic::kByte);
  co_await bcast_binomial(call, a);
}

}  // namespace

Task settle_memory(Call& call, bool with_slots) {
  State& state = call.state();
  memory::JobSegment& segment = call.p2p().progress().segment();
  if (!state.area_settled) {
    std::uint64_t offset = 0;  // no block of the arena is at 0
    if (call.rank() == 0) {
      // A failure is no error: the call then runs over messages.
      auto created = Area::create(segment, call.size());
      if (created.ok()) offset = created.value();
    }
    co_await announce(call, offset);
    if (offset != 0) state.area = std::make_unique<Area>(segment, call.comm(), offset);
    state.area_settled = true;
    state.slots_settled = offset == 0;
  }
  if (with_slots && !state.slots_settled) {
    std::uint64_t granted = 0;
    if (call.rank() == 0) granted = state.area->commit_slots().ok() ? 1 : 0;
    co_await announce(call, granted);
    state.slots = granted != 0;
    state.slots_settled = true;
  }
}

}  // namespace starling::collective
