// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One reduce, run along the steps that its schedule gives to this rank.
//
// Every segment moves as soon as what it waits for is there: receives are posted ahead, a segment is sent on when all
// that had to be combined into it has come, and nobody waits for a round as such. So a process that is later than
// predicted delays only what depends on it, and the arithmetic of one segment overlaps the transfers of others.
//
// Thread safety: one call at a time for each Workspace.
// Invariants: a message's tag is its segment. Two transfers of one segment between the same two ranks depend on each
// other, so equal tags cannot overtake. The earliest unposted send is always posted when it is ready, whatever the
// limit on sends in flight, so the earliest incomplete transfer of all ranks can always complete.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "arrival/schedule.hpp"

namespace starling::pap {

/// What the user asked for. `channel` is a communicator of the same group that carries nothing else.
struct ReduceCall {
  const void* send;  ///< MPI_IN_PLACE at the root if the input lies in `receive`
  void* receive;     ///< only at the root
  int count;
  MPI_Datatype type;
  MPI_Op op;  ///< commutative
  int root;
  MPI_Comm channel;
};

/// Memory for segments that have arrived, kept between calls.
class Workspace {
 public:
  /// Room of at least this size, aligned for any type; what it held is lost.
  std::byte* room(std::size_t bytes);

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
};

/// The root's steps must contain no send (arrival::RootRole::kOnlyTakes). Returns an MPI error code.
int run_reduce(const ReduceCall& call, std::span<const arrival::Step> steps, int segments, Workspace& workspace);

}  // namespace starling::pap
