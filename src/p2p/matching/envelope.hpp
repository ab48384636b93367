// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Envelope: what a message is matched by. A receive's envelope may hold wildcards; a message's never does.
// Source: MPI-5.0, 3.2.3 and 3.2.4.
#pragma once

#include <cstdint>

namespace starling::p2p {

inline constexpr std::int32_t kAnySource = -1;
inline constexpr std::int32_t kAnyTag = -2;

struct Envelope {
  std::uint32_t context_id = 0;
  std::int32_t source = 0;  ///< rank in the communicator
  std::int32_t tag = 0;

  [[nodiscard]] bool has_wildcard() const noexcept { return source == kAnySource || tag == kAnyTag; }

  /// Whether this pattern takes a message.
  [[nodiscard]] bool takes(const Envelope& message) const noexcept {
    return context_id == message.context_id && (source == kAnySource || source == message.source) &&
           (tag == kAnyTag || tag == message.tag);
  }
};

/// A 64-bit mix of an envelope's parts; wildcards included, so it keys chains of equal patterns.
[[nodiscard]] inline std::uint64_t mix(const Envelope& envelope) noexcept {
  std::uint64_t key = (std::uint64_t{envelope.context_id} << 32 | static_cast<std::uint32_t>(envelope.tag)) *
                      std::uint64_t{0x9e3779b97f4a7c15};
  key ^= (static_cast<std::uint32_t>(envelope.source) + (key >> 29)) * std::uint64_t{0xbf58476d1ce4e5b9};
  return key ^ (key >> 32);
}

}  // namespace starling::p2p
