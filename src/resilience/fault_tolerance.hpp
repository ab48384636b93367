// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The resilience engine of one rank: it hears of deaths and of revocations and sees to their consequences, and it runs
// the agreements of survivors.
//
// A death is told at the top of a poll, in whatever call the rank is (docs/design/resilience.md): operations that need
// the dead process fail, collective calls on its communicators end, receives from any source are suspended until the
// death is acknowledged. A revocation is a flag in the job segment, where all members see it; else it travels over the
// binomial graph of the communicator's members as a control message.
// Thread safety: the holder of the world's lock.
// Invariants: every communicator is adopted when it comes to be (World::introduce); a revocation or a vote that comes
// before its communicator is kept for it. Source: MPI Forum, Fault Tolerance Working Group, "User Level Failure
// Mitigation".
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "comm/communicator.hpp"
#include "resilience/communicator_agreements.hpp"
#include "resilience/failure_state.hpp"
#include "world/communicators/communicators.hpp"
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

  /// The members known to have died, in the order of the news; their first acknowledged() are acknowledged.
  [[nodiscard]] const FailureState& look_for_deaths(comm::Communicator& comm);
  void acknowledge(comm::Communicator& comm, std::size_t count);

  /// What survivors agree on: the AND of their 32 flags. unacknowledged: somebody has died whom not all had
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

  /// The user frees the communicator. While a send or a receive is under way on it, it goes on hearing of deaths and of
  /// its revocation; a revocation that comes later is still passed on to those who have not freed it.
  void retire(const Ref<comm::Communicator>& comm);

  /// Instead of a barrier at the end: waits until all ranks that live have come here.
  Status gather_for_the_end();

 private:
  void handle_events() override;
  void handle_failures();
  void hear(std::int32_t peer, const p2p::ControlMessage& control);
  void mark_failed(std::int32_t peer);
  void handle_failure(FailureState& failure_state, std::int32_t peer);
  void hear_revocation(std::uint32_t context_id);
  /// Sets the flag that all members see and wakes those who sleep. False where there is none.
  bool flag_revocation(FailureState& failure_state);
  /// The number of a communicator's flag in the job segment.
  [[nodiscard]] std::uint32_t flag_of(const FailureState& failure_state) const noexcept;
  void look_for_revocations();
  [[nodiscard]] bool is_busy(const comm::Communicator& comm);
  void pass_on(std::uint32_t context_id, const Members& members, std::int32_t member);
  bool relay(std::uint32_t context_id);
  void take_revocation(FailureState& failure_state);
  void deliver_revocation(std::uint32_t context_id);
  void interrupt_collectives(comm::Communicator& comm, const Status& why);
  /// From now on the communicator's calls end when members die. Nothing happens the second time.
  FailureState& adopt(comm::Communicator& comm);
  CommunicatorAgreements& agreements_of(FailureState& failure_state);
  Ref<comm::Communicator> make_survivors(const comm::Communicator& comm, const RankSet& dead, std::uint32_t id);
  AgreementRequest* start_agreement(comm::Communicator& comm, std::uint64_t flags, CommunicatorAgreements::Token token,
                                    AgreementRequest::Conclude conclude);

  world::World& world_;
  p2p::PointToPoint& p2p_;
  bool survives_;
  bool flags_;
  std::vector<bool> failed_;  ///< of the ranks of the job
  std::shared_ptr<FailureStates> failure_states_ = std::make_shared<FailureStates>();
  std::unordered_map<std::uint32_t, std::unique_ptr<CommunicatorAgreements>> agreements_;
  std::vector<Ref<comm::Communicator>> retired_;          ///< freed, and busy yet
  std::deque<std::pair<std::uint32_t, Members>> relays_;  ///< of freed communicators without a flag
  std::vector<std::uint32_t> revoked_;                    ///< heard of, to be told at the top of the next poll
  std::unordered_set<std::uint32_t> early_revoked_;       ///< of communicators that are not made here yet
  std::deque<std::pair<std::int32_t, p2p::ControlMessage>> early_;  ///< votes for such
};

}  // namespace starling::resilience
