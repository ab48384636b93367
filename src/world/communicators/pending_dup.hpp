// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PendingDup: a duplicate of a communicator that completes later (MPI_Comm_idup).
// Thread safety: the holder of the world's lock.
// Invariants: the request is disposed of before the PendingDup dies. Source: MPI-5.0, 7.4.2.
#pragma once

#include <memory>

#include "world/communicators/communicators.hpp"
#include "world/communicators/context_ids.hpp"

namespace starling::world {

class PendingDup {
 public:
  static Result<std::unique_ptr<PendingDup>> start(World& world, Ref<comm::Communicator> comm);

  [[nodiscard]] p2p::Request& request() noexcept { return *request_; }
  /// Once the request is complete.
  [[nodiscard]] MadeCommunicator finish();

 private:
  PendingDup(World& world, Ref<comm::Communicator> comm) : world_(world), comm_(std::move(comm)) {}
  Status tell_group();
  void tell_both_groups();

  World& world_;
  Ref<comm::Communicator> comm_;
  ContextIds ids_;
  p2p::Request* request_ = nullptr;
};

}  // namespace starling::world
