// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction up the tree of bcast/postal.cpp, which is its mirror: a rank takes one contribution after the other, while
// the next ones are on their way. A subtree is a range of ranks and its result is combined behind that of the ranks
// before it, so operators that do not commute are applied in rank order; for them the tree hangs at rank 0, which
// passes the result on to the root. Limits: ranks on several nodes. Cost: t * (next + m * (beta + gamma)).
// Source: Bar-Noy, Kipnis, "Designing Broadcasting Algorithms in the Postal Model for Message-Passing Systems", 1992.
#include "collective/choose/list.hpp"
#include "collective/parts/over_tree.hpp"
#include "collective/parts/postal_tree.hpp"

namespace starling::collective {

Task reduce_postal(Call& call, const Arguments& a) {
  const std::int32_t top = top_of_reduce(a);
  return reduce_up(call, a, PostalTree(call, top, a.receive_count * a.receive_type->size(), PostalTree::Direction::kUp),
                   top);
}

const Algorithm reduce_postal_algorithm = {
    Operation::kReduce,
    "postal",
    kBetweenNodes,
    Order::kAny,
    &reduce_postal,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      const double cost = postal_up_cost(shape, machine, bytes * machine.reduce_byte_ns);
      return shape.commutative ? cost : cost + machine.messages(1, bytes, shape.ranks);
    },
    "t * (next + m * (beta + gamma)): t messages one after the other come from all",
};

}  // namespace starling::collective
