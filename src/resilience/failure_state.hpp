// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FailureState: what FaultTolerance keeps with a communicator: its members, the members that have died, the deaths that
// the user has acknowledged, and whether it was revoked. It is destroyed with the communicator.
//
// Members have the same numbers in all processes: by rank; on an intercommunicator the group whose first process has
// the lower world rank comes first, or the lower place in the connection when the processes are of several jobs.
// Thread safety: the holder of the world's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "comm/communicator.hpp"
#include "resilience/broadcast.hpp"
#include "resilience/rank_set.hpp"

namespace starling::resilience {

/// The members of a communicator, as one of them sees them.
struct Members {
  explicit Members(const comm::Communicator& comm);

  [[nodiscard]] std::int32_t count() const noexcept { return static_cast<std::int32_t>(peers.size()); }
  /// -1: none.
  [[nodiscard]] std::int32_t find_peer(PeerId peer) const noexcept;
  [[nodiscard]] std::int32_t find_process(ProcessId process) const noexcept;

  std::vector<PeerId> peers;
  std::vector<ProcessId> processes;
  std::int32_t me = 0;
};

class FailureState;
/// The failure states of all communicators that are alive, by context id.
using FailureStates = std::unordered_map<std::uint32_t, FailureState*>;

class FailureState final : public comm::Extension {
 public:
  FailureState(comm::Communicator& comm, std::shared_ptr<FailureStates> all);
  ~FailureState() override;

  [[nodiscard]] comm::Communicator& comm() const noexcept { return comm_; }
  [[nodiscard]] const Members& members() const noexcept { return members_; }
  [[nodiscard]] Broadcast& revocation() noexcept { return revocation_; }

  /// The number of the next agreement.
  [[nodiscard]] std::uint64_t next_agreement() noexcept { return ++agreements_; }

  // Deaths, in the order in which this process learnt of them.
  void add_death(std::int32_t member);
  [[nodiscard]] const std::vector<std::int32_t>& deaths() const noexcept { return deaths_; }
  [[nodiscard]] RankSet dead() const;
  /// Acknowledges the first so many of them, or as many as there are; never fewer than before.
  void acknowledge(std::size_t count) noexcept;
  [[nodiscard]] std::size_t acknowledged() const noexcept { return acknowledged_; }
  [[nodiscard]] RankSet acknowledged_dead() const;

 private:
  void settle_condition() noexcept;

  comm::Communicator& comm_;
  std::shared_ptr<FailureStates> all_;
  Members members_;
  Broadcast revocation_;
  std::vector<std::int32_t> deaths_;
  std::size_t acknowledged_ = 0;
  std::uint64_t agreements_ = 0;
};

/// Null until FaultTolerance has adopted the communicator.
[[nodiscard]] inline FailureState* failure_state_of(const comm::Communicator& comm) noexcept {
  return static_cast<FailureState*>(comm.failure_state.get());
}

}  // namespace starling::resilience
