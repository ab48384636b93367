// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/view/view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <span>
#include <vector>

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
  return committed(Datatype::resized(*repeated, 0, number(-100, 900)));
}

/// Where the bytes of the first tiles lie, found element by element.
std::vector<std::int64_t> bytes_of(const Datatype& type, std::int64_t displacement, std::int64_t tiles) {
  std::vector<std::int64_t> bytes;
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    datatype::PackCursor cursor(type, nullptr, 1);
    while (!cursor.done()) {
      datatype::MemoryRun run{};
      cursor.next_runs({&run, 1}, 1);
      bytes.push_back(displacement + offset_in(run) + tile * type.extent());
    }
  }
  return bytes;
}

bool ascend(std::span<const std::int64_t> bytes) {
  return std::adjacent_find(bytes.begin(), bytes.end(), std::greater_equal<>()) == bytes.end();
}

/// Calls body(view, type, bytes) with random views and what they show in three tiles.
void on_random_views(const std::function<void(const View&, const Datatype&, std::span<const std::int64_t>)>& body) {
  constexpr std::int64_t kDisplacement = 5000;
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    const TypeRef type = random_type(random);
    if (type->size() == 0) continue;
    Result<ViewRef> view = View::create(kDisplacement, byte_type(), type, predefined_datarep("native"));
    if (view.ok()) body(*view.value(), *type, bytes_of(*type, kDisplacement, 3));
  }
}

TEST(View, TilesAFiletypeFromItsDisplacementOn) {
  const ViewRef view =
      view_of(10, committed(Datatype::resized(*committed(Datatype::contiguous(3, datatype::byte_type())), 0, 8)));
  EXPECT_FALSE(view->overlaps());
  EXPECT_TRUE(view->ascends(0, 1'000'000));
  EXPECT_EQ(view->offset_of(0), 10);
  EXPECT_EQ(view->offset_of(2), 12);
  EXPECT_EQ(view->offset_of(3), 18);
  EXPECT_EQ(view->offset_of(3'000'000'001), 10 + std::int64_t{1'000'000'000} * 8 + 1);
  EXPECT_EQ(view->etypes_before(0), 0);
  EXPECT_EQ(view->etypes_before(11), 1);
  EXPECT_EQ(view->etypes_before(15), 3);
  EXPECT_EQ(view->etypes_before(19), 4);
}

TEST(View, ShowsTheBytesOfItsTilesInOrder) {
  int looked_at = 0;
  on_random_views([&](const View& view, const Datatype& type, std::span<const std::int64_t> bytes) {
    const auto count = static_cast<std::int64_t>(bytes.size());
    ASSERT_EQ(count, 3 * type.size());
    // A view whose tiles go back has as many as lie in the file.
    for (std::int64_t position = 0; position < std::min(count, view.end()); ++position) {
      ASSERT_EQ(view.offset_of(position), bytes[static_cast<std::size_t>(position)]);
    }
    ++looked_at;
  });
  EXPECT_GT(looked_at, 300);
}

TEST(View, KnowsWhichAccessesAscendAndWhereTheyLie) {
  int ascending = 0;
  int within_a_tile = 0;
  on_random_views([&](const View& view, const Datatype& type, std::span<const std::int64_t> bytes) {
    const std::int64_t shown = std::min(static_cast<std::int64_t>(bytes.size()), view.end());
    for (std::int64_t position = 0; position < shown; position += 7) {
      for (std::int64_t length = 1; position + length <= shown; length += 5) {
        const auto accessed = bytes.subspan(static_cast<std::size_t>(position), static_cast<std::size_t>(length));
        const auto [low, high] = std::minmax_element(accessed.begin(), accessed.end());
        const FileRange range = view.range(position, length);
        ASSERT_TRUE(range.first <= *low && *high < range.end);
        // What does not ascend is never taken for it; the other way round it is only slower.
        if (!view.ascends(position, length)) continue;
        ASSERT_TRUE(ascend(accessed));
        ASSERT_TRUE(range.first == *low && *high + 1 == range.end);
        ++ascending;
        within_a_tile += type.extent() < type.true_ub() - type.true_lb() ? 1 : 0;
        for (const std::int64_t offset : {*low, *low + 1, (*low + *high) / 2, *high, *high + 1}) {
          const auto first = std::lower_bound(accessed.begin(), accessed.end(), offset);
          ASSERT_EQ(view.first_behind(offset, position, length), position + (first - accessed.begin()));
        }
      }
    }
  });
  EXPECT_GT(ascending, 1000);
  EXPECT_GT(within_a_tile, 1000);
}

TEST(View, JudgesAFiletypeByItself) {
  std::mt19937 random(11);
  int good = 0;
  int overlapping = 0;
  for (int round = 0; round < 1000; ++round) {
    const TypeRef type = random_type(random);
    if (type->size() == 0) continue;
    const std::vector<std::int64_t> bytes = bytes_of(*type, 5000, 1);
    std::vector<std::int64_t> entries;
    for (std::size_t i = 0; i < bytes.size(); i += 2) entries.push_back(bytes[i]);
    Result<ViewRef> view = View::create(5000, byte_type(), type, predefined_datarep("native"));
    ASSERT_EQ(view.ok(), std::is_sorted(entries.begin(), entries.end()) && bytes.front() >= 0);
    if (!view.ok()) continue;
    ASSERT_EQ(view.value()->overlaps(), !ascend(bytes));
    good += ascend(bytes) ? 1 : 0;
    overlapping += ascend(bytes) ? 0 : 1;
  }
  EXPECT_GT(good, 200);
  EXPECT_GT(overlapping, 20);
}

TEST(View, FindsTheFirstEtypeBehindAnOffset) {
  on_random_views([&](const View& view, const Datatype& type, std::span<const std::int64_t> bytes) {
    if (view.overlaps() || type.extent() <= 0) return;
    for (std::int64_t offset = bytes.front(); offset <= bytes[bytes.size() / 3]; offset += 3) {
      const auto first = std::find_if(bytes.begin(), bytes.end(), [&](std::int64_t byte) { return byte >= offset; });
      ASSERT_EQ(view.etypes_before(offset), first - bytes.begin());
    }
  });
}

TEST(View, RefusesWhatIsNone) {
  const DatarepRef native = predefined_datarep("native");
  const TypeRef three = committed(Datatype::contiguous(3, datatype::byte_type()));
  EXPECT_EQ(View::create(-1, byte_type(), byte_type(), native).status().error_class(), ErrorClass::kArg);
  EXPECT_EQ(View::create(0, three, byte_type(), native).status().error_class(), ErrorClass::kArg);
  const TypeRef back = committed(Datatype::hvector(2, 1, -4, *three));
  EXPECT_EQ(View::create(4, byte_type(), back, native).status().error_class(), ErrorClass::kArg);
  const ViewRef nothing = view_of(0, committed(Datatype::contiguous(0, datatype::predefined(datatype::Basic::kInt))));
  EXPECT_EQ(nothing->end(), 0);
  EXPECT_EQ(nothing->etypes_before(100), 0);
}

}  // namespace
}  // namespace starling::io
