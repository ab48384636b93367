// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/buffers.hpp"

#include <string>

#include "datatype/pack/pack.hpp"

namespace starling::collective {

Memory::Memory(Call& call, std::int64_t bytes) {
  data_ = call.executor().pool().allocate(static_cast<std::size_t>(bytes > 0 ? bytes : 1));
  if (!data_) {
    call.note(Status::error(ErrorClass::kNoMem, std::string(name(call.operation())) + ": no memory for " +
                                                    std::to_string(bytes) + " bytes of temporary data"));
  }
}

Scratch::Scratch(Call& call, std::int64_t count, const datatype::Datatype& type)
    : memory_(call,
              count > 0 ? (count - 1) * (type.extent() < 0 ? -type.extent() : type.extent()) + type.true_extent() : 0) {
  if (!memory_.data()) return;
  const std::int64_t below = type.extent() < 0 && count > 0 ? (count - 1) * type.extent() : 0;
  base_ = memory_.data() - type.true_lb() - below;
}

Packed::Packed(Call& call, Use use, const void* buffer, std::int64_t count, const datatype::Datatype& type)
    : bytes_(count * type.size()), user_(const_cast<void*>(buffer)), count_(count), type_(type) {
  if (type.is_contiguous() || bytes_ == 0) {
    data_ = static_cast<std::byte*>(user_) + (bytes_ == 0 ? 0 : type.true_lb());
    return;
  }
  copy_ = Memory(call, bytes_);
  data_ = copy_.data();
  if (data_ && use == Use::kRead) {
    datatype::PackCursor cursor(type, buffer, count);
    cursor.pack(data_, static_cast<std::size_t>(bytes_));
  }
}

void Packed::commit() {
  if (!copy_.data()) return;
  datatype::UnpackCursor cursor(type_, user_, count_);
  cursor.unpack(data_, static_cast<std::size_t>(bytes_));
}

std::int64_t Blocks::displacement(std::int32_t rank) const noexcept {
  if (displs_.given()) return displs_[rank];
  if (!counts_.given()) return rank * uniform_;
  std::int64_t sum = 0;
  for (std::int32_t before = 0; before < rank; ++before) sum += counts_[before];
  return sum;
}

std::int64_t Blocks::total(std::int32_t ranks) const noexcept {
  if (!counts_.given()) return ranks * uniform_;
  std::int64_t sum = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) sum += counts_[rank];
  return sum;
}

}  // namespace starling::collective
