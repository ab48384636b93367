// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Bridge: two groups of processes and how they talk while they agree on something: each has an intracommunicator and
// one process that leads, and the two leaders reach each other. Constructors of intercommunicators cross it.
//
// Thread safety: the holder of the world's lock.
// Invariants: every call is collective over both groups; all processes of a group get the same answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "world/world.hpp"

namespace starling::world {

class Bridge {
 public:
  using Words = std::vector<std::uint64_t>;

  /// How this group's leader reaches the other's. Read by the leader only.
  struct Way {
    comm::Communicator* comm = nullptr;
    std::int32_t rank = 0;  ///< of the other leader
    std::int32_t tag = 0;   ///< tells apart bridges that are crossed at the same time
  };

  Bridge(World& world, comm::Communicator& local, std::int32_t leader, const Way& way)
      : world_(world), local_(local), leader_(leader), way_(way) {}
  /// Between the groups of an intercommunicator; their first ranks lead.
  Bridge(World& world, comm::Communicator& inter) : Bridge(world, *inter.local(), 0, Way{&inter, 0, 0}) {}

  [[nodiscard]] std::int32_t leader() const noexcept { return leader_; }
  [[nodiscard]] bool leads() const noexcept { return local_.rank() == leader_; }

  struct Swapped {
    Words ours;
    Words theirs;
  };
  /// Tells everybody what the two leaders brought; what the others bring is not looked at.
  Result<Swapped> swap(const Words& brought);

  /// Whether everybody says yes.
  Result<bool> all(bool yes);

 private:
  Result<Words> ask_other_leader(const Words& brought);
  Status exchange(std::span<const std::uint64_t> out, std::span<std::uint64_t> in);
  Status tell(Words* words);

  World& world_;
  comm::Communicator& local_;
  std::int32_t leader_;
  Way way_;
};

}  // namespace starling::world
