// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/run/communicator_state.hpp"

namespace starling::collective {

void State::settle_memory(memory::JobSegment& segment, const comm::Communicator& comm, bool with_slots) {
  if (!area_settled) {
    if (comm.size() > 1 && !comm.is_inter())
      area = Area::join(segment, comm, {instance_, instance_ == 0 || with_slots});
    area_settled = true;
    slots_settled = area == nullptr;
  }
  if (with_slots && !slots_settled) {
    slots = area->have_slots();
    slots_settled = true;
  }
}

}  // namespace starling::collective
