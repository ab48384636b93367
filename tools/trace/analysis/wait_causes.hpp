// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Why a rank waited: a wait as it was recorded, beside what the other ranks did meanwhile.
// Thread safety: no shared state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "observe/event.hpp"
#include "trace/analysis/collective_table.hpp"
#include "trace/analysis/message_table.hpp"
#include "trace/log/event_merge.hpp"
#include "trace/model/call.hpp"

namespace starling::trace {

/// A message that a rank has received, with what is known of its sender.
struct Arrival {
  std::int32_t sender = kNoRank;
  std::int64_t met_ns = 0;   ///< when it met its receive
  std::int64_t sent_ns = 0;  ///< Message::kNever: not known
  std::int64_t came_ns = 0;  ///< when it came, where it came before its receive; else met_ns
};

/// Until when a wait had which cause; from then on it is the library's time. kLibrary: from its beginning.
struct Explanation {
  Cause cause = Cause::kLibrary;
  std::int64_t until_ns = 0;
  std::int32_t culprit = kNoRank;
  bool inferred = false;
};

/// Late Sender: the receiver waits until the message is sent. arrivals: of the call so far.
[[nodiscard]] Explanation explain_receive(const TimedEvent& wait, std::span<const Arrival> arrivals);
/// Late Receiver: the sender of a message that needs both sides waits until it meets its receive.
[[nodiscard]] Explanation explain_send(const TimedEvent& wait, const Channel& channel, const MessageTable& messages);
/// Wait at N x N, Late Broadcast, Early Reduce. An early root of a reduction is said to wait for the last rank, not
/// only for the first, since it cannot end without any of them. Null: the collective is not known.
[[nodiscard]] Explanation explain_collective(const TimedEvent& wait, const Collective* collective);

/// The parts of a wait, appended.
void add_parts(const TimedEvent& wait, const Explanation& explanation, std::vector<WaitPart>* parts);

}  // namespace starling::trace
