// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Random nested types against the naive typemap. A failure prints the seed; RandomType(seed) builds the type again.
#include "random_type.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "datatype/pack/pack.hpp"

namespace starling::datatype::test {
namespace {

constexpr std::uint32_t kSeeds = 1500;
constexpr int kDepth = 4;

template <typename Body>
void for_each_seed(Body body) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomType random(seed);
    const Modelled made = random.make(kDepth);
    const_cast<Datatype*>(made.type.get())->commit();
    body(random, *made.type, made.map);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(RandomTypes, HaveTheBoundsOfTheirTypemap) {
  for_each_seed([](RandomType&, const Datatype& type, const Typemap& map) {
    EXPECT_EQ(type.size(), map.size());
    EXPECT_EQ(type.lb(), map.lb());
    EXPECT_EQ(type.ub(), map.ub());
    EXPECT_EQ(type.true_lb(), map.true_lb());
    EXPECT_EQ(type.true_ub(), map.true_ub());
    EXPECT_EQ(type.element_count(), static_cast<std::int64_t>(map.entries().size()));
    EXPECT_EQ(type.signature_hash(), map.signature());
    if (type.size() != 0) {
      EXPECT_EQ(type.is_contiguous(), map.is_contiguous());
    }
  });
}

TEST(RandomTypes, CountElementsInAnyNumberOfBytes) {
  for_each_seed([](RandomType&, const Datatype& type, const Typemap& map) {
    for (std::int64_t bytes = 0; bytes <= std::min<std::int64_t>(2 * type.size() + 3, 400); ++bytes) {
      ASSERT_EQ(type.elements_in(bytes), map.elements_in(bytes)) << bytes << " bytes";
    }
  });
}

TEST(RandomTypes, PackInPiecesAsTheTypemapSays) {
  for_each_seed([](RandomType& random, const Datatype& type, const Typemap& map) {
    const std::int64_t count = random.number(0, 5);
    Buffer buffer(map, count);
    buffer.fill(7);
    const std::vector<std::byte> expected = map.pack(buffer.base(), count);
    std::vector<std::byte> packed(expected.size());
    PackCursor cursor(type, buffer.base(), count);
    ASSERT_EQ(cursor.total(), static_cast<std::int64_t>(expected.size()));
    while (!cursor.done()) {
      const auto at = static_cast<std::size_t>(cursor.position());
      const std::size_t piece = std::min(static_cast<std::size_t>(random.number(1, 70)), packed.size() - at);
      ASSERT_EQ(cursor.pack(packed.data() + at, piece), piece);
    }
    EXPECT_EQ(packed, expected);
    EXPECT_EQ(cursor.pack(packed.data(), 100), 0U);
  });
}

TEST(RandomTypes, PackFromAnyPosition) {
  for_each_seed([](RandomType& random, const Datatype& type, const Typemap& map) {
    const std::int64_t count = random.number(1, 3);
    Buffer buffer(map, count);
    buffer.fill(8);
    const std::vector<std::byte> expected = map.pack(buffer.base(), count);
    PackCursor cursor(type, buffer.base(), count);
    for (int i = 0; i < 20; ++i) {
      const std::int64_t position = random.number(0, cursor.total());
      std::vector<std::byte> rest(static_cast<std::size_t>(cursor.total() - position));
      cursor.seek(position);
      cursor.pack(rest.data(), rest.size() + 9);
      ASSERT_TRUE(std::equal(rest.begin(), rest.end(), expected.begin() + position)) << "from byte " << position;
    }
  });
}

TEST(RandomTypes, UnpackInPiecesAndLeaveGapsAlone) {
  int checked = 0;
  for_each_seed([&](RandomType& random, const Datatype& type, const Typemap& map) {
    const std::int64_t count = random.number(0, 5);
    if (map.overlaps(count)) return;
    if (type.size() * count > 100) ++checked;
    Buffer buffer(map, count);
    Buffer expected(map, count);
    buffer.fill(1);
    expected.fill(1);
    std::vector<std::byte> packed(static_cast<std::size_t>(map.size() * count));
    for (std::byte& byte : packed) byte = static_cast<std::byte>(random.number(0, 255));
    map.unpack(packed, expected.base(), count);
    UnpackCursor cursor(type, buffer.base(), count);
    while (!cursor.done()) {
      const auto at = static_cast<std::size_t>(cursor.position());
      const std::size_t piece = std::min(static_cast<std::size_t>(random.number(1, 70)), packed.size() - at);
      ASSERT_EQ(cursor.unpack(packed.data() + at, piece), piece);
    }
    EXPECT_EQ(buffer.bytes(), expected.bytes());
  });
  EXPECT_GT(checked, 100) << "too few of the random types can be received into";
}

TEST(RandomTypes, DescribeTheirMemoryAsRuns) {
  for_each_seed([](RandomType& random, const Datatype& type, const Typemap& map) {
    const std::int64_t count = random.number(0, 4);
    Buffer buffer(map, count);
    buffer.fill(3);
    const std::vector<std::byte> expected = map.pack(buffer.base(), count);
    std::vector<std::byte> gathered;
    PackCursor cursor(type, buffer.base(), count);
    while (!cursor.done()) {
      MemoryRun runs[4];
      const std::int64_t before = cursor.position();
      const std::int64_t limit = random.number(1, 200);
      const std::size_t filled = cursor.next_runs(runs, limit);
      ASSERT_GT(filled, 0U);
      for (std::size_t i = 0; i < filled; ++i)
        gathered.insert(gathered.end(), runs[i].data, runs[i].data + runs[i].bytes);
      ASSERT_EQ(cursor.position(), static_cast<std::int64_t>(gathered.size()));
      ASSERT_LE(cursor.position() - before, limit);
    }
    EXPECT_EQ(gathered, expected);
  });
}

TEST(RandomTypes, CopyToAnotherTypeOfTheSameSize) {
  for_each_seed([](RandomType& random, const Datatype& type, const Typemap& map) {
    const std::int64_t count = random.number(0, 3);
    Buffer source(map, count);
    source.fill(5);
    const std::vector<std::byte> packed = map.pack(source.base(), count);
    // Into a strided type of single bytes, and back to a second buffer.
    auto sparse = Datatype::hvector(1, 1, 0, predefined(Basic::kByte));
    auto spaced = Datatype::resized(*sparse.value(), 0, 3);
    spaced.value()->commit();
    std::vector<std::byte> middle(packed.size() * 3);
    const auto bytes = static_cast<std::int64_t>(packed.size());
    const auto out = copy(source.base(), count, type, middle.data(), bytes, *spaced.value());
    ASSERT_TRUE(out.ok());
    EXPECT_EQ(out.value(), bytes);
    for (std::size_t i = 0; i < packed.size(); ++i) ASSERT_EQ(middle[3 * i], packed[i]);
    if (map.overlaps(count)) return;
    Buffer back(map, count);
    Buffer expected(map, count);
    ASSERT_TRUE(copy(middle.data(), bytes, *spaced.value(), back.base(), count, type).ok());
    map.unpack(packed, expected.base(), count);
    EXPECT_EQ(back.bytes(), expected.bytes());
  });
}

}  // namespace
}  // namespace starling::datatype::test
