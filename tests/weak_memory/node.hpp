// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Node: the job segment of a few ranks, whose threads a model runs. It is made once; what an execution changes there is
// undone behind it.
// Thread safety: none.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "memory/job_segment.hpp"
#include "transport/shm/geometry.hpp"
#include "weak_memory/explorer/explore.hpp"

namespace starling::weak {

using Settings = std::vector<std::pair<std::string, std::string>>;

class Node {
 public:
  explicit Node(std::uint32_t ranks, const Settings& settings = {}) {
    Settings all = {{"SHM_RING_SLOTS", "4"}, {"RMA_AGENT", "off"}, {"WAIT", "sleep"}};
    all.insert(all.end(), settings.begin(), settings.end());
    for (const auto& [name, value] : all) EXPECT_TRUE(config.set(name, value).ok()) << name;
    segment = memory::JobSegment::create(transport::shm::geometry(ranks, config)).value();
    segment->header().usable_cores = 2 * ranks;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) segment->rank(LocalRank(rank)).pid.store(getpid());
  }

  /// Has the model judge the header and the ranks' blocks, and calls the doorbells by their names. How many ranks are
  /// awake decides only how they wait, and nobody dies here.
  void share(Execution& execution) {
    execution.share(segment->header());
    execution.leave_out(&segment->header().awake);
    execution.leave_out(&segment->header().events);
    for (std::uint32_t rank = 0; rank < segment->ranks(); ++rank) {
      memory::RankBlock& block = segment->rank(LocalRank(rank));
      execution.share(block);
      execution.name(&block.doorbell.sleeping, "sleeping");
      execution.name(&block.doorbell.ticket, "ticket");
    }
  }
  /// The same of a connection.
  void share_connection(Execution& execution, LocalRank receiver, LocalRank sender) {
    const std::span<std::byte> bytes = segment->connection(receiver, sender);
    execution.share(bytes.data(), bytes.size());
    const transport::shm::ConnectionView parts = transport::shm::view(*segment, receiver, sender);
    execution.name(&parts.head->receiver.consumed, "consumed");
    for (std::uint32_t i = 0; i < segment->header().geometry.ring_slots; ++i) {
      execution.name(&parts.postboxes[i].sequence, "sequence");
    }
    for (transport::shm::CopyDescriptor& descriptor : std::span(parts.head->copy_descriptors)) {
      execution.name(&descriptor.state, "state");
      execution.name(&descriptor.claimed, "claimed");
      execution.name(&descriptor.copied, "copied");
    }
  }
  /// As on a machine whose kernel refuses membarrier, which the options of the exploration must say as well.
  void have_senders_fence() { segment->header().sender_fences = 1; }

  config::Store config;
  std::unique_ptr<memory::JobSegment> segment;
};

/// What unneeded.txt says of the running test: changes of memory orders that leave its model right.
inline std::vector<std::string> unneeded_orders() {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  const std::string head = std::string(test.test_suite_name()) + "." + test.name() + " | ";
  std::vector<std::string> changes;
  std::ifstream file(STARLING_UNNEEDED_ORDERS);
  EXPECT_TRUE(file) << STARLING_UNNEEDED_ORDERS;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(head))
      changes.push_back(line.substr(head.size(), line.find(" | ", head.size()) - head.size()));
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

/// A kernel that refuses membarrier, which Node::have_senders_fence tells the ranks.
inline Options without_membarrier() {
  Options options;
  options.membarrier = false;
  return options;
}

/// All executions are right, and with any order weakened some are not, but for those in unneeded.txt.
inline void expect_right(const Model& model, const Options& options = {}) {
  const Explored explored = explore(model, options);
  EXPECT_EQ(explored.wrong, "");
  std::cout << "  " << explored.executions << " executions, and " << explored.known << " left half-way\n";
  if (!explored.wrong.empty()) return;
  std::vector<std::string> found = survivors(model, explored.sites, options);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, unneeded_orders());
}

}  // namespace starling::weak
