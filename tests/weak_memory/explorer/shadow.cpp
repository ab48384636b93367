// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "weak_memory/explorer/shadow.hpp"

#include <algorithm>

namespace starling::weak {
namespace {

/// Which earlier accesses an access conflicts with.
bool conflicts(Touch one, Touch other) noexcept {
  const auto is_write = [](Touch touch) { return touch == Touch::kWrite || touch == Touch::kAtomicWrite; };
  const auto is_atomic = [](Touch touch) { return touch == Touch::kAtomicRead || touch == Touch::kAtomicWrite; };
  return (is_write(one) || is_write(other)) && !(is_atomic(one) && is_atomic(other));
}

}  // namespace

void Shadow::watch(void* begin, std::size_t bytes) {
  if (watches(begin)) return;
  Range range;
  range.begin = static_cast<std::byte*>(begin);
  range.bytes.resize(bytes);
  ranges_.push_back(std::move(range));
}

const Shadow::Range* Shadow::find(const void* begin) const noexcept {
  const auto* at = static_cast<const std::byte*>(begin);
  for (const Range& range : ranges_) {
    if (at >= range.begin && at < range.begin + range.bytes.size()) return &range;
  }
  return nullptr;
}

Shadow::Byte& Shadow::dirty(Range& range, std::size_t offset) {
  Byte& byte = range.bytes[offset];
  if (!byte.touched) {
    byte.touched = true;
    dirty_.push_back({static_cast<std::size_t>(&range - ranges_.data()), offset});
  }
  return byte;
}

bool Shadow::touch(int thread, const Times& times, Touch touch, const void* begin, std::size_t bytes) {
  Range* range = find(begin);
  if (range == nullptr) return true;
  const auto first = static_cast<std::size_t>(static_cast<const std::byte*>(begin) - range->begin);
  const std::size_t end = std::min(first + bytes, range->bytes.size());
  bool ordered = true;
  for (std::size_t offset = first; offset < end; ++offset) {
    Byte& byte = dirty(*range, offset);
    for (const Touch other : {Touch::kRead, Touch::kWrite, Touch::kAtomicRead, Touch::kAtomicWrite}) {
      if (!conflicts(touch, other)) continue;
      const Times& last = byte.times[static_cast<std::size_t>(other)];
      for (std::size_t i = 0; i < kMostThreads; ++i) ordered = ordered && last[i] <= times[i];
    }
    const auto self = static_cast<std::size_t>(thread);
    byte.times[static_cast<std::size_t>(touch)][self] = times[self];
  }
  return ordered;
}

void Shadow::keep(void* begin, std::size_t bytes) {
  Range* range = find(begin);
  if (range == nullptr) return;
  const auto first = static_cast<std::size_t>(static_cast<std::byte*>(begin) - range->begin);
  const std::size_t end = std::min(first + bytes, range->bytes.size());
  for (std::size_t offset = first; offset < end; ++offset) {
    Byte& byte = dirty(*range, offset);
    if (!byte.kept) byte.before = range->begin[offset];
    byte.kept = true;
  }
}

void Shadow::restore() {
  for (const Place& place : dirty_) {
    Range& range = ranges_[place.range];
    Byte& byte = range.bytes[place.offset];
    if (byte.kept) range.begin[place.offset] = byte.before;
    byte = Byte();
  }
  dirty_.clear();
}

}  // namespace starling::weak
