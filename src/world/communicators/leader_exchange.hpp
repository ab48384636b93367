// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LeaderExchange: how two groups of processes agree on something. Each group has an intracommunicator and a leader, and
// the two leaders reach each other through a peer communicator. The leaders exchange words, and each leader broadcasts
// the words of both sides in its group. Every constructor of intercommunicators is a few such exchanges.
//
// Thread safety: the holder of the world's lock.
// Invariants: every call is collective over both groups; all processes of a group get the same answer.
// Source of the terms: MPI-5.0, 7.6.2 (local leader, peer communicator, remote leader).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "world/world.hpp"

namespace starling::world {

/// How a group's leader reaches the leader of the other group. Only the leader reads it.
struct PeerLeader {
  comm::Communicator* comm = nullptr;  ///< the peer communicator
  std::int32_t rank = 0;               ///< of the remote leader in it
  std::int32_t tag = 0;                ///< tells apart exchanges that run at the same time
};

class LeaderExchange {
 public:
  using Words = std::vector<std::uint64_t>;

  LeaderExchange(World& world, comm::Communicator& local, std::int32_t leader, const PeerLeader& peer)
      : world_(world), local_(local), leader_(leader), peer_(peer) {}
  /// Between the groups of an intercommunicator; their first ranks lead.
  LeaderExchange(World& world, comm::Communicator& inter)
      : LeaderExchange(world, *inter.local(), 0, PeerLeader{&inter, 0, 0}) {}

  [[nodiscard]] std::int32_t leader() const noexcept { return leader_; }
  [[nodiscard]] bool leads() const noexcept { return local_.rank() == leader_; }

  struct Exchanged {
    Words ours;
    Words theirs;
  };
  /// Tells every process the words of both leaders; the words of the other processes are not read.
  Result<Exchanged> exchange(const Words& mine);

  /// Of leaders only: what nobody else is to know.
  Result<Words> ask_other_leader(const Words& mine);

  /// Whether every process of both groups says yes.
  Result<bool> all_agree(bool yes);

 private:
  Status send_and_receive(std::span<const std::uint64_t> out, std::span<std::uint64_t> in);
  Status broadcast(Words* words);

  World& world_;
  comm::Communicator& local_;
  std::int32_t leader_;
  PeerLeader peer_;
};

}  // namespace starling::world
