// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction up a binomial tree. A subtree is a range of ranks and its result is combined behind that of the ranks
// before it, so operators that do not commute are applied in rank order; for them the tree hangs at rank 0, which
// passes the result on to the root. Limits: none. Cost: ceil(log2 p) * (alpha + m * (beta + gamma)). Source: Thakur,
// Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.5.
#include "collective/choose/list.hpp"
#include "collective/parts/binomial_tree.hpp"
#include "collective/parts/over_tree.hpp"

namespace starling::collective {

Task reduce_binomial(Call& call, const Arguments& a) {
  const std::int32_t top = top_of_reduce(a);
  return reduce_up(call, a, BinomialTree(call, top), top);
}

const Algorithm reduce_binomial_algorithm = {
    Operation::kReduce,
    "binomial",
    kNothing,
    Order::kAny,
    &reduce_binomial,
    [](const Shape& shape, const Machine& machine) {
      const double steps = log2_ceil(shape.ranks) + (shape.commutative ? 0 : 1);
      const auto bytes = static_cast<double>(shape.bytes);
      return machine.messages(steps, bytes, shape.ranks) +
             steps * bytes * machine.reduce_byte_ns * machine.share(shape.ranks);
    },
    "log2(p) * (alpha + m * (beta + gamma))",
};

}  // namespace starling::collective
