// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/introductions.hpp"

namespace starling::transport::tcp {

void Introductions::on_event(EventOf event, std::int64_t now_ns) {
  switch (event.kind) {
    case EventOf::Kind::kListener: return visitors_.accept(static_cast<std::size_t>(event.number), now_ns);
    case EventOf::Kind::kVisitor: return visitors_.on_event(event.number, now_ns);
    case EventOf::Kind::kCall: return calls_.on_event(WorldRank(event.number), event.attempt, now_ns);
    case EventOf::Kind::kTimer:
    case EventOf::Kind::kConnection: return;
  }
}

void Introductions::give_up(WorldRank rank, Status why) {
  // The peer may reach this rank although this rank does not reach it.
  if (visitors_.has_answered(rank)) return;
  host_.give_up(rank, std::move(why));
}

}  // namespace starling::transport::tcp
