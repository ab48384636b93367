// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The locks of windows (rma/shared/): what the holder has written the next holder sees, and nobody sleeps before a lock
// that is free.
#include <vector>

#include "rma/shared/shared_lock.hpp"
#include "rma/shared/window_peers.hpp"
#include "weak_memory/node.hpp"

namespace starling::weak::window_locks_test {
namespace {

using rma::SharedLock;
using rma::WindowPeers;

struct Peer {
  Peer(Node& node, LocalRank rank, const std::vector<LocalRank>& all)
      : engine(*node.segment, rank, node.config), peers(engine, *node.segment, all) {}
  progress::Engine engine;
  WindowPeers peers;
};

struct Guarded {
  SharedLock lock;
  int value = 0;
};

/// writers add to a value, readers only look at it; all sleep while they wait.
Model holders(Node& node, std::uint32_t writers, std::uint32_t readers) {
  return [&node, writers, readers](Execution& execution) {
    node.share(execution);
    auto& guarded = execution.make<Guarded>();
    execution.share(guarded.value);
    execution.name(&guarded.lock.holders, "holders");
    execution.name(&guarded.lock.waiting, "waiting");
    std::vector<LocalRank> all;
    for (std::uint32_t rank = 0; rank < writers + readers; ++rank) all.emplace_back(rank);
    for (const LocalRank rank : all) {
      auto& peer = execution.make<Peer>(node, rank, all);
      if (rank.index() < writers) {
        execution.thread("writer", [&peer, &guarded] {
          peer.peers.take_exclusive(guarded.lock);
          ++guarded.value;
          peer.peers.drop_exclusive(guarded.lock);
        });
      } else {
        execution.thread("reader", [&peer, &guarded, writers] {
          peer.peers.take_shared(guarded.lock);
          require(guarded.value <= static_cast<int>(writers), "nobody writes meanwhile");
          peer.peers.drop_shared(guarded.lock);
        });
      }
    }
    execution.at_end([&guarded, writers] {
      require(guarded.value == static_cast<int>(writers), "no addition is lost");
      require(guarded.lock.holders.load() == 0 && guarded.lock.waiting.load() == 0, "the lock is free");
    });
  };
}

TEST(WindowLocks, LetOneWriterInAtATime) {
  Node node(2);
  expect_right(holders(node, 2, 0));
}

TEST(WindowLocks, KeepAWriterFromReaders) {
  Node node(2);
  expect_right(holders(node, 1, 1));
}

TEST(WindowLocks, WakeWhoWaitsWhereMembarrierIsRefused) {
  Node node(2);
  node.have_senders_fence();
  expect_right(holders(node, 2, 0), without_membarrier());
}

}  // namespace
}  // namespace starling::weak::window_locks_test
