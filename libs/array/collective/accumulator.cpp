// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "accumulator.hpp"

#include <utility>

#include "program/registry.hpp"

namespace starling::array::detail {

Accumulator::Accumulator(Accumulator&& other) noexcept
    : reducer_(other.reducer_), value_(std::exchange(other.value_, nullptr)) {}

Accumulator& Accumulator::operator=(Accumulator&& other) noexcept {
  std::swap(reducer_, other.reducer_);
  std::swap(value_, other.value_);
  return *this;
}

Accumulator::~Accumulator() {
  if (value_ != nullptr) reducer_numbered(reducer_).drop(value_);
}

void Accumulator::add(std::uint32_t reducer, const void* value) {
  const ReducerInfo& info = reducer_numbered(reducer);
  reducer_ = reducer;
  if (value_ == nullptr) {
    value_ = info.make(value);
  } else {
    info.add(value_, value);
  }
}

void Accumulator::add_packed(std::uint32_t reducer, Archive& in) {
  const ReducerInfo& info = reducer_numbered(reducer);
  reducer_ = reducer;
  void* value = info.unpack(in);
  if (value_ == nullptr) {
    value_ = value;
    return;
  }
  struct Drop {
    const ReducerInfo& info;
    void* value;
    ~Drop() { info.drop(value); }
  } drop{info, value};
  info.add(value_, value);
}

void Accumulator::pack(Archive& into) const {
  if (value_ != nullptr) reducer_numbered(reducer_).serialize(value_, into);
}

Packed Accumulator::packed() const {
  Archive count = Archive::counting();
  pack(count);
  Packed packed(count.used());
  Archive out = Archive::writing(packed.data(), packed.size());
  pack(out);
  return packed;
}

}  // namespace starling::array::detail
