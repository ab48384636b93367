// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/communicator_directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <new>
#include <random>
#include <thread>

namespace starling::observe {
namespace {

constexpr std::uint32_t kRanks = 8;
constexpr std::uint32_t kWorldRanks = 100;

/// A directory in memory of its own.
class Directory {
 public:
  Directory()
      : memory_(new (std::align_val_t(kCacheLine)) std::byte[CommunicatorDirectory::bytes(kRanks, kWorldRanks)]{}),
        directory(memory_.get(), kRanks, kWorldRanks) {}

 private:
  struct Delete {
    void operator()(std::byte* memory) const { operator delete[](memory, std::align_val_t(kCacheLine)); }
  };
  std::unique_ptr<std::byte[], Delete> memory_;

 public:
  CommunicatorDirectory directory;
};

CommunicatorFacts facts(std::uint32_t context_id, std::initializer_list<std::int32_t> members) {
  CommunicatorFacts made;
  made.context_id = context_id;
  for (const std::int32_t member : members) made.members.emplace_back(member);
  return made;
}

TEST(CommunicatorDirectory, ShowsWhatItsRanksTell) {
  Directory here;
  EXPECT_TRUE(here.directory.empty());
  const std::uint32_t place = here.directory.join(facts(6, {2, 70, 99}));
  ASSERT_NE(place, CommunicatorDirectory::kNoPlace);
  EXPECT_EQ(here.directory.join(facts(6, {2, 70, 99})), place);
  here.directory.rename(place, "solver");
  here.directory.count(LocalRank(1), place) = 51;
  EXPECT_EQ(here.directory.places_of(6, WorldRank(70)), std::vector<std::uint32_t>{place});
  EXPECT_TRUE(here.directory.places_of(6, WorldRank(3)).empty());
  const std::optional<CommunicatorEntry> entry = here.directory.at(place);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->context_id, 6U);
  EXPECT_EQ(entry->size, 3U);
  EXPECT_EQ(entry->name, "solver");
  EXPECT_TRUE(entry->has(WorldRank(99)));
  EXPECT_FALSE(entry->has(WorldRank(98)));
  EXPECT_FALSE(entry->has(WorldRank(100'000)));
  EXPECT_EQ(here.directory.begun(LocalRank(1), WorldRank(2), 6), 51U);
  EXPECT_EQ(here.directory.begun(LocalRank(0), WorldRank(2), 6), 0U);
}

TEST(CommunicatorDirectory, CutsALongName) {
  Directory here;
  const std::uint32_t place = here.directory.join(facts(6, {0, 1}));
  here.directory.rename(place, std::string(100, 'x'));
  EXPECT_EQ(here.directory.at(place)->name, std::string(DirectoryPlace::kNameBytes, 'x'));
}

TEST(CommunicatorDirectory, KeepsDisjointCommunicatorsOfOneContextApart) {
  Directory here;
  const std::uint32_t low = here.directory.join(facts(6, {0, 1}));
  const std::uint32_t high = here.directory.join(facts(6, {2, 3}));
  EXPECT_NE(low, high);
  EXPECT_EQ(here.directory.places_of(6, WorldRank(3)), std::vector<std::uint32_t>{high});
}

TEST(CommunicatorDirectory, EmptiesAPlaceWithTheLastRank) {
  Directory here;
  const std::uint32_t place = here.directory.join(facts(6, {0, 1}));
  EXPECT_EQ(here.directory.join(facts(6, {0, 1})), place);
  here.directory.rename(place, "old");
  here.directory.leave(place);
  EXPECT_TRUE(here.directory.at(place).has_value());
  here.directory.leave(place);
  EXPECT_FALSE(here.directory.at(place).has_value());
  EXPECT_EQ(here.directory.join(facts(6, {0, 1, 2})), place);
  EXPECT_EQ(here.directory.at(place)->name, "");
  EXPECT_EQ(here.directory.at(place)->size, 3U);
}

TEST(CommunicatorDirectory, SaysThatItIsFullAndGoesOn) {
  Directory here;
  std::uint32_t joined = 0;
  std::uint32_t refused = 0;
  std::vector<std::uint32_t> places;
  for (std::uint32_t context = 6; joined + refused < 2000; context += 2) {
    const std::uint32_t place = here.directory.join(facts(context, {0, 1}));
    if (place == CommunicatorDirectory::kNoPlace) {
      ++refused;
    } else {
      ++joined;
      places.push_back(place);
    }
  }
  EXPECT_EQ(joined, CommunicatorDirectory::kPlaces);
  EXPECT_EQ(here.directory.overflow(), refused);
  for (const std::uint32_t place : places) here.directory.leave(place);
  EXPECT_NE(here.directory.join(facts(6, {0, 1})), CommunicatorDirectory::kNoPlace);
}

/// Ranks make and free communicators at once; those that a reader sees are whole.
TEST(CommunicatorDirectory, ShowsWholeCommunicatorsWhileRanksComeAndGo) {
  Directory here;
  std::vector<std::thread> ranks;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    ranks.emplace_back([&, rank] {
      std::mt19937 random(rank);
      for (int i = 0; i < 20'000; ++i) {
        const std::uint32_t context = 6 + 2 * (random() % 20);
        // The context tells the members.
        CommunicatorFacts made = facts(context, {0});
        for (std::uint32_t member = 1; member < context; ++member) made.members.emplace_back(member);
        const std::uint32_t place = here.directory.join(made);
        if (place == CommunicatorDirectory::kNoPlace) continue;
        here.directory.count(LocalRank(rank), place) = 1;
        here.directory.leave(place);
      }
    });
  }
  for (int look = 0; look < 200; ++look) {
    for (std::uint32_t place = 0; place < CommunicatorDirectory::kPlaces; ++place) {
      const std::optional<CommunicatorEntry> entry = here.directory.at(place);
      if (!entry) continue;
      EXPECT_EQ(entry->size, entry->context_id);
      EXPECT_TRUE(entry->has(WorldRank(entry->context_id - 1)));
      EXPECT_FALSE(entry->has(WorldRank(entry->context_id)));
    }
  }
  for (std::thread& rank : ranks) rank.join();
  for (std::uint32_t place = 0; place < CommunicatorDirectory::kPlaces; ++place) {
    EXPECT_FALSE(here.directory.at(place).has_value());
  }
}

}  // namespace
}  // namespace starling::observe
