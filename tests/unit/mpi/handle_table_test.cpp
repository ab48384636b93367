// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/boundary/handle_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>

namespace starling::mpi {
namespace {

TEST(HandleTable, FindsWhatItKeeps) {
  HandleTable<int> table;
  const auto a = table.insert(7);
  const auto b = table.insert(8);
  ASSERT_NE(a, b);
  EXPECT_EQ(*table.find(a), 7);
  EXPECT_EQ(*table.find(b), 8);
  EXPECT_EQ(table.alive(), 2U);
}

TEST(HandleTable, GivesHandlesThatFitAnIntAndAreNotPredefined) {
  HandleTable<int> table;
  for (int index = 0; index < 1000; ++index) {
    const auto handle = table.insert(index);
    EXPECT_GE(handle, 0x1000U);
    EXPECT_LE(handle, static_cast<std::uintptr_t>(std::numeric_limits<int>::max()));
  }
}

TEST(HandleTable, NoticesAFreedHandleEvenAfterItsSlotIsUsedAgain) {
  HandleTable<int> table;
  const auto first = table.insert(1);
  table.erase(first);
  EXPECT_EQ(table.find(first), nullptr);
  const auto second = table.insert(2);
  EXPECT_NE(second, first);
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(*table.find(second), 2);
}

TEST(HandleTable, RefusesInventedHandles) {
  HandleTable<int> table;
  const auto handle = table.insert(1);
  for (std::uintptr_t invented : {std::uintptr_t{0}, std::uintptr_t{1}, std::uintptr_t{0x101}, handle + 1,
                                  handle | (std::uintptr_t{1} << 40), std::numeric_limits<std::uintptr_t>::max()}) {
    EXPECT_EQ(table.find(invented), nullptr) << invented;
  }
}

TEST(HandleTable, KeepsObjectsInTheirPlace) {
  HandleTable<int> table;
  const int* first = table.find(table.insert(0));
  for (int index = 1; index < 10000; ++index) static_cast<void>(table.insert(index));
  EXPECT_EQ(*first, 0);
}

TEST(HandleTable, ReleasesAnObjectWhenItsHandleDies) {
  HandleTable<std::shared_ptr<int>> table;
  auto object = std::make_shared<int>(3);
  const auto handle = table.insert(object);
  EXPECT_EQ(object.use_count(), 2);
  table.erase(handle);
  EXPECT_EQ(object.use_count(), 1);
}

TEST(HandleTable, VisitsEveryLivingObjectOnce) {
  HandleTable<int> table;
  std::set<std::uintptr_t> alive;
  for (int index = 0; index < 300; ++index) alive.insert(table.insert(index));
  for (auto handle = alive.begin(); handle != alive.end();) {
    if (*handle % 3 == 0) {
      table.erase(*handle);
      handle = alive.erase(handle);
    } else {
      ++handle;
    }
  }
  table.for_each([&](std::uintptr_t handle, int& /*object*/) { EXPECT_EQ(alive.erase(handle), 1U); });
  EXPECT_TRUE(alive.empty());
}

TEST(HandleTable, BehavesLikeAMapUnderRandomUse) {
  HandleTable<int> table;
  std::map<std::uintptr_t, int> model;
  std::set<std::uintptr_t> dead;
  std::mt19937 random(20261120);
  for (int step = 0; step < 20000; ++step) {
    if (model.empty() || random() % 5 < 3) {
      const int value = static_cast<int>(random());
      const auto handle = table.insert(value);
      EXPECT_TRUE(model.emplace(handle, value).second);
      dead.erase(handle);  // a handle comes back after 256 uses of its slot
    } else {
      const auto victim =
          std::next(model.begin(), static_cast<std::ptrdiff_t>(random() % std::min<std::size_t>(model.size(), 9)));
      table.erase(victim->first);
      dead.insert(victim->first);
      model.erase(victim);
    }
  }
  EXPECT_EQ(table.alive(), model.size());
  for (const auto& [handle, value] : model) EXPECT_EQ(*table.find(handle), value);
  for (std::uintptr_t handle : dead) EXPECT_EQ(table.find(handle), nullptr);
}

}  // namespace
}  // namespace starling::mpi
