// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a vote travels: without the zeros at the end of its sets, so that it has two bits a member only where members are
// dead, and in as many packets as that takes. Packets between two members come in order.
//
// Layout, in 64-bit words: flags, token, the number of words of dead that follow, these, then acknowledged; cut into
// packets of whole words, all full but the last. Thread safety: as its owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "resilience/agreement.hpp"

namespace starling::resilience {

/// At least one, each of at most max_bytes, which are at least 8.
[[nodiscard]] std::vector<std::vector<std::byte>> packets_of(const Vote& vote, std::size_t max_bytes);

/// Puts the packets of one sender together again.
class VoteAssembly {
 public:
  /// The next packet; more: how many of its vote are still to come. The vote when that was the last.
  std::optional<Vote> add(std::span<const std::byte> packet, std::uint64_t more, std::int32_t members);

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace starling::resilience
