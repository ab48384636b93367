// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/lazy_table.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "support/sanitized.hpp"

namespace starling {
namespace {

/// Tells when it goes.
struct Element {
  ~Element() {
    if (gone != nullptr) ++*gone;
  }
  int number = 0;
  int* gone = nullptr;
};

std::vector<int> numbers_of(const LazyTable<Element>& table) {
  std::vector<int> numbers;
  for (const auto& made : table.made()) numbers.push_back(made->number);
  return numbers;
}

TEST(LazyTable, HasNoElementBeforeItIsMade) {
  LazyTable<Element> table(3);
  EXPECT_EQ(table.size(), 3U);
  EXPECT_TRUE(table.made().empty());
  Element& made = table.make(1);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(1), &made);
  EXPECT_EQ(table.find(2), nullptr);
}

TEST(LazyTable, MayBeEmpty) {
  LazyTable<Element> table(0);
  EXPECT_EQ(table.size(), 0U);
  table.grow(1);
  EXPECT_EQ(table.find(0), nullptr);
}

TEST(LazyTable, ListsElementsInTheOrderInWhichTheyWereMade) {
  LazyTable<Element> table(8);
  for (const int number : {5, 0, 7}) table.make(static_cast<std::size_t>(number)).number = number;
  EXPECT_EQ(numbers_of(table), (std::vector<int>{5, 0, 7}));
  table.remove(0);
  EXPECT_EQ(numbers_of(table), (std::vector<int>{5, 7}));
}

TEST(LazyTable, RemovesAnElementAtOnceAndMakesANewOneThere) {
  int gone = 0;
  LazyTable<Element> table(2);
  table.make(1).gone = &gone;
  table.remove(1);
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(table.find(1), nullptr);
  table.remove(1);  // there is none
  EXPECT_EQ(table.make(1).gone, nullptr);
  EXPECT_EQ(table.made().size(), 1U);
}

TEST(LazyTable, KeepsElementsWhereTheyAreWhileItGrows) {
  LazyTable<Element> table(2);
  Element* const first = &table.make(0);
  table.grow(5000);
  EXPECT_EQ(table.size(), 5000U);
  EXPECT_EQ(table.find(0), first);
  for (std::size_t place = 1; place < table.size(); ++place) ASSERT_EQ(table.find(place), nullptr) << place;
  for (std::size_t place = 1; place < table.size(); ++place) table.make(place);
  EXPECT_EQ(table.find(0), first);
}

TEST(LazyTable, TakesItsElementsWithIt) {
  int gone = 0;
  {
    LazyTable<Element> table(4);
    for (const std::size_t place : {3U, 1U}) table.make(place).gone = &gone;
  }
  EXPECT_EQ(gone, 2);
}

/// Bytes of this process that are real memory and not shared.
std::int64_t resident_bytes() {
  long pages = 0;
  long resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  EXPECT_EQ(std::fscanf(file, "%ld %ld", &pages, &resident), 2);
  std::fclose(file);
  return std::int64_t{resident} * sysconf(_SC_PAGESIZE);
}

TEST(LazyTable, OfMillionsOfPlacesCostsNoMemoryBeforeTheyAreUsed) {
  if (kUnderSanitizer) GTEST_SKIP() << "a sanitizer notes in memory of its own what is in use";
  constexpr std::size_t kPlaces = 16 << 20;
  const std::int64_t before = resident_bytes();
  LazyTable<Element> table(kPlaces);
  table.make(kPlaces / 2);
  EXPECT_LT(resident_bytes() - before, std::int64_t{kPlaces});  // of eight times as much
}

}  // namespace
}  // namespace starling
