// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The lock of a target handler (rma/shared/owned_lock.hpp): what its holder has written the next one sees, also where
// the holder has died, and of a dead rank's lock one rank becomes the holder.
#include "rma/shared/owned_lock.hpp"

#include "weak_memory/node.hpp"

namespace starling::weak::owned_lock_test {
namespace {

using rma::OwnedLock;

struct Guarded {
  OwnedLock lock;
  int value = 0;
  int mended = 0;
};

void take(Node& node, Guarded& guarded, LocalRank rank) {
  OwnedLock::Taken taken = OwnedLock::Taken::kNo;
  while ((taken = guarded.lock.try_take(rank, *node.segment)) == OwnedLock::Taken::kNo) look_again();
  if (taken == OwnedLock::Taken::kFromDead) ++guarded.mended;
  ++guarded.value;
}

/// So many ranks take the lock and drop it; where one dies, another takes it and dies.
Model takers(Node& node, std::int32_t living, bool one_dies) {
  return [&node, living, one_dies](Execution& execution) {
    node.share(execution);
    auto& guarded = execution.make<Guarded>();
    execution.share(guarded.value);
    execution.share(guarded.mended);
    execution.name(&guarded.lock.holder, "holder");
    for (std::int32_t rank = 0; rank < living; ++rank) {
      execution.thread("rank", [&node, &guarded, rank] {
        take(node, guarded, LocalRank(rank));
        guarded.lock.drop();
      });
    }
    if (one_dies) {
      memory::RankBlock& block = node.segment->rank(LocalRank(living));
      execution.name(&block.state, "state");
      execution.thread("dying", [&node, &guarded, &block, living] {
        take(node, guarded, LocalRank(living));
        block.state.store(memory::RankState::kDead, std::memory_order_release);  // as whoever finds out does
      });
    }
    const int all = living + (one_dies ? 1 : 0);
    execution.at_end([&guarded, all, one_dies] {
      require(guarded.value == all, "each has had the lock alone");
      require(guarded.mended <= (one_dies ? 1 : 0), "one at most takes it from the dead rank");
    });
  };
}

TEST(OwnedLocks, AreHeldByOneAtATime) {
  Node node(2);
  expect_right(takers(node, 2, false));
}

TEST(OwnedLocks, PassFromADeadRankToOne) {
  Node node(3);
  expect_right(takers(node, 2, true));
}

}  // namespace
}  // namespace starling::weak::owned_lock_test
