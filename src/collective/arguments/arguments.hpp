// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a collective call asks for: one record for all operations, of which each uses its part.
//
//   operation                 sends                              receives
//   barrier                   -                                  -
//   bcast                     receive_* at the root              receive_*
//   reduce, allreduce, scan, exscan, reduce_scatter_block
//                             send_buffer                        receive_buffer; count and type of receive
//   reduce_scatter            send_buffer                        receive_buffer, receive_counts, type of receive
//   gather, scatter, allgather, alltoall, and among neighbours
//                             send_* and receive_* as in the standard
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
#include "collective/arguments/operation.hpp"
#include "comm/communicator.hpp"
#include "datatype/op/op.hpp"
#include "datatype/types/datatype.hpp"

namespace starling::collective {

struct ArrivalPrediction;

/// How a call was made.
enum class Form : std::uint8_t {
  kBlocking,
  kNonblocking,
  kPersistent,
  kInternal,  ///< by a constructor of communicators and its like
  kFinal,     ///< blocking, the last of the job: MPI_Finalize
};

struct Arguments {
  Operation operation = Operation::kBarrier;
  Form form = Form::kBlocking;
  bool in_place = false;
  std::int32_t root = 0;
  comm::Communicator* comm = nullptr;
  const void* site = nullptr;                     ///< where the program goes on after the call, where that is known
  const ArrivalPrediction* prediction = nullptr;  ///< when ranks are expected, where that is known

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
  const datatype::Datatype* const* send_types = nullptr;     ///< alltoallw: one for each block
  const datatype::Datatype* const* receive_types = nullptr;  ///< alltoallw: one for each block
};

/// On an intercommunicator `root` is a rank of the other group in the group that has none; in the root's own group the
/// root says kRootHere and the others kRootElsewhere (the values of MPI_ROOT and MPI_PROC_NULL in the ABI).
inline constexpr std::int32_t kRootHere = -4;
inline constexpr std::int32_t kRootElsewhere = -3;

/// How many blocks a call with a block for each rank, or each neighbour, sends and receives.
[[nodiscard]] inline std::int32_t blocks_sent(const Arguments& a) noexcept {
  return among_neighbors(a.operation) ? static_cast<std::int32_t>(a.comm->neighbors->destinations.size())
                                      : a.comm->addressed_size();
}
[[nodiscard]] inline std::int32_t blocks_received(const Arguments& a) noexcept {
  return among_neighbors(a.operation) ? static_cast<std::int32_t>(a.comm->neighbors->sources.size())
                                      : a.comm->addressed_size();
}

}  // namespace starling::collective
