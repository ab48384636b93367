// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "datatype/types/datatype.hpp"

namespace starling::datatype::test {
namespace {

using Numbers = std::vector<std::int64_t>;
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

const Datatype& integer() { return predefined(Basic::kInt); }

Ref<Datatype> get(Datatype::Made made) {
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made.ok() ? std::move(made).value() : Ref<Datatype>();
}

void expect_contents(const Datatype& type, Combiner combiner, const Numbers& integers, const Numbers& addresses,
                     const Numbers& large_counts) {
  const Contents& contents = type.contents();
  EXPECT_EQ(contents.combiner, combiner);
  EXPECT_EQ(contents.integers, integers);
  EXPECT_EQ(contents.addresses, addresses);
  EXPECT_EQ(contents.large_counts, large_counts);
}

TEST(Constructors, RecordWhatTheEnvelopeReports) {
  const Numbers lengths{1, 2};
  const Numbers places{0, 16};
  const std::array<const Datatype*, 2> types{&integer(), &predefined(Basic::kDouble)};
  expect_contents(*get(Datatype::contiguous(3, integer())), Combiner::kContiguous, {3}, {}, {});
  expect_contents(*get(Datatype::vector(3, 2, 5, integer())), Combiner::kVector, {3, 2, 5}, {}, {});
  expect_contents(*get(Datatype::hvector(3, 2, 50, integer())), Combiner::kHvector, {3, 2}, {50}, {});
  expect_contents(*get(Datatype::indexed(lengths, places, integer())), Combiner::kIndexed, {2, 1, 2, 0, 16}, {}, {});
  expect_contents(*get(Datatype::hindexed(lengths, places, integer())), Combiner::kHindexed, {2, 1, 2}, {0, 16}, {});
  expect_contents(*get(Datatype::indexed_block(4, places, integer())), Combiner::kIndexedBlock, {2, 4, 0, 16}, {}, {});
  expect_contents(*get(Datatype::hindexed_block(4, places, integer())), Combiner::kHindexedBlock, {2, 4}, {0, 16}, {});
  expect_contents(*get(Datatype::structure(lengths, places, types)), Combiner::kStruct, {2, 1, 2}, {0, 16}, {});
  expect_contents(*get(Datatype::resized(integer(), -4, 12)), Combiner::kResized, {}, {-4, 12}, {});
  expect_contents(*get(Datatype::dup(integer())), Combiner::kDup, {}, {}, {});
  expect_contents(*get(Datatype::subarray(Numbers{4, 5}, Numbers{2, 3}, Numbers{1, 2}, Order::kC, integer())),
                  Combiner::kSubarray, {2, 4, 5, 2, 3, 1, 2, 12}, {}, {});
}

TEST(Constructors, RecordLargeCountsApart) {
  const Numbers lengths{1, 2};
  const Numbers places{0, 16};
  const std::array<const Datatype*, 2> types{&integer(), &integer()};
  constexpr CountWidth kLarge = CountWidth::kLarge;
  expect_contents(*get(Datatype::contiguous(3, integer(), kLarge)), Combiner::kContiguous, {}, {}, {3});
  expect_contents(*get(Datatype::hvector(3, 2, 50, integer(), kLarge)), Combiner::kHvector, {}, {}, {3, 2, 50});
  expect_contents(*get(Datatype::structure(lengths, places, types, kLarge)), Combiner::kStruct, {}, {},
                  {2, 1, 2, 0, 16});
  expect_contents(*get(Datatype::hindexed_block(4, places, integer(), kLarge)), Combiner::kHindexedBlock, {}, {},
                  {2, 4, 0, 16});
  expect_contents(*get(Datatype::resized(integer(), -4, 12, kLarge)), Combiner::kResized, {}, {}, {-4, 12});
  expect_contents(*get(Datatype::subarray(Numbers{4}, Numbers{2}, Numbers{1}, Order::kFortran, integer(), kLarge)),
                  Combiner::kSubarray, {1, 15}, {}, {4, 2, 1});
}

TEST(Constructors, KeepTheirPartsAliveAndInOrder) {
  Ref<Datatype> part = get(Datatype::vector(2, 1, 3, integer()));
  const Datatype* address = part.get();
  Ref<Datatype> whole = get(Datatype::contiguous(2, *part));
  part = Ref<Datatype>();
  EXPECT_EQ(whole->contents().types.front().get(), address);
  EXPECT_EQ(whole->contents().types.front()->size(), 8);
}

TEST(Constructors, RefuseNegativeCounts) {
  const Numbers bad{1, -1};
  const Numbers places{0, 0};
  EXPECT_EQ(Datatype::contiguous(-1, integer()).status().error_class(), ErrorClass::kCount);
  EXPECT_EQ(Datatype::vector(-1, 1, 1, integer()).status().error_class(), ErrorClass::kCount);
  EXPECT_EQ(Datatype::hvector(-1, 1, 1, integer()).status().error_class(), ErrorClass::kCount);
  EXPECT_EQ(Datatype::vector(1, -1, 1, integer()).status().error_class(), ErrorClass::kArg);
  EXPECT_EQ(Datatype::indexed(bad, places, integer()).status().error_class(), ErrorClass::kArg);
  EXPECT_EQ(Datatype::hindexed(bad, places, integer()).status().error_class(), ErrorClass::kArg);
  EXPECT_EQ(Datatype::indexed_block(-1, places, integer()).status().error_class(), ErrorClass::kArg);
  EXPECT_NE(Datatype::indexed(bad, places, integer()).status().message().find("block length 1 is -1"),
            std::string::npos);
}

TEST(Constructors, RefuseWhatExceedsTheAddressSpace) {
  const Numbers one{1};
  EXPECT_FALSE(Datatype::contiguous(kHuge, integer()).ok());
  EXPECT_FALSE(Datatype::vector(kHuge, kHuge, 1, integer()).ok());
  EXPECT_FALSE(Datatype::vector(2, 1, kHuge, integer()).ok());
  EXPECT_FALSE(Datatype::hvector(3, 1, -kHuge, integer()).ok());
  EXPECT_FALSE(Datatype::indexed(one, Numbers{kHuge}, integer()).ok());
  EXPECT_FALSE(Datatype::hindexed(one, Numbers{kHuge - 1}, integer()).ok());
  EXPECT_FALSE(Datatype::resized(integer(), kHuge, kHuge).ok());
  EXPECT_FALSE(Datatype::subarray(Numbers{kHuge, 4}, Numbers{1, 1}, Numbers{0, 0}, Order::kC, integer()).ok());
  auto type = Ref<Datatype>::share(const_cast<Datatype*>(&integer()));
  for (int i = 0; i < 3; ++i) {
    Datatype::Made made = Datatype::contiguous(1 << 20, *type);
    if (!made.ok()) return;
    type = std::move(made).value();
  }
  EXPECT_FALSE(Datatype::contiguous(2, *type).ok());
}

TEST(Constructors, AcceptAnyStrideThatIsNeverTaken) {
  EXPECT_TRUE(Datatype::vector(1, 1, kHuge, integer()).ok());
  EXPECT_TRUE(Datatype::hvector(0, 5, kHuge, integer()).ok());
}

TEST(Constructors, RefuseEndlessNesting) {
  Ref<Datatype> type = get(Datatype::vector(2, 1, 2, integer()));
  int depth = 0;
  for (; depth < 5000; ++depth) {
    Datatype::Made made = Datatype::dup(*type);
    if (!made.ok()) {
      EXPECT_EQ(made.status().error_class(), ErrorClass::kType);
      break;
    }
    type = std::move(made).value();
  }
  EXPECT_LT(depth, 5000);
  type->commit();
  EXPECT_EQ(type->size(), 8);
}

TEST(Constructors, GiveEmptyTypesNoBounds) {
  for (const Ref<Datatype>& type : {get(Datatype::contiguous(0, integer())), get(Datatype::vector(0, 3, 2, integer())),
                                    get(Datatype::vector(3, 0, 2, integer())), get(Datatype::structure({}, {}, {})),
                                    get(Datatype::indexed(Numbers{0, 0}, Numbers{5, 9}, integer()))}) {
    type->commit();
    EXPECT_EQ(type->size(), 0);
    EXPECT_EQ(type->extent(), 0);
    EXPECT_EQ(type->true_extent(), 0);
    EXPECT_EQ(type->element_count(), 0);
  }
}

TEST(Constructors, RoundTheExtentOfAStructureUpToItsAlignment) {
  const std::array<const Datatype*, 2> types{&predefined(Basic::kDouble), &predefined(Basic::kChar)};
  const Ref<Datatype> type = get(Datatype::structure(Numbers{1, 1}, Numbers{0, 8}, types));
  EXPECT_EQ(type->size(), 9);
  EXPECT_EQ(type->true_extent(), 9);
  EXPECT_EQ(type->extent(), 16);
}

TEST(Constructors, LetMarkersOfResizedPartsWinOverData) {
  const Ref<Datatype> wide = get(Datatype::resized(integer(), -8, 32));
  const Ref<Datatype> pair = get(Datatype::contiguous(2, *wide));
  EXPECT_EQ(pair->lb(), -8);
  EXPECT_EQ(pair->extent(), 64);
  EXPECT_EQ(pair->true_lb(), 0);
  EXPECT_EQ(pair->true_extent(), 36);
  const Ref<Datatype> narrow = get(Datatype::resized(*pair, 0, 4));
  EXPECT_EQ(narrow->extent(), 4);
  EXPECT_EQ(narrow->true_extent(), 36);
}

TEST(Constructors, SeeThatDataAreContiguous) {
  EXPECT_TRUE(get(Datatype::contiguous(7, integer()))->is_contiguous());
  EXPECT_TRUE(get(Datatype::vector(3, 2, 2, integer()))->is_contiguous());
  EXPECT_TRUE(get(Datatype::hindexed(Numbers{1, 2}, Numbers{8, 12}, integer()))->is_contiguous());
  EXPECT_FALSE(get(Datatype::vector(3, 2, 3, integer()))->is_contiguous());
  EXPECT_FALSE(get(Datatype::indexed(Numbers{1, 1}, Numbers{1, 0}, integer()))->is_contiguous());
  EXPECT_FALSE(get(Datatype::resized(integer(), 0, 8))->is_contiguous());
}

TEST(Constructors, LetADuplicateShareTheCommittedState) {
  Ref<Datatype> type = get(Datatype::vector(2, 1, 3, integer()));
  EXPECT_FALSE(get(Datatype::dup(*type))->committed());
  type->commit();
  EXPECT_TRUE(get(Datatype::dup(*type))->committed());
}

TEST(Constructors, MakeUnnamedPredefinedTypes) {
  const Ref<Datatype> type = get(Datatype::f90(Combiner::kF90Real, Numbers{15, 300}, Basic::kReal8));
  EXPECT_TRUE(type->is_predefined());
  EXPECT_TRUE(type->committed());
  EXPECT_EQ(type->basic(), Basic::kReal8);
  expect_contents(*type, Combiner::kF90Real, {15, 300}, {}, {});
}

TEST(Constructors, GiveUserFunctionsAHandle) {
  const Ref<Datatype> type = get(Datatype::contiguous(2, integer()));
  EXPECT_EQ(type->user_handle(), type.get());
  int handle = 0;
  type->set_user_handle(&handle);
  EXPECT_EQ(type->user_handle(), &handle);
}

TEST(Signatures, DependOnTheSequenceAndNotOnTheNesting) {
  const std::array<const Datatype*, 2> types{&integer(), &predefined(Basic::kDouble)};
  const Ref<Datatype> structure = get(Datatype::structure(Numbers{1, 1}, Numbers{0, 8}, types));
  const std::array<const Datatype*, 4> flat{types[0], types[1], types[0], types[1]};
  const Ref<Datatype> twice = get(Datatype::structure(Numbers{1, 1, 1, 1}, Numbers{0, 8, 16, 24}, flat));
  const std::array<const Datatype*, 2> swapped{types[1], types[0]};
  const Ref<Datatype> other = get(Datatype::structure(Numbers{1, 1}, Numbers{0, 8}, swapped));
  EXPECT_EQ(structure->signature_hash(2), twice->signature_hash());
  EXPECT_EQ(structure->signature_hash(0), std::uint64_t{0});
  EXPECT_NE(structure->signature_hash(), other->signature_hash());
}

}  // namespace
}  // namespace starling::datatype::test
