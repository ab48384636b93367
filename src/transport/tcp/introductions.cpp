// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/introductions.hpp"

#include <algorithm>
#include <utility>

namespace starling::transport::tcp {

void Introductions::join(WorldRank rank, Descriptor socket, const Likeness& peers) {
  calls_.end(rank);
  visitors_.dismiss(rank);
  std::erase_if(expected_, [rank](const Expected& each) { return each.rank == rank; });
  if (peers.alike == roster_.alike) return host_.join(rank, std::move(socket));
  host_.give_up(rank, Status::error(ErrorClass::kOther, text_of_unlikeness(roster_, own_, rank, peers)));
}

void Introductions::on_event(EventOf event, std::int64_t now_ns) {
  switch (event.kind) {
    case EventOf::Kind::kListener: return visitors_.accept(static_cast<std::size_t>(event.number), now_ns);
    case EventOf::Kind::kVisitor: return visitors_.on_event(event.number, now_ns);
    case EventOf::Kind::kCall: return calls_.on_event(WorldRank(event.number), event.attempt, now_ns);
    case EventOf::Kind::kTimer:
    case EventOf::Kind::kConnection:
    case EventOf::Kind::kLane:
    case EventOf::Kind::kLaneOfPeer: return;
  }
}

void Introductions::call_if_it_does_not(WorldRank rank, std::int64_t now_ns) {
  if (!visitors_.has_answered(rank)) calls_.begin(rank, now_ns, now_ns + to_call_ns_);
}

void Introductions::look(std::int64_t now_ns) {
  calls_.look(now_ns);
  visitors_.look(now_ns);
  if (!expected_.empty()) look_for_expected(now_ns);
}

void Introductions::look_for_expected(std::int64_t now_ns) {
  std::vector<Expected> over;
  for (Expected& expected : expected_) {
    const bool calls = visitors_.knows(expected.rank);
    expected.has_called |= calls;
    if (!calls && (expected.has_called || now_ns >= expected.until_ns)) over.push_back(std::move(expected));
  }
  for (Expected& expected : over) {
    const WorldRank rank = expected.rank;
    std::erase_if(expected_, [rank](const Expected& each) { return each.rank == rank; });
    if (!host_.may_join(rank)) continue;
    // A visitor who has gone without being connected was too slow, or a stranger.
    if (expected.has_called) {
      calls_.begin(rank, now_ns);
    } else {
      host_.give_up(rank, std::move(expected.failure));
    }
  }
}

bool Introductions::is_expected(WorldRank rank) const noexcept {
  return std::ranges::find(expected_, rank, &Expected::rank) != expected_.end();
}

std::int64_t Introductions::due_ns() const noexcept {
  std::int64_t due = std::min(calls_.due_ns(), visitors_.due_ns());
  for (const Expected& expected : expected_) {
    if (!expected.has_called) due = std::min(due, expected.until_ns);
  }
  return due;
}

bool Introductions::gives_way(WorldRank rank, std::int64_t now_ns) {
  // The higher rank's call goes on until the two are connected.
  if (rank < own_ || !calls_.has(rank)) return true;
  if (calls_.is_promising(rank, now_ns)) return false;
  calls_.end(rank);
  if (!is_expected(rank)) expected_.push_back({rank, now_ns, {}, true});
  return true;
}

void Introductions::give_up(WorldRank rank, Status why, std::int64_t now_ns) {
  if (!is_expected(rank)) expected_.push_back({rank, now_ns + to_call_ns_, std::move(why), false});
}

}  // namespace starling::transport::tcp
