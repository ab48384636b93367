// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Darray against the definition: which cells of the global array each process owns.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "datatype/pack/pack.hpp"

namespace starling::datatype::test {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr auto kNone = static_cast<std::int64_t>(Distribution::kNone);
constexpr auto kBlock = static_cast<std::int64_t>(Distribution::kBlock);
constexpr auto kCyclic = static_cast<std::int64_t>(Distribution::kCyclic);

struct Grid {
  Numbers sizes, distributions, arguments, processes;
  Order order = Order::kC;

  [[nodiscard]] std::int64_t ranks() const {
    std::int64_t product = 1;
    for (const std::int64_t p : processes) product *= p;
    return product;
  }
};

std::int64_t owner(const Grid& grid, std::size_t i, std::int64_t index) {
  const std::int64_t processes = grid.processes[i];
  const bool is_default = grid.arguments[i] == kDefaultDistributionArgument;
  if (grid.distributions[i] == kBlock) {
    return index / (is_default ? (grid.sizes[i] + processes - 1) / processes : grid.arguments[i]);
  }
  if (grid.distributions[i] == kCyclic) return index / (is_default ? 1 : grid.arguments[i]) % processes;
  return 0;
}

// The numbers of the cells that rank owns, in memory order.
std::vector<std::int32_t> owned(const Grid& grid, std::int64_t rank, std::int64_t cells) {
  std::vector<std::int32_t> mine;
  const std::size_t dimensions = grid.sizes.size();
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    Numbers owners(dimensions);
    std::int64_t rest = cell;
    for (std::size_t step = 0; step < dimensions; ++step) {
      const std::size_t i = grid.order == Order::kC ? dimensions - 1 - step : step;
      owners[i] = owner(grid, i, rest % grid.sizes[i]);
      rest /= grid.sizes[i];
    }
    std::int64_t owner_rank = 0;
    for (std::size_t i = 0; i < dimensions; ++i) owner_rank = owner_rank * grid.processes[i] + owners[i];
    if (owner_rank == rank) mine.push_back(static_cast<std::int32_t>(cell));
  }
  return mine;
}

void expect_dealt_as_defined(const Grid& grid) {
  std::int64_t cells = 1;
  for (const std::int64_t size : grid.sizes) cells *= size;
  std::vector<std::int32_t> array(static_cast<std::size_t>(cells));
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<std::int32_t>(i);
  for (std::int64_t rank = 0; rank < grid.ranks(); ++rank) {
    const Datatype::DarrayShape shape{grid.ranks(),   rank,           grid.sizes, grid.distributions,
                                      grid.arguments, grid.processes, grid.order};
    Datatype::Made made = Datatype::darray(shape, predefined(Basic::kInt32));
    ASSERT_TRUE(made.ok()) << made.status().message();
    Datatype& type = *made.value();
    type.commit();
    const std::vector<std::int32_t> expected = owned(grid, rank, cells);
    ASSERT_EQ(type.size(), static_cast<std::int64_t>(expected.size() * sizeof(std::int32_t)));
    EXPECT_EQ(type.extent(), cells * 4);
    EXPECT_EQ(type.lb(), 0);
    std::vector<std::int32_t> packed(expected.size());
    PackCursor(type, array.data(), 1).pack(reinterpret_cast<std::byte*>(packed.data()), packed.size() * 4);
    EXPECT_EQ(packed, expected);
  }
}

TEST(Darray, DealsRandomArraysAsDefined) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto number = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    Grid grid;
    grid.order = number(0, 1) != 0 ? Order::kC : Order::kFortran;
    for (std::int64_t dimensions = number(1, 3); dimensions > 0; --dimensions) {
      const std::int64_t size = number(1, 9);
      const std::int64_t kind = number(kNone, kCyclic);
      const std::int64_t processes = kind == kNone ? 1 : number(1, 4);
      const std::int64_t least = kind == kBlock ? (size + processes - 1) / processes : 1;
      grid.sizes.push_back(size);
      grid.distributions.push_back(kind);
      grid.processes.push_back(processes);
      grid.arguments.push_back(number(0, 1) != 0 ? kDefaultDistributionArgument : least + number(0, 3));
    }
    expect_dealt_as_defined(grid);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Darray, RefusesShapesThatDoNotFit) {
  const Numbers size{8};
  const Numbers two{2};
  const Numbers block{kBlock};
  const Numbers none{kNone};
  const Numbers standard{kDefaultDistributionArgument};
  const Numbers small{3};
  const Datatype& type = predefined(Basic::kInt);
  const auto refused = [&](const Datatype::DarrayShape& shape) {
    return Datatype::darray(shape, type).status().error_class() == ErrorClass::kArg;
  };
  EXPECT_TRUE(refused({2, 2, size, block, standard, two, Order::kC}));
  EXPECT_TRUE(refused({3, 0, size, block, standard, two, Order::kC}));
  EXPECT_TRUE(refused({2, 0, size, none, standard, two, Order::kC}));
  EXPECT_TRUE(refused({2, 0, size, block, small, two, Order::kC}));
  EXPECT_TRUE(refused({2, 0, size, block, standard, {}, Order::kC}));
  EXPECT_TRUE(refused({1, 0, {}, {}, {}, {}, Order::kC}));
  EXPECT_FALSE(refused({2, 1, size, block, standard, two, Order::kC}));
}

TEST(Subarray, RefusesRegionsOutsideTheArray) {
  const Datatype& type = predefined(Basic::kInt);
  const auto refused = [&](const Numbers& sizes, const Numbers& subsizes, const Numbers& starts) {
    return Datatype::subarray(sizes, subsizes, starts, Order::kC, type).status().error_class() == ErrorClass::kArg;
  };
  EXPECT_TRUE(refused({4}, {5}, {0}));
  EXPECT_TRUE(refused({4}, {2}, {3}));
  EXPECT_TRUE(refused({4}, {0}, {0}));
  EXPECT_TRUE(refused({4}, {1}, {-1}));
  EXPECT_TRUE(refused({0}, {0}, {0}));
  EXPECT_TRUE(refused({}, {}, {}));
  EXPECT_TRUE(refused({4, 4}, {1}, {0}));
  EXPECT_FALSE(refused({4}, {4}, {0}));
}

}  // namespace
}  // namespace starling::datatype::test
