// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallDigest: what a rank says of its collective call, so that the ranks of a communicator can see whether they make
// the same one (STARLING_CHECK=collective).
//
// Counts and datatypes are compared by the hash of their type signature, where the operation asks for the same on all
// ranks; where it asks for it pair by pair (the v and w forms, neighbours) the receiver of each message looks.
// Layout: sent as bytes between ranks of one machine. Thread safety: pure. Source: MPI-5.0, 6.14.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "base/status.hpp"
#include "collective/arguments/arguments.hpp"

namespace starling::collective {

struct CallDigest {
  static constexpr std::int32_t kNoRoot = -1;
  static constexpr std::uint8_t kNoOp = 0xff;
  static constexpr std::uint8_t kUserOp = 0xfe;

  Operation operation = Operation::kBarrier;
  Form form = Form::kBlocking;
  std::uint8_t op = kNoOp;
  bool commutative = true;
  std::int32_t root = kNoRoot;
  std::int64_t bytes = 0;
  std::uint64_t signature = 0;

  static CallDigest of(const Arguments& arguments);

  /// "MPI_Ibcast(root 2, 40 bytes of the vector)".
  [[nodiscard]] std::string text() const;
};
static_assert(std::is_trivially_copyable_v<CallDigest> && sizeof(CallDigest) == 24);

/// Ok, or what a rank calls that does not go with what this rank calls. Every rank that compares the same digests finds
/// a difference or none does.
[[nodiscard]] Status compare(std::span<const CallDigest> digests, std::int32_t rank);

}  // namespace starling::collective
