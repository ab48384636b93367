// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/chain.hpp"

#include <algorithm>
#include <cmath>

#include "collective/choose/shape.hpp"
#include "collective/parts/fan.hpp"

namespace starling::collective {
namespace {

constexpr std::int64_t kLongest = 64 * 1024;
constexpr std::int64_t kShortest = 4 * 1024;

}  // namespace

std::int64_t chain_segment(std::int32_t ranks, std::int64_t bytes, tuning::Distance distance,
                           const Machine& machine) noexcept {
  if (distance != tuning::Distance::kNetwork || ranks <= 2) return kLongest;
  // (p - 2) * s * beta until the last rank has a segment, and m / s * next for all of them: where both are equal.
  const double byte_ns = std::min(machine.byte_ns, machine.long_byte_ns);
  const double least = static_cast<double>(bytes) * machine.next_both() / ((ranks - 2) * std::max(byte_ns, 1e-6));
  const auto segment = static_cast<std::int64_t>(std::min(std::sqrt(least), static_cast<double>(kLongest)));
  return std::max(segment / kShortest, std::int64_t{1}) * kShortest;
}

std::int64_t chain_segment(const Call& call, std::int64_t bytes) noexcept {
  return chain_segment(call.size(), bytes, distance_of(call.comm()), machine_of(call));
}

double chain_cost(const Shape& shape, const Machine& machine, double folded_byte_ns) noexcept {
  const std::int64_t longest = chain_segment(shape.ranks, shape.bytes, shape.distance, machine);
  const double segments = std::max(1.0, static_cast<double>(shape.bytes) / static_cast<double>(longest));
  const double bytes = static_cast<double>(shape.bytes) / segments;
  const double folded = bytes * folded_byte_ns * machine.share(shape.ranks);
  if (shape.distance != tuning::Distance::kNetwork) {
    return machine.messages(shape.ranks - 2 + segments, bytes, shape.ranks) + (shape.ranks - 2 + segments) * folded;
  }
  // The segments are on their way at the same time, and what a rank takes of each is what it does itself.
  const double stage = machine.next_both() + machine.transfer(bytes);
  return machine.messages(shape.ranks - 1, bytes, shape.ranks) + (shape.ranks - 1) * folded +
         (segments - 1) * (stage * machine.share(shape.ranks) + folded);
}

}  // namespace starling::collective
