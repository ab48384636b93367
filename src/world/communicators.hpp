// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Communicator constructors. Each is collective and gives every new communicator a context id that no other in the job
// has or had: one rank takes it from the job segment and tells the others.
//
// Thread safety: the holder of the world's lock. Arguments have been checked by the caller.
// A null Ref in a good Result: this rank is not a member of any new communicator.
// Source: MPI-5.0, chapter 7.4.2.
#pragma once

#include <cstdint>

#include "world/world.hpp"

namespace starling::world {

using MadeCommunicator = Result<Ref<comm::Communicator>>;

/// The same group under a new context.
MadeCommunicator dup(World& world, comm::Communicator& comm);

/// A dup that completes later.
class PendingDup {
 public:
  static Result<std::unique_ptr<PendingDup>> start(World& world, Ref<comm::Communicator> comm);

  [[nodiscard]] p2p::Request& request() noexcept { return *request_; }
  /// Once the request is complete.
  [[nodiscard]] MadeCommunicator finish() const;

 private:
  PendingDup() = default;
  Ref<comm::Communicator> comm_;
  std::uint32_t context_id_ = 0;
  Status taken_;  ///< why the root got no id
  p2p::Request* request_ = nullptr;
};

/// One communicator for each colour, ranks in order of key and then of their rank in comm.
/// Colour kNoColor: not a member of any.
inline constexpr std::int32_t kNoColor = -1;
MadeCommunicator split(World& world, comm::Communicator& comm, std::int32_t color, std::int32_t key);

/// Collective over comm; ranks that name different groups get different communicators. group is a subset of comm's.
MadeCommunicator create(World& world, comm::Communicator& comm, const Ref<comm::Group>& group);

/// Collective over group only, a subset of comm's that holds this rank. Calls at the same time differ in tag.
MadeCommunicator create_group(World& world, comm::Communicator& comm, const Ref<comm::Group>& group, std::int32_t tag);

}  // namespace starling::world
