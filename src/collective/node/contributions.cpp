// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/node/contributions.hpp"

#include <cstring>

#include "base/format.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {
namespace {

std::size_t size_of(std::int64_t count, const datatype::Datatype& type) {
  return static_cast<std::size_t>(count * type.size());
}

}  // namespace

void note_other_size(Call& call, std::int32_t rank, std::int64_t theirs, std::int64_t mine) {
  call.note(
      Status::error(ErrorClass::kTruncate,
                    formatted("{}: rank {} brings {} bytes where this rank expects {}. Do all ranks make the same "
                              "collective calls in the same order, with counts and types that match?",
                              name(call.operation()), call.told_rank(rank), theirs, mine)));
}

void put(std::byte* to, const void* buffer, std::int64_t count, const datatype::Datatype& type) {
  if (type.is_contiguous()) [[likely]] {
    if (count > 0) std::memcpy(to, static_cast<const std::byte*>(buffer) + type.true_lb(), size_of(count, type));
    return;
  }
  datatype::PackCursor cursor(type, buffer, count);
  cursor.pack(to, static_cast<std::size_t>(cursor.total()));
}

void take(const std::byte* from, void* buffer, std::int64_t count, const datatype::Datatype& type) {
  if (type.is_contiguous()) [[likely]] {
    if (count > 0) std::memcpy(static_cast<std::byte*>(buffer) + type.true_lb(), from, size_of(count, type));
    return;
  }
  datatype::UnpackCursor cursor(type, buffer, count);
  cursor.unpack(from, static_cast<std::size_t>(cursor.total()));
}

Status fold(const datatype::Op& op, const Contributions& from, std::int64_t first, std::int64_t count,
            const datatype::Datatype& type, void* into) {
  if (count == 0) return {};
  const std::int64_t offset = first * type.size();
  const auto contribution = [&](std::int32_t rank) {
    const bool own = rank == from.shared.rank() && from.own != nullptr;
    return (own ? static_cast<const std::byte*>(from.own) : from.shared.data(rank, from.k, from.bytes, from.pace)) +
           offset;
  };
  const std::int32_t last = from.shared.ranks() - 1;
  std::memcpy(into, contribution(last), size_of(count, type));
  for (std::int32_t rank = last - 1; rank >= 0; --rank) STARLING_TRY(op.apply(contribution(rank), into, count, type));
  return {};
}

}  // namespace starling::collective
