// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/methods/generate.hpp"

#include <array>
#include <string>

#include "arrival/methods/fast.hpp"
#include "arrival/methods/linear.hpp"
#include "arrival/methods/pairing_heaps.hpp"
#include "arrival/methods/segment_tree.hpp"
#include "base/format.hpp"

namespace starling::arrival {
namespace {

constexpr std::array kMethods = {
    Method{"linear", "the reference: looks at every segment and every process", run_linear},
    Method{"pairing_heaps", "one heap of free holders for each segment", run_pairing_heaps},
    Method{"segment_tree", "the paper's: a tree of logical sums over the processes' states", run_segment_tree},
    Method{"fast", "bit rows for senders, bit columns for segments; the one to use", run_fast},
};

}  // namespace

std::span<const Method> methods() { return kMethods; }

std::optional<Method> find_method(std::string_view name) {
  for (const Method& method : kMethods) {
    if (method.name == name) return method;
  }
  return std::nullopt;
}

const Method& reference_method() { return kMethods.front(); }
const Method& fastest_method() { return kMethods.back(); }

Result<Schedule> make_schedule(const Pattern& pattern, const Method& method) {
  STARLING_TRY(check(pattern));
  const std::size_t segments = static_cast<std::size_t>(pattern.segments);
  // Each segment leaves each process but the root once; a few come back to be sent again. And room for a round.
  // There are hardly more rounds with transfers than processes that come one after the other and what the last needs.
  WholeSchedule whole((pattern.arrivals.size() + 1) * segments + pattern.arrivals.size(),
                      pattern.arrivals.size() + 2 * segments);
  method.run(pattern, whole);
  return whole.release();
}

Result<std::vector<Step>> make_steps(const Pattern& pattern, int rank, const Method& method) {
  STARLING_TRY(check(pattern));
  if (rank < 0 || rank >= pattern.processes()) {
    return Status::error(ErrorClass::kRank, formatted("steps were asked for process {}, and the processes are 0 to {}",
                                                      rank, pattern.processes() - 1));
  }
  OwnSteps own(rank);
  method.run(pattern, own);
  return own.release();
}

}  // namespace starling::arrival
