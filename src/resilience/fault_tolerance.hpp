// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FaultTolerance: one rank's answer to deaths and revocations. It marks processes failed, ends the operations that need
// them, and runs the agreements of survivors.
//
// It handles a death at the top of a poll, in whatever call the rank is (docs/design/resilience.md): operations that
// need the dead process fail, collective calls on its communicators end, receives from any source are suspended until
// the death is acknowledged. Revocations spreads revocations.
// Thread safety: the holder of the world's lock.
// Invariants: every communicator is adopted when it is made (World::introduce); a vote that comes before its
// communicator is kept for it. Source: MPI Forum, Fault Tolerance Working Group, "User Level Failure Mitigation".
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "comm/communicator.hpp"
#include "resilience/communicator_agreements.hpp"
#include "resilience/failure_state.hpp"
#include "resilience/revocations.hpp"
#include "world/communicators/communicators.hpp"
#include "world/communicators/context_ids.hpp"
#include "world/world.hpp"

namespace starling::resilience {

class FaultTolerance final : private progress::AsyncEventHandler {
 public:
  explicit FaultTolerance(world::World& world);
  ~FaultTolerance();
  FaultTolerance(const FaultTolerance&) = delete;
  FaultTolerance& operator=(const FaultTolerance&) = delete;

  /// Whether the job goes on when ranks die (mpiexec --survive, STARLING_FT).
  [[nodiscard]] bool survives() const noexcept { return survives_; }

  /// Every call on the communicator, here and at all its living members, ends with kRevoked, now or soon.
  void revoke(comm::Communicator& comm);
  [[nodiscard]] bool is_revoked(const comm::Communicator& comm);

  /// The failure state after a look for deaths: deaths() are in the order in which this process learnt of them, and the
  /// first acknowledged() of them are acknowledged.
  [[nodiscard]] const FailureState& look_for_deaths(comm::Communicator& comm);
  void acknowledge(comm::Communicator& comm, std::size_t count);

  /// What survivors agree on: the AND of their 32 flags. unacknowledged: there is a death that not all survivors had
  /// acknowledged.
  struct Agreed {
    std::uint64_t flags = 0;
    bool unacknowledged = false;
  };
  using OnAgreed = std::function<void(const Result<Agreed>&, p2p::Request&)>;
  /// Collective over the living members, on a revoked communicator too. done runs before the request completes.
  p2p::Request* start_agree(comm::Communicator& comm, std::uint64_t flags, OnAgreed done);

  using OnShrunk = std::function<void(world::MadeCommunicator, p2p::Request&)>;
  /// A communicator of the living members in the order of their ranks; of an intercommunicator one between the living
  /// of both groups, or null where a group has none. Collective as start_agree().
  p2p::Request* start_shrink(comm::Communicator& comm, OnShrunk done);

  /// The user frees the communicator. While a send or a receive is under way on it, deaths and its revocation still
  /// reach it; a revocation that comes later is passed on to the members that have not freed it.
  void retire(const Ref<comm::Communicator>& comm);

  /// Replaces the barrier at the end of a job that goes on after deaths: waits until all living ranks have called it.
  Status gather_for_the_end();

 private:
  void handle_events() override;
  void handle_failures();
  void receive(PeerId peer, const p2p::ControlMessage& control);
  void mark_failed(PeerId peer);
  /// To who listens.
  void tell_failed(PeerId peer);
  void handle_failure(FailureState& failure_state, PeerId peer);
  [[nodiscard]] bool is_busy(const comm::Communicator& comm);
  /// From now on the communicator's calls end when members die. The second call for a communicator does nothing.
  FailureState& adopt(comm::Communicator& comm);
  CommunicatorAgreements& agreements_of(FailureState& failure_state);
  Ref<comm::Communicator> make_survivors(const comm::Communicator& comm, const RankSet& dead,
                                         const world::ContextIdRange& ids);
  AgreementRequest* start_agreement(comm::Communicator& comm, std::uint64_t flags, CommunicatorAgreements::Token token,
                                    AgreementRequest::Conclude conclude);

  world::World& world_;
  p2p::PointToPoint& p2p_;
  bool survives_;
  std::vector<bool> failed_;  ///< by world rank
  std::shared_ptr<FailureStates> failure_states_ = std::make_shared<FailureStates>();
  std::unordered_map<std::uint32_t, std::unique_ptr<CommunicatorAgreements>> agreements_;
  std::vector<Ref<comm::Communicator>> retired_;                    ///< freed, but still busy
  std::deque<std::pair<PeerId, p2p::ControlMessage>> early_votes_;  ///< their communicators are not made here yet
  Revocations revocations_;
};

}  // namespace starling::resilience
