// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The written form of a snapshot, in which a node tells others what its ranks do, and the merge of what several nodes
// tell. A part has the ranks of its node; the others are kElsewhere in it and are not written.
//
// Thread safety: pure functions. Invariants: what parse_snapshot() accepts keeps the invariants of Snapshot: its
// members are rising world ranks with a count each, all kinds are among the known ones, and it is no larger than a job
// of so many ranks makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::observe {

/// Communicators are left out where there are more, or their members are: they count as not known.
inline constexpr std::size_t kMostCommunicators = 512;
inline constexpr std::size_t kMostMembers = 4'000'000;

[[nodiscard]] std::string serialised(const Snapshot& snapshot);

/// ranks: how many the job has. kOther: damaged, or of another job.
[[nodiscard]] Result<Snapshot> parse_snapshot(std::string_view bytes, std::size_t ranks);

/// All that parts of one moment tell of a job of so many ranks. A rank that none of them has is kElsewhere.
[[nodiscard]] Snapshot merged(std::size_t ranks, const std::vector<Snapshot>& parts);

}  // namespace starling::observe
