// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/far/elements.hpp"

#include <memory>

#include "datatype/op/op.hpp"
#include "datatype/pack/pack.hpp"
#include "rma/far/combs.hpp"

namespace starling::rma {
namespace {

using Bytes = std::unique_ptr<std::byte[]>;

Bytes room(std::size_t bytes) { return Bytes(new std::byte[bytes]); }

/// From packed elements to an array of them, with their gaps.
Bytes expanded(const std::byte* packed, datatype::Basic type, std::int64_t count) {
  const datatype::BasicInfo& info = datatype::info(type);
  Bytes array = std::make_unique<std::byte[]>(static_cast<std::size_t>(count) * info.extent);
  datatype::UnpackCursor(datatype::predefined(type), array.get(), count)
      .unpack(packed, static_cast<std::size_t>(count) * info.size);
  return array;
}

}  // namespace

void combine(const FarRequest& request, std::span<const Comb> combs, std::uint64_t base, const std::byte* operand) {
  if (request.op == datatype::PredefinedOp::kNoOp) return;
  if (request.op == datatype::PredefinedOp::kReplace) return scatter(combs, base, operand);
  const datatype::Kernel kernel = datatype::find_kernel(request.op, request.type);
  const datatype::BasicInfo& info = datatype::info(request.type);
  const auto count = static_cast<std::int64_t>(request.bytes / info.size);
  const bool has_gaps = info.size != info.extent;
  if (std::byte* const memory = one_stretch(combs, base); memory != nullptr && !has_gaps) {
    return kernel(operand, memory, count);
  }
  const Bytes packed = room(request.bytes);
  gather(combs, base, packed.get());
  if (has_gaps) {
    const Bytes array = expanded(packed.get(), request.type, count);
    kernel(expanded(operand, request.type, count).get(), array.get(), count);
    datatype::PackCursor(datatype::predefined(request.type), array.get(), count).pack(packed.get(), request.bytes);
  } else {
    kernel(operand, packed.get(), count);
  }
  scatter(combs, base, packed.get());
}

}  // namespace starling::rma
