// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/ref.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

namespace starling {
namespace {

class Counted final : public RefCounted<Counted> {
 public:
  explicit Counted(int* deaths) : deaths_(deaths) {}
  ~Counted() { ++*deaths_; }

 private:
  int* deaths_;
};
static_assert(sizeof(Ref<Counted>) == sizeof(void*));

TEST(Ref, KeepsTheObjectUntilTheLastOwnerLeaves) {
  int deaths = 0;
  {
    auto first = Ref<Counted>::adopt(new Counted(&deaths));
    auto second = first;
    first = Ref<Counted>();
    EXPECT_EQ(deaths, 0);
    EXPECT_TRUE(second);
  }
  EXPECT_EQ(deaths, 1);
}

TEST(Ref, SharesAnObjectThatSomebodyElseOwns) {
  int deaths = 0;
  auto* object = new Counted(&deaths);
  { const auto borrowed = Ref<Counted>::share(object); }
  EXPECT_EQ(deaths, 0);
  object->release();
  EXPECT_EQ(deaths, 1);
}

TEST(Ref, MovesAndDetachesWithoutTouchingTheCount) {
  int deaths = 0;
  auto first = Ref<Counted>::adopt(new Counted(&deaths));
  auto second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): an emptied Ref is what is tested
  Counted* object = second.detach();
  EXPECT_FALSE(second);
  EXPECT_EQ(deaths, 0);
  object->release();
  EXPECT_EQ(deaths, 1);
}

TEST(Ref, SurvivesAssignmentToItself) {
  int deaths = 0;
  auto ref = Ref<Counted>::adopt(new Counted(&deaths));
  const auto& same = ref;
  ref = same;
  EXPECT_EQ(deaths, 0);
  EXPECT_TRUE(ref);
}

TEST(Ref, OfNothingIsEmpty) { EXPECT_FALSE(Ref<Counted>::share(nullptr)); }

TEST(Ref, MayBeCopiedByManyThreadsAtOnce) {
  int deaths = 0;
  {
    const auto shared = Ref<Counted>::adopt(new Counted(&deaths));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([mine = shared] {
        for (int round = 0; round < 10000; ++round) const Ref<Counted> copy = mine;
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(deaths, 0);
  }
  EXPECT_EQ(deaths, 1);
}

}  // namespace
}  // namespace starling
