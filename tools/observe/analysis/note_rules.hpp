// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// NoteRules: whether a job that does not get on shall be told of, unasked. A proven deadlock is, at once. What may only
// be slow is, once it has lasted: a job in which nothing completes, and ranks that others wait for. Each is told once,
// and of a rank or a job that is slow again and again, only when it takes twice as long as it did when it was told of.
//
// Thread safety: none. Times are those of one clock, in ns.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "observe/analysis/diagnosis.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::observe {

/// How long a state lasts before it is told of.
struct NoteTimes {
  std::int64_t still_ns = 10'000'000'000;  ///< nothing completes, or it looks like a deadlock
  std::int64_t late_ns = 60'000'000'000;   ///< others wait for a rank that does not wait; 0: never told of
};

/// Why a note is due.
enum class Occasion : std::uint8_t {
  kNone,
  kDeadlock,  ///< it is proven
  kStill,     ///< all ranks that are there wait in MPI and nothing completes, or ranks seem to wait for ever
  kLate,      ///< others wait for a rank that runs its own code, or tests for something that does not come
};

struct Judgement {
  Occasion occasion = Occasion::kNone;
  /// Where nothing changes until then, a later look may find a note due: after so long.
  std::optional<std::int64_t> again_ns;
};

class NoteRules {
 public:
  explicit NoteRules(const NoteTimes& times) : times_(times), next_still_ns_(times.still_ns) {}

  /// still_since_ns: since when all ranks that are there have been idle and nothing has completed; 0: they are not. A
  /// note that is due counts as given.
  [[nodiscard]] Judgement judge(const Snapshot& snapshot, const Diagnosis& diagnosis, std::int64_t now_ns,
                                std::int64_t still_since_ns);

 private:
  /// A rank in a state that lasts: with its number of steps.
  using State = std::pair<std::int32_t, std::uint64_t>;

  [[nodiscard]] bool are_new(const Snapshot& snapshot, const std::vector<std::int32_t>& ranks);
  [[nodiscard]] Judgement seems_for_ever(const Snapshot& snapshot, const Diagnosis& diagnosis, std::int64_t now_ns,
                                         std::int64_t still_since_ns);
  /// For how long the youngest of the states that the diagnosis names has lasted, as far as that is known.
  [[nodiscard]] std::int64_t lasted_ns(const Snapshot& snapshot, const Diagnosis& diagnosis, std::int64_t now_ns);
  [[nodiscard]] Judgement still(std::int64_t now_ns, std::int64_t still_since_ns);
  [[nodiscard]] Judgement late(const Snapshot& snapshot, const Diagnosis& diagnosis);

  NoteTimes times_;
  std::set<State> told_;  ///< of deadlocks, also of those that only seem to be
  /// Since when a rank has been seen in a state with others of which nobody knows since when they are in it.
  std::map<State, std::int64_t> seen_since_ns_;
  std::int64_t next_still_ns_;
  std::int64_t told_of_still_since_ns_ = 0;            ///< of which state that was, by its beginning
  std::map<std::int32_t, std::int64_t> next_late_ns_;  ///< by rank
  std::map<std::int32_t, std::uint64_t> late_told_;    ///< steps of a rank when it was told of
};

}  // namespace starling::observe
