// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/leader_exchange.hpp"

#include <algorithm>
#include <limits>

namespace starling::world {
namespace {

// Tags below every user's and every collective's: leaders talk on the collective channel of their communicator.
constexpr std::int32_t kLeaderTag = std::numeric_limits<std::int32_t>::min();

p2p::Message message(const PeerLeader& peer, const std::uint64_t* words, std::size_t count) {
  return {const_cast<std::uint64_t*>(words),
          static_cast<std::int64_t>(count * sizeof *words),
          &datatype::byte_type(),
          peer.rank,
          kLeaderTag + peer.tag,
          peer.comm,
          p2p::Channel::kCollective};
}

}  // namespace

Status LeaderExchange::send_and_receive(std::span<const std::uint64_t> out, std::span<std::uint64_t> in) {
  p2p::PointToPoint& p2p = world_.p2p();
  p2p::Request* sent = p2p.isend(message(peer_, out.data(), out.size()), p2p::SendMode::kStandard);
  Status received = p2p.receive(message(peer_, in.data(), in.size()), nullptr);
  p2p.wait(*sent);
  Status status = std::move(sent->failure);
  sent->dispose();
  STARLING_TRY(std::move(received));
  return status;
}

Result<LeaderExchange::Words> LeaderExchange::ask_other_leader(const Words& mine) {
  const std::uint64_t our_length = mine.size();
  std::uint64_t their_length = 0;
  STARLING_TRY(send_and_receive({&our_length, 1}, {&their_length, 1}));
  Words theirs(their_length);
  STARLING_TRY(send_and_receive(mine, theirs));
  return theirs;
}

/// From the leader to the others of its group.
Status LeaderExchange::broadcast(Words* words) {
  collective::Collectives& collectives = world_.collectives();
  std::uint64_t length = words->size();
  STARLING_TRY(collectives.broadcast(local_, &length, sizeof length, leader_));
  words->resize(length);
  return collectives.broadcast(local_, words->data(), static_cast<std::int64_t>(length * sizeof length), leader_);
}

Result<LeaderExchange::Exchanged> LeaderExchange::exchange(const Words& mine) {
  Exchanged exchanged;
  // A length of 0, which no exchange has, tells the whole group that its leader failed.
  Status failed;
  if (leads()) {
    Result<Words> theirs = ask_other_leader(mine);
    if (!theirs.ok()) {
      failed = std::move(theirs).status();
    } else {
      exchanged = {mine, std::move(theirs).value()};
    }
  }
  STARLING_TRY(broadcast(&exchanged.ours));
  STARLING_TRY(broadcast(&exchanged.theirs));
  STARLING_TRY(std::move(failed));
  if (!exchanged.ours.empty()) return exchanged;
  return Status::error(
      ErrorClass::kIntern,
      "the leader of this group could not exchange messages with the leader of the other group; the leader's own "
      "message says why");
}

Result<bool> LeaderExchange::all_agree(bool yes) {
  const std::uint8_t mine = yes ? 1 : 0;
  std::vector<std::uint8_t> votes(static_cast<std::size_t>(local_.size()));
  STARLING_TRY(world_.collectives().allgather(local_, &mine, votes.data(), sizeof mine));
  const bool ours = std::ranges::all_of(votes, [](std::uint8_t vote) { return vote != 0; });
  Result<Exchanged> exchanged = exchange({ours ? 1U : 0U});
  if (!exchanged.ok()) return std::move(exchanged).status();
  return ours && exchanged.value().theirs[0] != 0;
}

}  // namespace starling::world
