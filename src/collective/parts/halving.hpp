// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Recursive halving, the part that Rabenseifner's reduce and allreduce and reduce_scatter have in common.
//
// The largest power of two of ranks takes part: of the first 2 * extra ranks the odd ones also stand for their even
// neighbours, which hand their contribution over first. Participant i ends with part i of the result.
//
// Between nodes what goes in a step is cut into pieces: first what the receiver sends on in its next step, then what it
// sends on in the step after that, and so on. So a rank begins a step while the rest of the one before is on its way,
// and a long message, which asks its receiver for a place first, does so while others travel. The way back, from parts
// to whole vectors, is cut in the same places.
// Source: Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004. Limits: commutative operators.
// Thread safety: none; belongs to one coroutine.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/coroutine/task.hpp"

namespace starling::collective {

/// The ranks that take part when only a power of two of them can.
struct Folding {
  std::int32_t participants;  ///< a power of two
  std::int32_t extra;         ///< ranks beyond it

  static Folding of(std::int32_t ranks) noexcept {
    std::int32_t participants = 1;
    while (participants <= ranks / 2) participants *= 2;
    return {participants, ranks - participants};
  }
  static constexpr std::int32_t kNone = -1;
  [[nodiscard]] std::int32_t participant(std::int32_t rank) const noexcept {
    if (rank >= 2 * extra) return rank - extra;
    return rank % 2 == 0 ? kNone : rank / 2;
  }
  [[nodiscard]] std::int32_t rank(std::int32_t participant) const noexcept {
    return participant < extra ? 2 * participant + 1 : participant + extra;
  }
};

/// Combines `data` (the caller's contribution, overwritten) with everybody's. starts[i] is the first element of part i,
/// starts[participants] the end. Afterwards part i of participant i is the result; the rest is undefined.
Task reduce_halves(Call& call, void* data, const std::vector<std::int64_t>& starts, const datatype::Datatype& type);
/// The way back: part i of participant i -> all parts everywhere, also at the ranks that did not take part.
Task gather_halves(Call& call, void* data, const std::vector<std::int64_t>& starts, const datatype::Datatype& type);

// The terms of cost lines: halves, quarters and so on of a vector, of which the participants' own part never moves; and
// whole vectors that go to or come from the ranks that do not take part.
[[nodiscard]] double parts_moved(const Shape& shape) noexcept;
[[nodiscard]] double folded_cost(const Shape& shape, const Machine& machine) noexcept;
[[nodiscard]] double reduce_halves_cost(const Shape& shape, const Machine& machine) noexcept;
/// A rank's copy of its own vector, which halving overwrites.
[[nodiscard]] double copied_cost(const Shape& shape, const Machine& machine) noexcept;
/// Steps of a tree over the participants.
[[nodiscard]] double halving_steps(const Shape& shape) noexcept;

}  // namespace starling::collective
