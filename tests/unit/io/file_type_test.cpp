// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/view/file_type.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace starling::io {
namespace {

using datatype::Basic;
using datatype::Datatype;
using datatype::Order;

/// Ints have 3 bytes in the file, everything else 1.
class Odd final : public Datarep {
 public:
  Odd() : Datarep("odd") {}
  [[nodiscard]] bool is_native() const noexcept override { return false; }
  [[nodiscard]] Result<std::int64_t> file_bytes(const Datatype& type) const override {
    return std::int64_t{type.basic() == Basic::kInt ? 3 : 1};
  }
  Status to_file(const void*, std::int64_t, const Datatype&, std::byte*) const override { return {}; }
  Status from_file(const std::byte*, const Portion&, void*, const Datatype&) const override { return {}; }
};

TypeRef take(Datatype::Made made) {
  EXPECT_TRUE(made.ok()) << made.status().message();
  return TypeRef(std::move(made).value());
}

TypeRef in_file(const Datatype& type) {
  Result<TypeRef> made = file_type(type, Odd());
  EXPECT_TRUE(made.ok()) << made.status().message();
  return std::move(made).value();
}

const Datatype& int_type() { return datatype::predefined(Basic::kInt); }
const Datatype& char_type() { return datatype::predefined(Basic::kChar); }

TEST(FileType, DisplacementsInExtentsFollowTheWidth) {
  const TypeRef vector = in_file(*take(Datatype::vector(3, 2, 5, int_type())));
  EXPECT_EQ(vector->size(), 18);
  EXPECT_EQ(vector->extent(), (2 * 5 + 2) * 3);
  const std::vector<std::int64_t> lengths = {1, 2};
  const std::vector<std::int64_t> places = {4, 7};
  const TypeRef indexed = in_file(*take(Datatype::indexed(lengths, places, int_type())));
  EXPECT_EQ(indexed->true_lb(), 12);
  EXPECT_EQ(indexed->true_ub(), 27);
}

TEST(FileType, DisplacementsInBytesStay) {
  const TypeRef hvector = in_file(*take(Datatype::hvector(3, 2, 50, int_type())));
  EXPECT_EQ(hvector->true_ub(), 2 * 50 + 6);
  const std::vector<std::int64_t> lengths = {2, 1};
  const std::vector<std::int64_t> places = {0, 20};
  const std::vector<const Datatype*> types = {&int_type(), &char_type()};
  const TypeRef structure = in_file(*take(Datatype::structure(lengths, places, types)));
  EXPECT_EQ(structure->size(), 7);
  EXPECT_EQ(structure->extent(), 21);
}

TEST(FileType, ArraysAreAsWideAsTheirElements) {
  const std::vector<std::int64_t> sizes = {6, 10};
  const std::vector<std::int64_t> subsizes = {2, 3};
  const std::vector<std::int64_t> starts = {1, 4};
  for (const datatype::CountWidth width : {datatype::CountWidth::kInt, datatype::CountWidth::kLarge}) {
    const TypeRef subarray = in_file(*take(Datatype::subarray(sizes, subsizes, starts, Order::kC, int_type(), width)));
    EXPECT_EQ(subarray->size(), 18);
    EXPECT_EQ(subarray->extent(), 180);
    EXPECT_EQ(subarray->true_lb(), 14 * 3);
    const std::vector<std::int64_t> global = {8, 8};
    const std::vector<std::int64_t> block(2, static_cast<int>(datatype::Distribution::kBlock));
    const std::vector<std::int64_t> usual(2, datatype::kDefaultDistributionArgument);
    const std::vector<std::int64_t> grid = {2, 2};
    const TypeRef darray =
        in_file(*take(Datatype::darray({4, 3, global, block, usual, grid, Order::kC}, int_type(), width)));
    EXPECT_EQ(darray->size(), 16 * 3);
    EXPECT_EQ(darray->extent(), 64 * 3);
    EXPECT_EQ(darray->true_lb(), (4 * 8 + 4) * 3);
  }
}

TEST(FileType, ResizedBoundsAreTheUsers) {
  const TypeRef resized = in_file(*take(Datatype::resized(int_type(), 0, 16)));
  EXPECT_EQ(resized->size(), 3);
  EXPECT_EQ(resized->extent(), 16);
}

TEST(FileType, APortionCountsWholeValues) {
  const std::vector<std::int64_t> lengths = {2, 3};
  const std::vector<std::int64_t> places = {0, 8};
  const std::vector<const Datatype*> types = {&int_type(), &char_type()};
  const TypeRef structure = take(Datatype::structure(lengths, places, types));  // 9 bytes in the file
  const struct {
    std::int64_t file_bytes;
    Portion expected;
  } cases[] = {{0, {0, 0, 0}},  {2, {0, 0, 0}},  {3, {3, 1, 4}},    {5, {3, 1, 4}},    {6, {6, 2, 8}},
               {8, {8, 4, 10}}, {9, {9, 5, 11}}, {13, {12, 6, 15}}, {18, {18, 10, 22}}};
  for (const auto& [bytes, expected] : cases) {
    Result<Portion> found = portion(*structure, 2, bytes, Odd());
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value().file_bytes, expected.file_bytes) << bytes;
    EXPECT_EQ(found.value().values, expected.values) << bytes;
    EXPECT_EQ(found.value().memory_bytes, expected.memory_bytes) << bytes;
  }
}

}  // namespace
}  // namespace starling::io
