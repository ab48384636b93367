// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce around late ranks in shared memory, as one schedule: those who are expected early combine their vectors
// (parts/scheduled_reduce.hpp), the first of them lays the sum into the shared buffer, those who are expected last add
// theirs to it in place, piece by piece, and all read each piece that the last has added to (parts/relay.hpp). So
// behind a late rank there is its own adding, and beside it the reading, which every allreduce has. Limits: one node,
// commutative operators, elements without gaps; only where it is known when ranks come. Cost: see parts/relay.hpp.
// Source: Proficz, Ocetkiewicz 2021, section 7, for the aim; Parsons, Pai 2015 for shared memory (see
// node/shared_buffer.hpp).
#include <algorithm>
#include <limits>
#include <vector>

#include "arrival/drive/reduce_plan.hpp"
#include "collective/arguments/prediction.hpp"
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/relay.hpp"
#include "collective/parts/scheduled_reduce.hpp"

namespace starling::collective {
namespace {

/// Who is expected so close to the last that the time between would not do for sending a vector, in order; at most half
/// of the ranks.
std::vector<std::int32_t> expected_last(const ArrivalPrediction& prediction) {
  const arrival::Ticks vector = prediction.slicing.round_length * prediction.slicing.segments;
  return arrival::last_ones(prediction.arrivals, vector, std::max<std::size_t>(1, prediction.arrivals.size() / 2));
}

}  // namespace

Task allreduce_clairvoyant_relay(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  const std::vector<std::int32_t> last = expected_last(*a.prediction);
  std::vector<std::int32_t> early;
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    if (std::find(last.begin(), last.end(), rank) == last.end()) early.push_back(rank);
  }
  std::vector<std::int32_t> writers;
  if (!early.empty()) writers.push_back(arrival::earliest(a.prediction->arrivals));
  writers.insert(writers.end(), last.begin(), last.end());
  const bool is_early = std::find(early.begin(), early.end(), call.rank()) != early.end();
  const bool combines = is_early && early.size() > 1;
  const ScheduledReduce among{writers.empty() ? 0 : writers.front(), a.receive_buffer, early};
  if (combines) co_await reduce_by_schedule(call, a, among);
  const bool has_sum = combines && call.rank() == writers.front();
  const RelayPart part{writers, has_sum ? a.receive_buffer : input(a), a.receive_buffer, a.receive_count,
                       *a.receive_type};
  co_await relay(call, turn.buffer(), part);
}

const Algorithm allreduce_clairvoyant_relay_algorithm = {
    Operation::kAllreduce,
    "clairvoyant_relay",
    kSharedBuffer | kCommutative | kDense | kPredicted | kByArrival,
    Order::kAny,
    &allreduce_clairvoyant_relay,
    [](const Shape& shape, const Machine& machine) {
      return relay_cost(shape, machine) + (shape.late ? 0 : clairvoyant_cost(shape, machine));
    },
    "line + m * (gamma + copy); the reduce clairvoyant before",
    [](const Shape& shape) {
      return shape.has_segments && shape.bytes > static_cast<std::int64_t>(Flag::kInline) &&
             shape.bytes <= std::numeric_limits<std::int32_t>::max();
    },
};

}  // namespace starling::collective
