// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/packet_counts.hpp"

#include <gtest/gtest.h>

#include <array>

namespace starling::observe {
namespace {

constexpr std::uint32_t kHere = 2;
constexpr std::uint32_t kWorld = 4;

struct Table {
  alignas(64) std::array<std::byte, PacketTable::bytes(kHere, kWorld)> memory{};
  PacketTable table{memory.data(), kHere, kWorld};
};

TEST(PacketCounts, AddWhatAllRanksOfTheNodeGive) {
  Table node;
  node.table.of(LocalRank(0)).gives(WorldRank(3));
  node.table.of(LocalRank(1)).gives(WorldRank(3));
  node.table.of(LocalRank(1)).gives(WorldRank(3));
  node.table.of(LocalRank(1)).gives(WorldRank(2));
  EXPECT_EQ(node.table.given(WorldRank(3)), 3U);
  EXPECT_EQ(node.table.given(WorldRank(2)), 1U);
  node.table.of(LocalRank(1)).takes();
  EXPECT_EQ(node.table.taken(LocalRank(0)), 0U);
  EXPECT_EQ(node.table.taken(LocalRank(1)), 1U);
}

TEST(PacketCounts, CountAPacketThatFindsNoRoomOnce) {
  Table node;
  PacketCounts counts = node.table.of(LocalRank(0));
  counts.gives(WorldRank(2));
  counts.is_refused(WorldRank(2));
  counts.is_refused(WorldRank(2));
  EXPECT_EQ(node.table.given(WorldRank(2)), 2U);
  counts.gives(WorldRank(2));
  EXPECT_EQ(node.table.given(WorldRank(2)), 2U) << "the same packet";
  counts.gives(WorldRank(2));
  EXPECT_EQ(node.table.given(WorldRank(2)), 3U);
}

TEST(PacketCounts, GoOnBehindTheLargestNumber) {
  Table node;
  auto* const word = reinterpret_cast<PacketCount*>(node.memory.data()) + 2;
  PacketCounts counts = node.table.of(LocalRank(0));
  *word = UINT32_MAX - 1;
  EXPECT_EQ(node.table.given(WorldRank(2)), PacketTable::kModulus - 1);
  counts.is_refused(WorldRank(2));
  EXPECT_EQ(node.table.given(WorldRank(2)), 0U);
  counts.gives(WorldRank(2));
  EXPECT_EQ(node.table.given(WorldRank(2)), 0U);
}

TEST(PacketCounts, AreNotKeptOnOneNode) {
  EXPECT_EQ(PacketTable::bytes(4, 4), 0U);
  const PacketTable table(nullptr, 4, 4);
  EXPECT_TRUE(table.empty());
  table.of(LocalRank(0)).gives(WorldRank(1));
  EXPECT_EQ(table.given(WorldRank(1)), 0U);
}

}  // namespace
}  // namespace starling::observe
