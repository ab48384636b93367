// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "datatype/ascending.hpp"

namespace starling::io {
namespace {

using datatype::Datatype;

TypeRef byte_type() { return TypeRef::share(&datatype::byte_type()); }

TypeRef committed(Datatype::Made made) {
  EXPECT_TRUE(made.ok()) << made.status().message();
  made.value()->commit();
  return TypeRef(std::move(made).value());
}

ViewRef view_of(std::int64_t displacement, TypeRef filetype) {
  Result<ViewRef> view = View::create(displacement, byte_type(), std::move(filetype), predefined_datarep("native"));
  EXPECT_TRUE(view.ok()) << view.status().message();
  return std::move(view).value();
}

/// Blocks at random places, perhaps in order, repeated and spread by random amounts.
TypeRef random_type(std::mt19937& random) {
  const auto number = [&](int low, int high) {
    return std::int64_t{std::uniform_int_distribution<int>(low, high)(random)};
  };
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(number(1, 5)));
  std::vector<std::int64_t> places(lengths.size());
  for (std::int64_t& length : lengths) length = number(0, 4);
  for (std::int64_t& place : places) place = number(0, 40);
  if (number(0, 3) != 0) std::sort(places.begin(), places.end());
  const TypeRef blocks = committed(Datatype::hindexed(lengths, places, datatype::predefined(datatype::Basic::kShort)));
  const TypeRef repeated = committed(Datatype::hvector(number(1, 4), number(1, 2), number(-20, 200), *blocks));
  return committed(Datatype::resized(*repeated, 0, number(1, 900)));
}

TEST(View, TilesAFiletypeFromItsDisplacementOn) {
  const ViewRef view =
      view_of(10, committed(Datatype::resized(*committed(Datatype::contiguous(3, datatype::byte_type())), 0, 8)));
  EXPECT_TRUE(view->is_ascending());
  EXPECT_EQ(view->offset_of(0), 10);
  EXPECT_EQ(view->offset_of(2), 12);
  EXPECT_EQ(view->offset_of(3), 18);
  EXPECT_EQ(view->offset_of(3'000'000'001), 10 + std::int64_t{1'000'000'000} * 8 + 1);
  EXPECT_EQ(view->positions_before(0), 0);
  EXPECT_EQ(view->positions_before(11), 1);
  EXPECT_EQ(view->positions_before(15), 3);
  EXPECT_EQ(view->positions_before(19), 4);
}

TEST(View, FindsPositionsThatItHasGivenOffsetsFor) {
  std::mt19937 random(7);
  int looked_at = 0;
  for (int round = 0; round < 1000; ++round) {
    const TypeRef type = random_type(random);
    if (type->size() == 0) continue;
    Result<ViewRef> view = View::create(5000, byte_type(), type, predefined_datarep("native"));
    if (!view.ok() || !view.value()->is_ascending()) continue;
    ++looked_at;
    std::int64_t last = -1;
    for (std::int64_t position = 0; position < 3 * type->size(); ++position) {
      const std::int64_t offset = view.value()->offset_of(position);
      ASSERT_GT(offset, last);
      ASSERT_EQ(view.value()->positions_before(offset), position);
      ASSERT_EQ(view.value()->positions_before(offset + 1), position + 1);
      last = offset;
    }
  }
  EXPECT_GT(looked_at, 50);
}

TEST(View, TellsTypesThatAscendFromOthers) {
  std::mt19937 random(11);
  int ascending = 0;
  for (int round = 0; round < 1000; ++round) {
    const TypeRef type = random_type(random);
    if (type->size() == 0) continue;
    std::vector<std::int64_t> bytes;
    for (std::int64_t element = 0; element < 3; ++element) {
      datatype::PackCursor cursor(*type, nullptr, 1);
      while (!cursor.done()) {
        datatype::MemoryRun run{};
        cursor.next_runs({&run, 1}, 1);
        bytes.push_back(offset_in(run) + element * type->extent());
      }
    }
    const bool expected = std::adjacent_find(bytes.begin(), bytes.end(), std::greater_equal<>()) == bytes.end();
    ASSERT_EQ(datatype::is_ascending(*type), expected);
    ascending += expected ? 1 : 0;
  }
  EXPECT_GT(ascending, 50);
}

TEST(View, RefusesWhatIsNone) {
  const DatarepRef native = predefined_datarep("native");
  const TypeRef three = committed(Datatype::contiguous(3, datatype::byte_type()));
  EXPECT_EQ(View::create(-1, byte_type(), byte_type(), native).status().error_class(), ErrorClass::kArg);
  EXPECT_EQ(View::create(0, three, byte_type(), native).status().error_class(), ErrorClass::kArg);
  EXPECT_EQ(View::create(0, byte_type(), committed(Datatype::resized(*three, 0, 0)), native).status().error_class(),
            ErrorClass::kArg);
  const ViewRef nothing = view_of(0, committed(Datatype::contiguous(0, datatype::predefined(datatype::Basic::kInt))));
  EXPECT_EQ(nothing->end(), 0);
  EXPECT_EQ(nothing->positions_before(100), 0);
}

}  // namespace
}  // namespace starling::io
