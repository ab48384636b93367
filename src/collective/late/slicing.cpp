// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/late/slicing.hpp"

namespace starling::collective {

arrival::Link link_of(const Machine& machine) noexcept {
  arrival::Link link;
  for (std::size_t i = 0; i < link.size(); ++i) {
    const auto bytes = static_cast<double>(arrival::kSampledBytes[i]);
    const double hop_s = 1e-9 * (machine.message(bytes) + bytes * machine.reduce_byte_ns);
    link[i] = {arrival::kSampledBytes[i], hop_s, hop_s};  // processors move the bytes: nothing goes on behind a hop
  }
  return link;
}

arrival::Slicing slicing_of(std::int64_t bytes, std::int32_t ranks, const Machine& machine) {
  constexpr int kMostSegments = 64;  // more cost more to schedule than they save
  return arrival::slice(bytes, ranks, link_of(machine), kMostSegments);
}

}  // namespace starling::collective
