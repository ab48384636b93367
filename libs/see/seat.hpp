// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Seat: the place of this process in the job segment of 'starling see' (observe/join.hpp).
//
// **Thread safety**: take_seat() and leave_seat() by the thread that starts and ends MPI; a seat may be copied.
#pragma once

#include <optional>

#include "base/id.hpp"
#include "observe/communicator_directory.hpp"
#include "observe/event_ring.hpp"
#include "observe/status_card.hpp"
#include "observe/traffic.hpp"
#include "observe/wait_record.hpp"

namespace starling::see {

struct Seat {
  observe::StatusCard* card = nullptr;
  observe::WaitRecord* wait = nullptr;
  observe::CommunicatorDirectory directory;
  observe::TrafficTable traffic;
  observe::EventRing ring;
  observe::TraceMode trace_mode = observe::TraceMode::kOff;
  LocalRank local;
  WorldRank world;
};

/// Nothing: the program was not started by 'starling see', or there is no place for it. Nobody is told: it is the
/// program's output, and 'starling see' says what it refuses.
[[nodiscard]] std::optional<Seat> take_seat(int rank, int ranks);

/// Says that this process has left MPI. The memory stays mapped, for other threads may still look at it.
void leave_seat();

}  // namespace starling::see
