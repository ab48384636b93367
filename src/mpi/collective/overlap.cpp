// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/overlap.hpp"

#include <string>

#include "base/format.hpp"
#include "collective/arguments/roles.hpp"

namespace starling::mpi {
namespace {

using collective::Arguments;
using collective::Operation;

/// Some elements in memory.
struct Stretch {
  std::intptr_t address = 0;
  std::int64_t count = 0;
  const datatype::Datatype* type = nullptr;

  [[nodiscard]] bool is_empty() const noexcept { return type == nullptr || count * type->size() == 0; }
  [[nodiscard]] std::intptr_t begin() const noexcept { return address + type->true_lb(); }
  [[nodiscard]] std::intptr_t end() const noexcept { return begin() + count * type->size(); }
};

bool meet(const Stretch& one, const Stretch& other) noexcept {
  if (one.is_empty() || other.is_empty()) return false;
  if (one.type == other.type && one.address == other.address) return true;
  if (!one.type->is_contiguous() || !other.type->is_contiguous()) return false;
  return one.begin() < other.end() && other.begin() < one.end();
}

std::intptr_t address(const void* buffer) noexcept { return reinterpret_cast<std::intptr_t>(buffer); }

/// The block that this rank has for itself, of those at a buffer.
Stretch own_block(const Arguments& a, const void* buffer, Counts counts, Counts displs, std::int64_t count,
                  const datatype::Datatype* type, const datatype::Datatype* const* types) noexcept {
  const std::int32_t me = a.comm->rank();
  if (types != nullptr) return {address(buffer) + displs[me], counts[me], types[me]};
  if (counts.given()) return {address(buffer) + displs[me] * type->extent(), counts[me], type};
  return {address(buffer) + me * count * type->extent(), count, type};
}

Stretch sent(const Arguments& a) noexcept {
  switch (a.operation) {
    case Operation::kScatter:
    case Operation::kScatterv:
    case Operation::kAlltoall:
    case Operation::kAlltoallv:
    case Operation::kAlltoallw:
      return own_block(a, a.send_buffer, a.send_counts, a.send_displs, a.send_count, a.send_type, a.send_types);
    default: return {address(a.send_buffer), a.send_count, a.send_type};
  }
}

Stretch received(const Arguments& a) noexcept {
  switch (a.operation) {
    case Operation::kScatter:
    case Operation::kScatterv: return {address(a.receive_buffer), a.receive_count, a.receive_type};
    default:
      return own_block(a, a.receive_buffer, a.receive_counts, a.receive_displs, a.receive_count, a.receive_type,
                       a.receive_types);
  }
}

/// The vectors of a reduction; of those that scatter their result the stretch that every rank's must have.
bool vectors_meet(const Arguments& a) noexcept {
  const std::int64_t count = a.receive_counts.given() ? a.receive_counts[a.comm->rank()] : a.receive_count;
  return meet({address(a.send_buffer), count, a.receive_type}, {address(a.receive_buffer), count, a.receive_type});
}

[[gnu::cold]] Status refusal(const Arguments& a) {
  return Status::error(
      ErrorClass::kBuffer,
      formatted(
          "{} sends from memory that it also receives into; pass MPI_IN_PLACE, or give the result a buffer of its own",
          name(a.operation)));
}

}  // namespace

Status check_apart(const Arguments& a) {
  const bool rooted = collective::rooted(a.operation);
  if (a.in_place || a.send_buffer == nullptr || a.receive_buffer == nullptr || a.comm->is_inter() ||
      collective::among_neighbors(a.operation) || (rooted && !collective::at_root(a))) {
    return {};
  }
  if (collective::reduces(a.operation) ? vectors_meet(a) : meet(sent(a), received(a))) [[unlikely]]
    return refusal(a);
  return {};
}

}  // namespace starling::mpi
