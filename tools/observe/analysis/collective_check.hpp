// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Compares the collective calls of a communicator's members by their number: who has not come, and who has called
// something else. Both are mistakes of a program that make it hang.
// Thread safety: pure functions. Source: MPI-5.0, 6.1 (all members call the same collectives in the same order, with
// the same root, and with sizes that fit).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "observe/model/snapshot.hpp"

namespace starling::observe {

/// Names one collective operation of a job: the communicator, by its context and first member, and the number there.
struct CollectiveKey {
  std::uint32_t context = kWorldContext;
  std::int32_t first_member = 0;
  std::uint64_t sequence = 0;

  friend auto operator<=>(const CollectiveKey&, const CollectiveKey&) = default;
};

/// The key of a collective that this rank takes part in.
[[nodiscard]] CollectiveKey key_of(const Snapshot& snapshot, std::int32_t rank, std::uint32_t context,
                                   std::uint64_t sequence);

/// The collective for which a rank waits, or nothing: of several operations of one wait it is the first.
[[nodiscard]] std::optional<CollectiveKey> awaited_collective(const Snapshot& snapshot, std::int32_t rank);

/// The members of which it is known that they have not begun the collective.
[[nodiscard]] std::vector<std::int32_t> missing_members(const Snapshot& snapshot, const CollectiveKey& key);

/// The call with which the first of its ranks that is known to take part has begun it; empty: none is known.
[[nodiscard]] std::string call_of(const Snapshot& snapshot, const CollectiveKey& key);

/// Ranks that made one call of several that should be equal.
struct CallGroup {
  std::string call;
  std::int32_t root = -1;
  std::uint64_t bytes = 0;
  std::vector<std::int32_t> ranks;
};

/// Members of a communicator that have begun a collective of the same number with other arguments. One thing differs
/// between the groups: the call, else the root, else the bytes.
struct Mismatch {
  enum class What : std::uint8_t { kCall, kRoot, kBytes };
  What what = What::kCall;
  CollectiveKey key;
  std::vector<CallGroup> groups;  ///< the one with the lowest rank first
};

/// The mismatches in which somebody waits, in the order of their keys.
[[nodiscard]] std::vector<Mismatch> find_mismatches(const Snapshot& snapshot);

}  // namespace starling::observe
