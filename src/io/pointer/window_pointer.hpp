// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WindowPointer: the shared pointer of a file whose ranks are on several nodes: a number in a window, at rank 0.
//
// Rank 0 answers while it is in an MPI call; so do its own waits for files. Thread safety: as SharedPointer.
// Invariants: the window has a communicator of its own and is open to all accesses from begin to end; the accesses of
// one rank take place in their order.
#pragma once

#include "io/pointer/shared_pointer.hpp"
#include "rma/one_sided.hpp"
#include "world/world.hpp"

namespace starling::io {

class WindowPointer final : public SharedPointer {
 public:
  static Result<std::unique_ptr<SharedPointer>> make(world::World& world, comm::Communicator& comm);
  WindowPointer(rma::OneSided& one_sided, std::unique_ptr<rma::Window> window) noexcept
      : one_sided_(one_sided), window_(std::move(window)) {}

  Result<std::int64_t> get() override { return fetch(datatype::PredefinedOp::kNoOp, 0); }
  Status set(std::int64_t etypes) override;
  Result<std::int64_t> advance(std::int64_t etypes) override { return fetch(datatype::PredefinedOp::kSum, etypes); }
  Result<std::unique_ptr<Claim>> start_advance(std::int64_t etypes) override;
  Status release() override;

 private:
  /// The number before the operator has changed it.
  Result<std::int64_t> fetch(datatype::PredefinedOp op, std::int64_t operand);
  Status start(datatype::PredefinedOp op, std::int64_t operand, std::int64_t* before);

  rma::OneSided& one_sided_;
  std::unique_ptr<rma::Window> window_;
};

}  // namespace starling::io
