// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a datatype names at a far target, as rows of stretches.
#include "rma/far/combs.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "datatype/pack/pack.hpp"
#include "rma/far/elements.hpp"

namespace starling::rma {
namespace {

using datatype::Basic;
using datatype::Datatype;

Ref<Datatype> committed(Datatype::Made made) {
  EXPECT_TRUE(made.ok());
  made.value()->commit();
  return std::move(made).value();
}

std::uint64_t number_of(const void* memory) { return reinterpret_cast<std::uint64_t>(memory); }

TEST(Combs, AreOneForAVectorHoweverLong) {
  const auto type = committed(Datatype::vector(1000, 2, 5, datatype::predefined(Basic::kInt)));
  const Place place{0, 0, 1, type.get()};
  CombList list(place, 64);
  const auto combs = list.next(8000);
  ASSERT_EQ(combs.size(), 1U);
  EXPECT_EQ(combs[0].address, 64U);
  EXPECT_EQ(combs[0].bytes, 8U);
  EXPECT_EQ(combs[0].stride, 20);
  EXPECT_EQ(combs[0].count, 1000U);
}

TEST(Combs, AreOneStretchForContiguousDataFromAnyPlaceOn) {
  const Place place{0, 0, 100, &datatype::predefined(Basic::kInt)};
  CombList list(place, 8);
  std::byte base{};
  EXPECT_EQ(one_stretch(list.next(40), number_of(&base)), &base + 8);
  EXPECT_EQ(one_stretch(list.next(360), number_of(&base)), &base + 48);
}

TEST(Combs, NameTheSameBytesInTheSameOrderAsTheTypeDoes) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](unsigned below) { return static_cast<std::int64_t>(random() % below); };
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> places;
    std::int64_t at = draw(5);
    for (std::int64_t block = 1 + draw(12); block > 0; --block) {
      lengths.push_back(draw(4));
      places.push_back(at);
      at += lengths.back() + draw(3);
    }
    const auto type = committed(Datatype::hindexed(lengths, places, datatype::predefined(Basic::kByte)));
    const std::int64_t count = 1 + draw(3);
    std::vector<std::byte> memory(static_cast<std::size_t>(3 * (type->true_ub() + 1) + 8));
    for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
    const std::int64_t total = count * type->size();
    std::vector<std::byte> packed(static_cast<std::size_t>(total));
    datatype::PackCursor(*type, memory.data(), count).pack(packed.data(), packed.size());
    const Place place{0, 0, count, type.get()};
    CombList list(place, 0);
    std::vector<std::byte> got(packed.size());
    for (std::int64_t position = 0; position < total;) {
      const std::int64_t bytes = std::min<std::int64_t>(1 + draw(9), total - position);
      gather(list.next(bytes), number_of(memory.data()), got.data() + position);
      position += bytes;
    }
    EXPECT_EQ(got, packed) << "seed " << seed;
  }
}

TEST(Combs, ScatterWhatTheyGather) {
  std::vector<int> memory(30, 7);
  const Comb combs[] = {{4, 8, 12, 3}, {80, 4, 0, 1}};
  const int data[] = {1, 2, 3, 4, 5, 6, 9};
  scatter(combs, number_of(memory.data()), reinterpret_cast<const std::byte*>(data));
  EXPECT_EQ(memory[0], 7);
  EXPECT_EQ(memory[1], 1);
  EXPECT_EQ(memory[2], 2);
  EXPECT_EQ(memory[3], 7);
  EXPECT_EQ(memory[8], 6);
  EXPECT_EQ(memory[20], 9);
  int back[7] = {};
  gather(combs, number_of(memory.data()), reinterpret_cast<std::byte*>(back));
  EXPECT_TRUE(std::equal(data, data + 7, back));
}

TEST(Combine, LeavesTheGapsOfPairsAlone) {
  struct Pair {
    short value;
    short gap;
    int index;
  };
  Pair memory[] = {{3, 77, 1}, {9, 78, 2}};
  const Place place{0, 0, 2, &datatype::predefined(Basic::kShortInt)};
  CombList list(place, 0);
  const Pair operands[] = {{5, 0, 4}, {6, 0, 5}};
  std::vector<std::byte> packed(12);
  datatype::PackCursor(*place.type, operands, 2).pack(packed.data(), packed.size());
  FarRequest request;
  request.op = datatype::PredefinedOp::kMaxloc;
  request.type = Basic::kShortInt;
  request.bytes = 12;
  combine(request, list.next(12), number_of(memory), packed.data());
  EXPECT_EQ(memory[0].value, 5);
  EXPECT_EQ(memory[0].index, 4);
  EXPECT_EQ(memory[0].gap, 77);
  EXPECT_EQ(memory[1].value, 9);
  EXPECT_EQ(memory[1].index, 2);
  EXPECT_EQ(memory[1].gap, 78);
}

}  // namespace
}  // namespace starling::rma
