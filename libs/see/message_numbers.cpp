// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "message_numbers.hpp"

#include <algorithm>

namespace starling::see {

std::size_t MessageNumbers::Hash::operator()(const Envelope& envelope) const noexcept {
  const std::uint64_t one = std::uint64_t{envelope.context} << 32 | static_cast<std::uint32_t>(envelope.peer);
  return static_cast<std::size_t>((one * 0x9e3779b97f4a7c15) ^
                                  (static_cast<std::uint32_t>(envelope.tag) * std::uint64_t{0xc2b2ae3d27d4eb4f}));
}

std::uint64_t MessageNumbers::sent(const Envelope& to) {
  if (const auto found = sent_.find(to); found != sent_.end()) return ++found->second;
  if (sent_.size() >= kMostLanes) return 0;
  sent_[to] = 1;
  return 1;
}

MessageNumbers::Lane* MessageNumbers::lane(const Envelope& from) {
  if (const auto found = lanes_.find(from); found != lanes_.end()) return &found->second;
  return lanes_.size() < kMostLanes ? &lanes_[from] : nullptr;
}

void MessageNumbers::goes_on(const Envelope& from, std::uint64_t place) {
  if (Lane* const its = lane(from)) its->waiting.push_back(place);
}

void MessageNumbers::ends_without(const Envelope& from, std::uint64_t place) {
  if (Lane* const its = lane(from)) std::erase(its->waiting, place);
}

std::uint64_t MessageNumbers::received(const Envelope& from, std::uint64_t place) {
  Lane* const its = lane(from);
  if (its == nullptr) return 0;
  const auto at = std::ranges::lower_bound(its->waiting, place);
  auto before = at - its->waiting.begin();
  if (at != its->waiting.end() && *at == place) its->waiting.erase(at);
  // The first number that is free behind those that are left to the receives before it.
  std::uint64_t number = its->all_until + 1;
  auto given = its->beyond.begin();
  for (;; ++number) {
    const bool is_free = given == its->beyond.end() || *given != number;
    if (!is_free) {
      ++given;
    } else if (before-- == 0) {
      break;
    }
  }
  its->beyond.insert(given, number);
  const auto gap = std::ranges::adjacent_find(its->beyond, [](auto one, auto next) { return next != one + 1; });
  if (its->beyond.front() == its->all_until + 1) {
    const auto last = gap == its->beyond.end() ? gap - 1 : gap;
    its->all_until = *last;
    its->beyond.erase(its->beyond.begin(), last + 1);
  }
  return number;
}

}  // namespace starling::see
