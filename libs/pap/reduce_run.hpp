// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One reduce, run along the steps that its schedule gives to this rank (arrival/run/reduce_run.hpp), on this MPI.
//
// Thread safety: one call at a time for each Workspace.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "arrival/schedule/schedule.hpp"

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
