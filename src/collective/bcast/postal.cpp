// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast down the tree that reaches everybody soonest, for a message takes longer to arrive than the next one to be
// sent (parts/postal_tree.hpp). Limits: ranks on several nodes. Cost: t * next, where t messages that follow each other
// reach everybody. Source: Bar-Noy, Kipnis, "Designing Broadcasting Algorithms in the Postal Model for Message-Passing
// Systems", 1992.
#include "collective/choose/list.hpp"
#include "collective/parts/over_tree.hpp"
#include "collective/parts/postal_tree.hpp"

namespace starling::collective {

Task bcast_postal(Call& call, const Arguments& a) {
  return bcast_down(call, a,
                    PostalTree(call, a.root, a.receive_count * a.receive_type->size(), PostalTree::Direction::kDown));
}

const Algorithm bcast_postal_algorithm = {
    Operation::kBcast,
    "postal",
    kBetweenNodes,
    Order::kRanks,
    &bcast_postal,
    &postal_down_cost,
    "t * (next + m * beta): t messages one after the other reach all",
};

}  // namespace starling::collective
