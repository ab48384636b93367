// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/pack/pack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "datatype/plan/plan.hpp"

namespace starling::datatype::test {
namespace {

using Numbers = std::vector<std::int64_t>;

const Datatype& int_type() { return predefined(Basic::kInt); }

Ref<Datatype> committed(Datatype::Made made) {
  EXPECT_TRUE(made.ok()) << made.status().message();
  if (!made.ok()) return {};
  made.value()->commit();
  return std::move(made).value();
}

std::size_t nodes_of(const PlanNode& node) {
  std::size_t total = 1 + node.runs.size() + node.offsets.size();
  for (const PlanPart& part : node.parts) total += nodes_of(*part.body);
  return total;
}

TEST(PackPlan, MovesContiguousRunsAtOnce) {
  std::array<int, 8> data{};
  const Ref<Datatype> type = committed(Datatype::hindexed(Numbers{2, 2}, Numbers{0, 8}, int_type()));
  PackCursor cursor(*type, data.data(), 2);
  EXPECT_TRUE(cursor.is_contiguous());
  EXPECT_EQ(cursor.memory(), reinterpret_cast<std::byte*>(data.data()));
  cursor.skip(5);
  EXPECT_EQ(cursor.memory(), reinterpret_cast<std::byte*>(data.data()) + 5);
}

TEST(PackPlan, TreatsOneElementWithPaddingAsContiguous) {
  const Ref<Datatype> type = committed(Datatype::resized(int_type(), 0, 64));
  std::array<int, 32> data{};
  EXPECT_TRUE(PackCursor(*type, data.data(), 1).is_contiguous());
  EXPECT_FALSE(PackCursor(*type, data.data(), 2).is_contiguous());
}

TEST(PackPlan, DoesNotGrowWithTheCountOfAVector) {
  const Ref<Datatype> column = committed(Datatype::vector(1'000'000'000, 1, 3, int_type()));
  EXPECT_EQ(nodes_of(column->plan()), 1U);
  const Ref<Datatype> wide = committed(Datatype::resized(*column, 0, 4));
  const Ref<Datatype> matrix = committed(Datatype::contiguous(1'000'000, *wide));
  EXPECT_LE(nodes_of(matrix->plan()), 4U);
}

TEST(PackPlan, DoesNotGrowWithPartsThatAreShared) {
  Ref<Datatype> type = committed(Datatype::indexed(Numbers{1, 2, 1, 2, 1, 1, 3, 1, 2, 1},
                                                   Numbers{0, 3, 9, 12, 20, 30, 33, 41, 43, 50}, int_type()));
  for (int level = 0; level < 8; ++level) {
    type = committed(Datatype::hindexed(Numbers{1, 1, 1, 1}, Numbers{0, 1 << 20, 5 << 20, 7 << 20}, *type));
  }
  EXPECT_EQ(type->element_count(), 15 * 65536);
  // Each level adds one node of its own; the tree below is one object that all four parts point to.
  EXPECT_EQ(type->plan().parts.front().body.get(), type->plan().parts.back().body.get());
}

TEST(PackPlan, TurnsARegularListIntoALoop) {
  const Ref<Datatype> type = committed(Datatype::indexed_block(1, Numbers{0, 2, 4, 6, 8}, int_type()));
  EXPECT_EQ(type->plan().form, PlanNode::Form::kBlocks);
  EXPECT_EQ(type->plan().count, 5);
}

TEST(PackPlan, IsCompiledOnceWhenSeveralThreadsCommit) {
  for (int round = 0; round < 50; ++round) {
    Datatype::Made made = Datatype::vector(9, 1, 2, int_type());
    ASSERT_TRUE(made.ok());
    const Ref<Datatype> type = std::move(made).value();
    std::array<const PlanNode*, 4> seen{};
    std::vector<std::thread> threads;
    for (const PlanNode*& plan : seen) {
      threads.emplace_back([&plan, shared = type] {
        shared->commit();
        plan = &shared->plan();
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const PlanNode* plan : seen) EXPECT_EQ(plan, seen.front());
    EXPECT_EQ(seen.front()->count, 9);
  }
}

TEST(PackCursor, MovesBlocksOfEveryShortLength) {
  constexpr std::int64_t kCount = 5;
  for (std::int64_t length = 1; length <= 200; ++length) {
    const std::int64_t stride = length + 3;
    const Ref<Datatype> type = committed(Datatype::hvector(kCount, length, stride, predefined(Basic::kByte)));
    std::vector<std::byte> source(static_cast<std::size_t>((kCount - 1) * stride + length));
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i % 251);
    std::vector<std::byte> packed(static_cast<std::size_t>(kCount * length));
    PackCursor(*type, source.data(), 1).pack(packed.data(), packed.size());
    std::vector<std::byte> target(source.size(), std::byte{0xFF});
    UnpackCursor(*type, target.data(), 1).unpack(packed.data(), packed.size());
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(source.size()); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool in_block = i % stride < length;
      if (in_block) {
        ASSERT_EQ(packed[static_cast<std::size_t>(i / stride * length + i % stride)], source[at]);
      }
      ASSERT_EQ(target[at], in_block ? source[at] : std::byte{0xFF}) << "length " << length << ", byte " << i;
    }
  }
}

TEST(PackCursor, PacksAMatrixTransposed) {
  constexpr int kRows = 7;
  constexpr int kColumns = 5;
  const Ref<Datatype> column = committed(Datatype::vector(kRows, 1, kColumns, int_type()));
  const Ref<Datatype> stepped = committed(Datatype::resized(*column, 0, sizeof(int)));
  std::array<int, kRows * kColumns> matrix{};
  std::iota(matrix.begin(), matrix.end(), 0);
  std::array<int, kRows * kColumns> transposed{};
  PackCursor(*stepped, matrix.data(), kColumns).pack(reinterpret_cast<std::byte*>(transposed.data()), 4096);
  for (int row = 0; row < kRows; ++row) {
    for (int column_index = 0; column_index < kColumns; ++column_index) {
      EXPECT_EQ(transposed[static_cast<std::size_t>(column_index * kRows + row)], row * kColumns + column_index);
    }
  }
}

TEST(PackCursor, UsesAbsoluteAddressesFromANullBase) {
  int value = 42;
  double other = 4.5;
  const Numbers places{static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&value)),
                       static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&other))};
  const std::array<const Datatype*, 2> types{&int_type(), &predefined(Basic::kDouble)};
  const Ref<Datatype> type = committed(Datatype::structure(Numbers{1, 1}, places, types));
  std::array<std::byte, 12> packed{};
  EXPECT_EQ(PackCursor(*type, nullptr, 1).pack(packed.data(), packed.size()), packed.size());
  EXPECT_EQ(std::memcmp(packed.data(), &value, 4), 0);
  EXPECT_EQ(std::memcmp(packed.data() + 4, &other, 8), 0);
}

