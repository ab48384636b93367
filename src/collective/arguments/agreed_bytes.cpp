// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/arguments/agreed_bytes.hpp"

#include "collective/arguments/blocks.hpp"
#include "collective/arguments/roles.hpp"

namespace starling::collective {
namespace {

/// Of the block that one of two ranks gives the other in a gatherv or scatterv.
std::int64_t bytes_of_pair(const Arguments& a) noexcept {
  const bool gathers = a.operation == Operation::kGatherv;
  if (!at_root(a)) return gathers ? a.send_count * a.send_type->size() : a.receive_count * a.receive_type->size();
  const std::int32_t other = 1 - a.root;
  return gathers ? a.receive_counts[other] * a.receive_type->size() : a.send_counts[other] * a.send_type->size();
}

}  // namespace

std::int64_t agreed_bytes(const Arguments& a) noexcept {
  if (looks_on(a)) return 0;
  const bool root = at_root(a);
  switch (a.operation) {
    case Operation::kBcast:
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan: return a.receive_count * a.receive_type->size();
    case Operation::kAllgather:
    case Operation::kAlltoall:
      // Between two groups what goes one way need not be what comes the other, but both know the sum.
      return a.receive_count * a.receive_type->size() + (a.comm->is_inter() ? a.send_count * a.send_type->size() : 0);
    case Operation::kNeighborAllgather:
    case Operation::kNeighborAlltoall: return a.receive_count * a.receive_type->size();
    case Operation::kGather:
      return root ? a.receive_count * a.receive_type->size() : a.send_count * a.send_type->size();
    case Operation::kScatter:
      return root ? a.send_count * a.send_type->size() : a.receive_count * a.receive_type->size();
    case Operation::kGatherv:
    case Operation::kScatterv: return a.comm->size() == 2 && !a.comm->is_inter() ? bytes_of_pair(a) : 0;
    case Operation::kAllgatherv:
      if (a.comm->is_inter()) return 0;
      [[fallthrough]];
    case Operation::kReduceScatter:
      return Blocks(a.receive_counts, Counts()).total(a.comm->size()) * a.receive_type->size();
    case Operation::kReduceScatterBlock: return a.receive_count * a.comm->size() * a.receive_type->size();
    default: return 0;
  }
}

bool agree_on_all(const Arguments& a) noexcept {
  if (a.comm->is_inter()) return false;  // the group that a root is in knows less than the other
  switch (a.operation) {
    case Operation::kBarrier:
    case Operation::kGatherv:
    case Operation::kScatterv:
    case Operation::kAlltoallv:
    case Operation::kAlltoallw:
    case Operation::kNeighborAllgatherv:
    case Operation::kNeighborAlltoallv:
    case Operation::kNeighborAlltoallw: return false;
    default: return true;
  }
}

const char* meaning_of_bytes(Operation operation) noexcept {
  switch (operation) {
    case Operation::kBcast:
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan: return "of the vector";
    case Operation::kGather:
    case Operation::kScatter:
    case Operation::kAllgather:
    case Operation::kAlltoall:
    case Operation::kNeighborAllgather:
    case Operation::kNeighborAlltoall: return "of each block";
    case Operation::kAllgatherv:
    case Operation::kReduceScatter:
    case Operation::kReduceScatterBlock: return "of all blocks together";
    default: return "which the choice does not depend on";
  }
}

}  // namespace starling::collective
