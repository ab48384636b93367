// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Communicator: the data that gives ranks and tags their meaning: a group, the caller's place in it and a context id.
// An intercommunicator has a second, remote group, to whose ranks its messages go, and beside it an intracommunicator
// over its local group, with a context of its own, for what the local group has to do by itself.
// What the C interface adds (attributes, name, error handler, topology) lives in mpi/; the constructors live in world/.
//
// Where the members come from and what memory they share are two questions: connected_jobs() is null where all are of
// this job, shared_domain() is null where they are on several nodes.
//
// Thread safety: immutable but for condition, failure_state, collective_state, listing and neighbors, which the holder
// of the world's lock changes. Invariants: context ids are even, below kPartitioned and unique in the job;
// point-to-point traffic runs under context_id, collective traffic under context_id + 1 and partitioned traffic under
// context_id + kPartitioned, so that no two of them match each other. Both groups of an intercommunicator know it by
// the same id; they have no process in common. Source: MPI-5.0, 7.1.2 and 7.6.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/id.hpp"
#include "base/ref.hpp"
#include "comm/connected_jobs.hpp"
#include "comm/extension.hpp"
#include "comm/group.hpp"
#include "comm/listing.hpp"
#include "comm/neighbors.hpp"
#include "comm/shared_domain.hpp"

namespace starling::comm {

/// What is wrong with a communicator: bits, set by resilience/.
using Condition = std::uint8_t;
inline constexpr Condition kSound = 0;
inline constexpr Condition kRevoked = 1;         ///< every call on it fails
inline constexpr Condition kBroken = 2;          ///< a member is dead, so collective calls fail
inline constexpr Condition kUnacknowledged = 4;  ///< ... and wildcard receives do not wait until that is acknowledged

class Communicator final : public RefCounted<Communicator> {
 public:
  static constexpr std::uint32_t kPartitioned = 0x80000000;

  /// What its processes have in common: the connection that joins several jobs, and the memory that all share.
  struct Common {
    Ref<ConnectedJobs> jobs;
    Ref<SharedDomain> domain;
  };

  Communicator(std::uint32_t context_id, Ref<Group> group, std::int32_t rank, Common common)
      : context_id_(context_id),
        rank_(rank),
        size_(group->size()),
        addressed_size_(size_),
        common_(std::move(common)),
        group_(std::move(group)) {
    find_peers(*group_);
  }

  /// An intercommunicator: `local` is over the local group and under another context. common: of both groups.
  Communicator(std::uint32_t context_id, Ref<Communicator> local, Ref<Group> remote, Common common)
      : context_id_(context_id),
        rank_(local->rank()),
        size_(local->size()),
        addressed_size_(remote->size()),
        common_(std::move(common)),
        group_(local->group()),
        remote_group_(std::move(remote)),
        local_(std::move(local)) {
    find_peers(*remote_group_);
  }

  [[nodiscard]] std::uint32_t context_id() const noexcept { return context_id_; }
  [[nodiscard]] std::uint32_t collective_context_id() const noexcept { return context_id_ + 1; }
  [[nodiscard]] std::uint32_t partitioned_context_id() const noexcept { return context_id_ + kPartitioned; }
  /// The same in every process: processes of connected jobs count context ids from different numbers on.
  [[nodiscard]] std::uint32_t shared_context_id() const noexcept {
    return context_id_ - (common_.jobs ? common_.jobs->first_context() : 0);
  }

  // The local group: on an intracommunicator the only one.
  [[nodiscard]] std::int32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int32_t size() const noexcept { return size_; }
  [[nodiscard]] const Ref<Group>& group() const noexcept { return group_; }
  [[nodiscard]] ProcessId process(std::int32_t rank) const noexcept { return group_->process(rank); }

  // The group that messages go to and come from: the remote one of an intercommunicator, else the local one.
  [[nodiscard]] std::int32_t addressed_size() const noexcept { return addressed_size_; }
  /// The process behind a rank that a message names.
  [[nodiscard]] PeerId peer(std::int32_t rank) const noexcept { return PeerId(peers_[rank]); }

  [[nodiscard]] const Common& common() const noexcept { return common_; }
  /// Null: all members are of this job.
  [[nodiscard]] const Ref<ConnectedJobs>& connected_jobs() const noexcept { return common_.jobs; }
  /// The memory that all members of both groups share; null: they are on several nodes.
  [[nodiscard]] SharedDomain* shared_domain() const noexcept { return common_.domain.get(); }
  /// The index of a rank of the local group in the shared domain, which is there.
  [[nodiscard]] LocalRank local_rank(std::int32_t rank) const { return common_.domain->local_rank(process(rank)); }

  // Of intercommunicators only: null on an intracommunicator.
  [[nodiscard]] bool is_inter() const noexcept { return remote_group_.get() != nullptr; }
  [[nodiscard]] const Ref<Group>& remote_group() const noexcept { return remote_group_; }
  [[nodiscard]] const Ref<Communicator>& local() const noexcept { return local_; }

  /// Every call reads it, so it lies beside fields that calls read anyway.
  [[nodiscard]] Condition condition() const noexcept { return condition_; }
  [[nodiscard]] bool fit_for_collectives() const noexcept { return (condition_ & (kRevoked | kBroken)) == 0; }
  void set_condition(Condition condition) noexcept { condition_ = condition; }

  /// What resilience/ keeps here: the members, the dead, what is acknowledged, whether it is revoked.
  std::unique_ptr<Extension> failure_state;

  /// What collective/ keeps here: its sequence number and its shared-memory area.
  std::unique_ptr<Extension> collective_state;

  /// Null: it is not in the directory of communicators.
  std::unique_ptr<Listing> listing;

  /// Of its topology, for neighbourhood collectives; null until one needs them.
  std::unique_ptr<const Neighbors> neighbors;

 private:
  void find_peers(const Group& addressed) {
    peers_ = addressed.numbers_.data();
    if (!common_.jobs) return;
    for (const ProcessId process : addressed.processes()) {
      peers_of_jobs_.push_back(common_.jobs->peer_of(process).value);
    }
    peers_ = peers_of_jobs_.data();
  }

  std::uint32_t context_id_;
  std::int32_t rank_;
  std::int32_t size_;
  std::int32_t addressed_size_;
  Condition condition_ = kSound;
  const std::int32_t* peers_ = nullptr;  ///< of the addressed group: numbers of PeerIds
  std::vector<std::int32_t> peers_of_jobs_;
  Common common_;
  Ref<Group> group_;
  Ref<Group> remote_group_;
  Ref<Communicator> local_;
};

}  // namespace starling::comm
