// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a collective call hands to the engine: one record for all operations, of which each uses its part.
//
//   operation                 sends                              receives
//   barrier                   -                                  -
//   bcast                     -                                  buffer/count/type (read at the root, written
//   elsewhere) reduce, allreduce, scan, exscan, reduce_scatter_block        send_buffer -> receive_buffer, count and
//   type of receive reduce_scatter            send_buffer                        receive_buffer, receive_counts, type
//   of receive gather, scatter, allgather, alltoall                         send_* and receive_* as in the standard
//   gatherv, allgatherv       send_*                             receive_buffer, receive_counts, receive_displs, type
//   scatterv                  send_buffer, counts, displs, type  receive_*
//   alltoallv                 all counts, displs and types       alltoallw: send_types, receive_types, displs in bytes
//
// in_place: the caller gave MPI_IN_PLACE where the standard allows it for this operation on this rank.
// Reductions always read count and type from receive_count and receive_type, on every rank; ranks other than the root
// of a reduce may leave receive_buffer null. bcast uses receive_buffer, receive_count and receive_type only.
// Thread safety: a value type. Source: MPI-5.0, chapter 6.
#pragma once

#include <cstdint>

#include "base/counts.hpp"
#include "comm/communicator.hpp"
#include "datatype/datatype.hpp"
#include "datatype/op.hpp"

namespace starling::collective {

enum class Operation : std::uint8_t {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kScan,
  kExscan,
  kReduceScatter,
  kReduceScatterBlock,
};
inline constexpr std::int32_t kOperationCount = 17;

/// "barrier", "bcast", ... as in STARLING_COLL_<OP>, in lower case.
[[nodiscard]] const char* name(Operation operation) noexcept;

struct Arguments {
  Operation operation = Operation::kBarrier;
  bool in_place = false;
  std::int32_t root = 0;
  comm::Communicator* comm = nullptr;

  const void* send_buffer = nullptr;
  std::int64_t send_count = 0;
  const datatype::Datatype* send_type = nullptr;

  void* receive_buffer = nullptr;
  std::int64_t receive_count = 0;
  const datatype::Datatype* receive_type = nullptr;

  const datatype::Op* op = nullptr;

  // The v and w forms.
  Counts send_counts;
  Counts send_displs;
  Counts receive_counts;
  Counts receive_displs;
  const datatype::Datatype* const* send_types = nullptr;     ///< alltoallw: one for each rank
  const datatype::Datatype* const* receive_types = nullptr;  ///< alltoallw: one for each rank
};

}  // namespace starling::collective
