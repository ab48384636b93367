// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a large job cost each process of it, and once a node: bytes that the allocator counts.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "bootstrap/environment.hpp"
#include "support/sanitized.hpp"
#include "transport/shm/geometry.hpp"
#include "world/world.hpp"

namespace starling::world {
namespace {

using bootstrap::JobCard;

constexpr std::size_t kRanksOnANode = 8;
constexpr std::int64_t kBudget = 256;  ///< for each rank of another node, once a node

std::int64_t allocated_bytes() {
  const struct mallinfo2 about = mallinfo2();
  return static_cast<std::int64_t>(about.uordblks + about.hblkhd);
}

/// A job of so many nodes as its first node finds it; nobody is on the others.
struct LargeJob {
  explicit LargeJob(std::size_t nodes) {
    card.job = 4711;
    for (std::size_t node = 0; node < nodes; ++node) {
      JobCard::Node& made = card.nodes.emplace_back();
      made.host = "compute-node-" + std::to_string(node);
      for (std::size_t local = 0; local < kRanksOnANode; ++local) {
        made.ranks.emplace_back(node * kRanksOnANode + local);
        made.app_numbers.push_back(0);
        card.entrances.push_back({});
        for (const char* net : {"10.1.", "192.168."}) {
          card.entrances.back().push_back({net + std::to_string(node / 250) + '.' + std::to_string(node % 250 + 1) +
                                               ':' + std::to_string(40000 + local),
                                           "eth0"});
        }
      }
    }
    card.listeners.resize(kRanksOnANode);
    memory::JobGeometry geometry = transport::shm::geometry(kRanksOnANode, config::Store());
    geometry.world_ranks = static_cast<std::uint32_t>(card.entrances.size());
    segment = memory::JobSegment::create(geometry).value();
    segment->header().usable_cores = 1;
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, event), 0);
  }
  ~LargeJob() {
    for (const int end : event) close(end);
  }

  /// What a process has allocated when it has become a rank of the job.
  std::int64_t bytes_of_a_process() {
    int answer[2];
    EXPECT_EQ(pipe(answer), 0);
    const Descriptor file = card.to_file().value();
    const pid_t child = fork();
    if (child == 0) {
      setenv(bootstrap::kSegmentVariable, std::to_string(segment->descriptor()).c_str(), 1);
      setenv(bootstrap::kEventVariable, std::to_string(event[0]).c_str(), 1);
      setenv(bootstrap::kRankVariable, "0", 1);
      setenv(bootstrap::kCardVariable, std::to_string(file.get()).c_str(), 1);
      const std::int64_t before = allocated_bytes();
      std::vector<std::string> warnings;
      const auto world = join_world({}, &warnings);
      const std::int64_t bytes = world.ok() ? allocated_bytes() - before : -1;
      _exit(write(answer[1], &bytes, sizeof bytes) == sizeof bytes ? 0 : 1);
    }
    std::int64_t bytes = -1;
    EXPECT_EQ(read(answer[0], &bytes, sizeof bytes), static_cast<ssize_t>(sizeof bytes));
    for (const int end : answer) close(end);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_GT(bytes, 0);
    return bytes;
  }

  [[nodiscard]] std::int64_t bytes_of_the_card() const {
    struct stat about {};
    EXPECT_EQ(fstat(card.to_file().value().get(), &about), 0);
    return about.st_size;
  }
  [[nodiscard]] std::int64_t ranks() const { return static_cast<std::int64_t>(card.entrances.size()); }

  JobCard card;
  std::unique_ptr<memory::JobSegment> segment;
  int event[2] = {-1, -1};
};

TEST(MemoryOfPeers, OfRanksOnOtherNodesIsSmallAndSharedByTheNode) {
  if (kUnderSanitizer) GTEST_SKIP() << "a sanitizer has its own allocator, which counts otherwise";
  LargeJob small(128);
  LargeJob large(640);
  const auto more_ranks = static_cast<double>(large.ranks() - small.ranks());
  const double in_a_process = static_cast<double>(large.bytes_of_a_process() - small.bytes_of_a_process()) / more_ranks;
  const double on_a_node = static_cast<double>(large.bytes_of_the_card() - small.bytes_of_the_card()) / more_ranks;
  RecordProperty("bytes_in_a_process", std::to_string(in_a_process));
  RecordProperty("bytes_on_a_node", std::to_string(on_a_node));
  EXPECT_LE(in_a_process * kRanksOnANode + on_a_node, kBudget);
}

}  // namespace
}  // namespace starling::world
