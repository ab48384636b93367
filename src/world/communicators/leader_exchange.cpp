// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/leader_exchange.hpp"

#include <algorithm>
#include <limits>

namespace starling::world {
namespace {

// Tags below every user's and every collective's: leaders talk on the collective channel of their communicator.
constexpr std::int32_t kLeaderTag = std::numeric_limits<std::int32_t>::min();

p2p::Message message(const Bridge::Way& way, const std::uint64_t* words, std::size_t count) {
  return {const_cast<std::uint64_t*>(words),
          static_cast<std::int64_t>(count * sizeof *words),
          &datatype::byte_type(),
          way.rank,
          kLeaderTag + way.tag,
          way.comm,
          p2p::Channel::kCollective};
}

}  // namespace

Status Bridge::exchange(std::span<const std::uint64_t> out, std::span<std::uint64_t> in) {
  p2p::PointToPoint& p2p = world_.p2p();
  p2p::Request* sent = p2p.isend(message(way_, out.data(), out.size()), p2p::SendMode::kStandard);
  Status received = p2p.receive(message(way_, in.data(), in.size()), nullptr);
  p2p.wait(*sent);
  Status status = std::move(sent->failure);
  sent->dispose();
  STARLING_TRY(std::move(received));
  return status;
}

Result<Bridge::Words> Bridge::ask_other_leader(const Words& brought) {
  const std::uint64_t our_length = brought.size();
  std::uint64_t their_length = 0;
  STARLING_TRY(exchange({&our_length, 1}, {&their_length, 1}));
  Words theirs(their_length);
  STARLING_TRY(exchange(brought, theirs));
  return theirs;
}

/// From the leader to the others of its group.
Status Bridge::tell(Words* words) {
  collective::Collectives& collectives = world_.collectives();
  std::uint64_t length = words->size();
  STARLING_TRY(collectives.broadcast(local_, &length, sizeof length, leader_));
  words->resize(length);
  return collectives.broadcast(local_, words->data(), static_cast<std::int64_t>(length * sizeof length), leader_);
}

Result<Bridge::Swapped> Bridge::swap(const Words& brought) {
  Swapped swapped;
  // All of one group hear that a leader failed by a length that cannot be.
  Status failed;
  if (leads()) {
    Result<Words> theirs = ask_other_leader(brought);
    if (!theirs.ok()) {
      failed = std::move(theirs).status();
    } else {
      swapped = {brought, std::move(theirs).value()};
    }
  }
  STARLING_TRY(tell(&swapped.ours));
  STARLING_TRY(tell(&swapped.theirs));
  STARLING_TRY(std::move(failed));
  if (!swapped.ours.empty()) return swapped;
  return Status::error(ErrorClass::kIntern,
                       "the leader of this group could not talk to the leader of the other; its message says why");
}

Result<bool> Bridge::all(bool yes) {
  const std::uint8_t mine = yes ? 1 : 0;
  std::vector<std::uint8_t> votes(static_cast<std::size_t>(local_.size()));
  STARLING_TRY(world_.collectives().allgather(local_, &mine, votes.data(), sizeof mine));
  const bool ours = std::ranges::all_of(votes, [](std::uint8_t vote) { return vote != 0; });
  Result<Swapped> swapped = swap({ours ? 1U : 0U});
  if (!swapped.ok()) return std::move(swapped).status();
  return ours && swapped.value().theirs[0] != 0;
}

}  // namespace starling::world
