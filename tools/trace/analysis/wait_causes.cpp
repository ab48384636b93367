// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/analysis/wait_causes.hpp"

#include <algorithm>

#include "observe/awaited.hpp"

namespace starling::trace {
namespace {

Explanation late(Cause cause, const TimedEvent& wait, std::int64_t began_ns, std::int32_t culprit) {
  if (began_ns <= wait.begin_ns || culprit == wait.rank) return {};
  return {cause, std::min(began_ns, wait.end_ns), culprit, false};
}

}  // namespace

Explanation explain_receive(const TimedEvent& wait, std::span<const Arrival> arrivals) {
  Explanation latest;
  for (const Arrival& each : arrivals) {
    if (each.met_ns <= wait.begin_ns || each.met_ns > wait.end_ns) continue;
    const bool known = each.sent_ns != Message::kNever;
    // A message whose sending is not recorded came when it came, and was sent shortly before.
    Explanation its = late(Cause::kLateSender, wait, known ? each.sent_ns : each.came_ns, each.sender);
    its.inferred = !known;
    if (its.cause != Cause::kLibrary && its.until_ns > latest.until_ns) latest = its;
  }
  return latest;
}

Explanation explain_send(const TimedEvent& wait, const Channel& channel, const MessageTable& messages) {
  const Message* met = messages.met_between(channel, wait.begin_ns, wait.end_ns);
  return met == nullptr ? Explanation() : late(Cause::kLateReceiver, wait, met->awaited_ns, channel.receiver);
}

Explanation explain_collective(const TimedEvent& wait, const Collective* collective) {
  if (collective == nullptr) return {Cause::kOther, wait.end_ns, kNoRank, false};
  const bool is_root = wait.rank == collective->root;
  switch (collective->shape) {
    case CollectiveShape::kAllToAll: break;
    case CollectiveShape::kPartial: return {};
    case CollectiveShape::kOneToAll:
      if (is_root || !collective->root_begun) return {};
      return late(Cause::kCollective, wait, collective->root_ns, collective->root);
    case CollectiveShape::kAllToOne:
      if (!is_root) return {};
      break;
  }
  return late(Cause::kCollective, wait, collective->last_ns, collective->last);
}

void add_parts(const TimedEvent& wait, const Explanation& explanation, std::vector<WaitPart>* parts) {
  std::int64_t from = wait.begin_ns;
  if (explanation.cause != Cause::kLibrary) {
    parts->push_back({from, explanation.until_ns, explanation.cause, explanation.culprit, explanation.inferred});
    from = explanation.until_ns;
  }
  if (from < wait.end_ns) parts->push_back({from, wait.end_ns, Cause::kLibrary, kNoRank, false});
}

}  // namespace starling::trace
