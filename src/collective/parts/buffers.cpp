// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/buffers.hpp"

#include "base/format.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {

PooledMemory::PooledMemory(Call& call, std::int64_t bytes) {
  data_ = call.executor().pool().allocate(static_cast<std::size_t>(bytes > 0 ? bytes : 1));
  if (!data_) {
    call.note(Status::error(ErrorClass::kNoMem, formatted("{}: there is no memory for {} bytes of temporary data",
                                                          name(call.operation()), bytes)));
  }
}

Scratch::Scratch(Call& call, std::int64_t count, const datatype::Datatype& type)
    : memory_(call,
              count > 0 ? (count - 1) * (type.extent() < 0 ? -type.extent() : type.extent()) + type.true_extent() : 0) {
  if (!memory_.data()) return;
  const std::int64_t below = type.extent() < 0 && count > 0 ? (count - 1) * type.extent() : 0;
  base_ = memory_.data() - type.true_lb() - below;
}

Packed::Packed(Call& call, Access access, const void* buffer, std::int64_t count, const datatype::Datatype& type)
    : bytes_(count * type.size()), user_(const_cast<void*>(buffer)), count_(count), type_(type) {
  if (type.is_contiguous() || bytes_ == 0) {
    data_ = static_cast<std::byte*>(user_) + (bytes_ == 0 ? 0 : type.true_lb());
    return;
  }
  copy_ = PooledMemory(call, bytes_);
  data_ = copy_.data();
  if (data_ && access == Access::kRead) {
    datatype::PackCursor cursor(type, buffer, count);
    cursor.pack(data_, static_cast<std::size_t>(bytes_));
  }
}

void Packed::commit() {
  if (!copy_.data()) return;
  datatype::UnpackCursor cursor(type_, user_, count_);
  cursor.unpack(data_, static_cast<std::size_t>(bytes_));
}

}  // namespace starling::collective
