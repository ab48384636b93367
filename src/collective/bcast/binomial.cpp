// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast down a binomial tree; the whole message at each step. Limits: none. Cost: ceil(log2 p) * (alpha + m *
// beta), and more where children share a link. Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective
// Communication Operations in MPICH", 2005, 4.2.
#include "collective/choose/list.hpp"
#include "collective/parts/binomial_tree.hpp"
#include "collective/parts/over_tree.hpp"

namespace starling::collective {

Task bcast_binomial(Call& call, const Arguments& a) { return bcast_down(call, a, BinomialTree(call, a.root)); }

const Algorithm bcast_binomial_algorithm = {
    Operation::kBcast,
    "binomial",
    kNothing,
    Order::kRanks,
    &bcast_binomial,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      const double steps = log2_ceil(shape.ranks);
      const double cost = machine.messages(steps, bytes, shape.ranks);
      if (shape.distance != tuning::Distance::kNetwork) return cost;
      // Messages to several children share the link of who sends them, so that they all end with the last.
      return cost + steps * (steps - 1) / 2 * bytes * machine.link_byte_ns();
    },
    "log2(p) * (alpha + m * beta); children share a link between nodes",
};

}  // namespace starling::collective
