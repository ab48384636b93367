// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce as a reduce_scatter in shared memory and an allgather of the parts: by messages, which long parts cross in
// one copy, or through the segments. Source: Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004
// (the division of the work). Limits: one node, elements without gaps, long vectors. Cost: the sum.
#include <vector>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/spread.hpp"
#include "collective/reduce_scatter/shared.hpp"

namespace starling::collective {
namespace {

/// What an allreduce is while it is in parts: part i of the receive buffer belongs to rank i.
class Halfway {
 public:
  Halfway(Call& call, const Arguments& a)
      : own_(call, a.in_place ? a.receive_count : 0, *a.receive_type),
        spread_{static_cast<std::byte*>(a.receive_buffer), EqualParts{a.receive_count, call.size()},
                a.receive_type->size(), 0},
        scatter_(a) {
    if (!own_) return;
    if (a.in_place) call.copy(a.receive_buffer, own_.data(), a.receive_count, *a.receive_type);
    for (std::int32_t rank = 0; rank < call.size(); ++rank) counts_.push_back(spread_.parts.length(rank));
    scatter_.operation = Operation::kReduceScatter;
    scatter_.send_buffer = a.in_place ? own_.data() : a.send_buffer;
    scatter_.in_place = false;
    scatter_.receive_buffer = spread_.at(call.rank());
    scatter_.receive_counts = counts_.data();
  }
  Halfway(const Halfway&) = delete;
  Halfway& operator=(const Halfway&) = delete;

  /// False: memory was short.
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(own_); }
  [[nodiscard]] const Arguments& scatter() const noexcept { return scatter_; }
  [[nodiscard]] const Spread& spread() const noexcept { return spread_; }

 private:
  Scratch own_;  ///< in place: the contribution, over which the result comes
  Spread spread_;
  std::vector<std::int64_t> counts_;
  Arguments scatter_;
};

Task scatter_then_gather(Call& call, const Arguments& a, Phase gather) {
  const Halfway halfway(call, a);
  if (!halfway) co_return;
  co_await reduce_scatter_shared(call, halfway.scatter());
  co_await gather(call, halfway.spread());
}

}  // namespace

Task allreduce_shared_ring(Call& call, const Arguments& a) {
  co_await scatter_then_gather(call, a, &gather_around_ring);
}
Task allreduce_shared_doubling(Call& call, const Arguments& a) {
  co_await scatter_then_gather(call, a, &gather_by_doubling);
}
Task allreduce_shared_allgather(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  const Halfway halfway(call, a);
  if (!halfway) co_return;
  co_await reduce_scatter_in_buffer(call, halfway.scatter(), turn.buffer());
  co_await gather_in_buffer(call, halfway.spread(), turn.buffer());
}

const Algorithm allreduce_shared_ring_algorithm = {
    Operation::kAllreduce,
    "shared_ring",
    kSharedBuffer | kDense,
    Order::kRanks,
    &allreduce_shared_ring,
    &composed_cost<reduce_scatter_shared_algorithm, allgather_ring_algorithm>,
    "reduce_scatter shared + allgather ring",
    &composed_fits<reduce_scatter_shared_algorithm>,
};
const Algorithm allreduce_shared_doubling_algorithm = {
    Operation::kAllreduce,
    "shared_doubling",
    kSharedBuffer | kDense | kPowerOfTwo,
    Order::kRanks,
    &allreduce_shared_doubling,
    &composed_cost<reduce_scatter_shared_algorithm, allgather_recursive_doubling_algorithm>,
    "reduce_scatter shared + allgather recursive_doubling",
    &composed_fits<reduce_scatter_shared_algorithm>,
};
const Algorithm allreduce_shared_allgather_algorithm = {
    Operation::kAllreduce,
    "shared_allgather",
    kSharedBuffer | kDense,
    Order::kRanks,
    &allreduce_shared_allgather,
    &composed_cost<reduce_scatter_shared_algorithm, allgather_shared_algorithm>,
    "reduce_scatter shared + allgather shared",
    &composed_fits_in_buffer<reduce_scatter_shared_algorithm>,
};

}  // namespace starling::collective
