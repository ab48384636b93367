// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The flags of collectives on one node (collective/node/shared_buffer.hpp): what a rank has posted is whole for whoever
// sees its stamp, and no flag and no segment is written while somebody may still read it, whoever runs ahead.
#include <cstring>
#include <vector>

#include "weak_memory/shared_ranks.hpp"

namespace starling::weak::shared_buffer_test {
namespace {

using collective::Flag;
using collective::Pace;
using collective::SharedBuffer;
using collective::SharedBufferLayout;

constexpr auto kShort = static_cast<std::int64_t>(sizeof(std::uint64_t));
// Of each rank's segments, 128 KiB, so many bytes take a half and a quarter. All of them begin where their place does.
constexpr std::int64_t kLong = 64 * 1024;
constexpr std::int64_t kMiddle = kLong / 2;

struct Rank : SharedRank {
  using SharedRank::SharedRank;

  /// As Writable.
  void await_writable(std::uint64_t k, std::int64_t bytes, Pace pace) const {
    const std::uint64_t depth = buffer->depth_to_write(k, bytes, pace);
    while (!buffer->writable(k, depth)) look_again();
  }
  void write(std::byte* to, std::uint64_t value) const { std::memcpy(to, &value, sizeof value); }
  [[nodiscard]] static std::uint64_t read(const std::byte* from) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  /// As allreduce_shared: each brings its step and its number, and takes the sum.
  void sum(std::int64_t bytes) const {
    const std::uint64_t k = buffer->next();
    await_writable(k, bytes, Pace::kTogether);
    write(buffer->data(number, k, bytes, Pace::kTogether), k + static_cast<std::uint64_t>(number));
    buffer->post(k, bytes);
    if (buffer->arrive(k)) {
      write(buffer->result(k, bytes), add(k, bytes));
      buffer->release(k);
    }
    while (!buffer->met(k)) look_again();
    const std::uint64_t found = buffer->oversubscribed() ? read(buffer->result(k, bytes)) : add(k, bytes);
    std::uint64_t expected = 0;
    for (std::int32_t i = 0; i < size; ++i) expected += k + static_cast<std::uint64_t>(i);
    require(found == expected, "the sum is that of the step");
    buffer->finish(k);
  }
  [[nodiscard]] std::uint64_t add(std::uint64_t k, std::int64_t bytes) const {
    std::uint64_t total = 0;
    for (std::int32_t i = 0; i < size; ++i) total += read(buffer->data(i, k, bytes, Pace::kTogether));
    return total;
  }
  /// As bcast_in_buffer, from rank 0.
  void give(std::int64_t bytes) const {
    const std::uint64_t k = buffer->next();
    await_writable(k, bytes, Pace::kAhead);
    write(buffer->data(0, k, bytes, Pace::kAhead), k);
    buffer->post(k, bytes);
    buffer->ring_all();
    buffer->finish(k);
  }
  void take(std::int64_t bytes) const {
    const std::uint64_t k = buffer->next();
    while (!buffer->posted(0, k)) look_again();
    buffer->saw_posted(1, k);
    require(buffer->flag(0, k).bytes == bytes, "the size is that of the step");
    require(read(buffer->data(0, k, bytes, Pace::kAhead)) == k, "the data are those of the step");
    buffer->finish(k);
  }
};

std::vector<Rank*> ranks_of(Execution& execution, Node& node, std::int32_t ranks) {
  node.share(execution);
  std::vector<Rank*> made;
  for (std::int32_t i = 0; i < ranks; ++i) made.push_back(&execution.make<Rank>(node, i, ranks));
  SharedBuffer& shared = *made.front()->buffer;
  const auto name_flag = [&](Flag& flag, const char* name) {
    execution.share(flag);
    execution.name(&flag.stamp, name);
  };
  for (std::uint64_t k = 0; k < shared.flag_depth(); ++k) {
    for (std::int32_t i = 0; i < ranks; ++i) name_flag(shared.flag(i, k), "stamp");
    name_flag(shared.result_flag(k), "stamp of the result");
    execution.name(reinterpret_cast<std::byte*>(&shared.result_flag(k)) - 2 * kCacheLine, "arrived");
  }
  for (std::int32_t i = 0; i < ranks; ++i) {
    execution.name(reinterpret_cast<std::byte*>(&shared.flag(i, 0)) + shared.flag_depth() * sizeof(Flag), "finished");
    for (std::uint64_t k = 0; k < shared.flag_depth(); ++k) execution.share(shared.data(i, k, kMiddle), kShort);
  }
  for (std::uint64_t k = 0; k < SharedBufferLayout::segments_for(shared.flag_depth()); ++k)
    execution.share(shared.result_segment(k), kShort);
  return made;
}

Model sums(Node& node, std::int32_t ranks, int steps, std::int64_t bytes) {
  return [&node, ranks, steps, bytes](Execution& execution) {
    for (const Rank* rank : ranks_of(execution, node, ranks)) {
      execution.thread("rank", [rank, steps, bytes] {
        for (int i = 0; i < steps; ++i) rank->sum(bytes);
      });
    }
  };
}

/// Of so many bytes in each step.
Model broadcasts(Node& node, std::int32_t ranks, const std::vector<std::int64_t>& sizes) {
  return [&node, ranks, sizes](Execution& execution) {
    for (const Rank* rank : ranks_of(execution, node, ranks)) {
      execution.thread(rank->number == 0 ? "root" : "rank", [rank, sizes] {
        for (const std::int64_t bytes : sizes) rank->number == 0 ? rank->give(bytes) : rank->take(bytes);
      });
    }
  };
}

TEST(SharedFlags, CarryContributionsOfAllToAll) {
  Node node(2);
  expect_right(sums(node, 2, 2, kShort));
}

TEST(SharedFlags, CarryContributionsInSegmentsThatAreUsedAgain) {
  Node node(2);
  expect_right(sums(node, 2, 3, kLong));
}

TEST(SharedFlags, CarryContributionsWhereRanksAreCounted) {
  Node node(2);
  node.segment->header().usable_cores = 1;
  expect_right(sums(node, 2, 2, kShort));
}

TEST(SharedFlags, AreNotWrittenAgainBeforeTheSlowestHasRead) {
  Node node(2);
  expect_right(broadcasts(node, 2, {kShort, kShort, kShort, kShort, kShort}));
}

TEST(SharedFlags, LetARootRunAheadBySegments) {
  Node node(2);
  expect_right(broadcasts(node, 2, {kLong, kLong, kLong}));
}

TEST(SharedFlags, LetARootRunAheadByPartsOfSegments) {
  Node node(2);
  node.segment->header().usable_cores = 1;  // segments are parted where ranks share cores
  expect_right(broadcasts(node, 2, {kMiddle, kMiddle, kMiddle, kMiddle, kMiddle}));
}

// The place of step 2 is that of the other size in the next step, or in the step before.
TEST(SharedFlags, KeepPlacesOfAnotherSizeUntilTheSlowestHasRead) {
  for (const std::vector<std::int64_t>& sizes : {std::vector{kMiddle, kMiddle, kLong}, std::vector{kLong, kMiddle}}) {
    Node node(2);
    node.segment->header().usable_cores = 1;
    expect_right(broadcasts(node, 2, sizes));
  }
}

}  // namespace
}  // namespace starling::weak::shared_buffer_test
