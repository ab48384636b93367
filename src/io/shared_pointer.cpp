// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/shared_pointer.hpp"

#include <new>

namespace starling::io {
namespace {

constexpr std::uint64_t kBytes = sizeof(std::atomic<std::int64_t>);

}  // namespace

std::uint64_t SharedPointer::allocate(memory::JobSegment& segment) {
  memory::Arena arena(segment);
  const memory::Arena::Guard guard(segment);
  if (!arena.open(guard).ok()) return kNowhere;
  Result<std::uint64_t> place = arena.allocate(guard, kBytes);
  if (!place.ok()) return kNowhere;
  new (arena.at(place.value())) std::atomic<std::int64_t>(0);
  return place.value();
}

void SharedPointer::release(memory::JobSegment& segment, std::uint64_t place) {
  if (place == kNowhere) return;
  const memory::Arena::Guard guard(segment);
  memory::Arena(segment).release(guard, place, kBytes);
}

SharedPointer::SharedPointer(memory::JobSegment& segment, std::uint64_t place) noexcept {
  if (place == kNowhere) return;
  word_ = std::launder(reinterpret_cast<std::atomic<std::int64_t>*>(memory::Arena(segment).at(place)));
}

}  // namespace starling::io