TEST(PackCursor, HasNothingToDoForNoElements) {
  PackCursor cursor(predefined(Basic::kShortInt), nullptr, 0);
  EXPECT_TRUE(cursor.done());
  std::array<std::byte, 10> packed{};
  EXPECT_EQ(cursor.pack(packed.data(), packed.size()), 0U);
  std::array<MemoryRun, 1> runs{};
  EXPECT_EQ(cursor.next_runs(runs, 10), 0U);
}

TEST(PackedBytes, RefusesWhatDoesNotFit) {
  const Ref<Datatype> type = committed(Datatype::contiguous(1 << 20, int_type()));
  EXPECT_EQ(packed_bytes(3, *type).value(), 12 << 20);
  EXPECT_EQ(packed_bytes(-1, *type).status().error_class(), ErrorClass::kCount);
  EXPECT_EQ(packed_bytes(std::int64_t{1} << 50, *type).status().error_class(), ErrorClass::kCount);
  const Ref<Datatype> sparse = committed(Datatype::resized(int_type(), 0, std::int64_t{1} << 40));
  EXPECT_EQ(packed_bytes(std::int64_t{1} << 30, *sparse).status().error_class(), ErrorClass::kCount);
}

TEST(Copy, MovesContiguousDataAndReportsTheBytes) {
  const std::array<int, 4> from{1, 2, 3, 4};
  std::array<int, 6> to{};
  const auto moved = copy(from.data(), 4, int_type(), to.data(), 6, int_type());
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(moved.value(), 16);
  EXPECT_EQ(to, (std::array<int, 6>{1, 2, 3, 4, 0, 0}));
}

TEST(Copy, FillsATooSmallBufferAndSaysSo) {
  const std::array<int, 4> from{1, 2, 3, 4};
  std::array<int, 2> to{};
  const auto moved = copy(from.data(), 4, int_type(), to.data(), 2, int_type());
  EXPECT_EQ(moved.status().error_class(), ErrorClass::kTruncate);
  EXPECT_EQ(to, (std::array<int, 2>{1, 2}));
}

TEST(Copy, MovesMoreThanItsBufferBetweenStridedTypes) {
  constexpr int kCount = 10000;
  const Ref<Datatype> gap = committed(Datatype::resized(int_type(), 0, 12));
  const Ref<Datatype> reversed = committed(Datatype::vector(kCount, 1, -1, int_type()));
  std::vector<int> from(3 * kCount);
  std::iota(from.begin(), from.end(), 0);
  std::vector<int> to(kCount);
  ASSERT_TRUE(copy(from.data(), kCount, *gap, to.data() + kCount - 1, 1, *reversed).ok());
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(to[static_cast<std::size_t>(kCount - 1 - i)], 3 * i);
}

}  // namespace
}  // namespace starling::datatype::test
