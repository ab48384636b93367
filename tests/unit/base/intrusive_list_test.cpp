// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/intrusive_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace starling {
namespace {

struct ByAge : ListHook {};
struct BySize : ListHook {};
struct Node : ByAge, BySize {
  int id = 0;
};
using AgeList = IntrusiveList<Node, ByAge>;
using SizeList = IntrusiveList<Node, BySize>;

static_assert(sizeof(ListHook) == 2 * sizeof(void*));

std::vector<int> ids(AgeList& list) {
  std::vector<int> found;
  for (Node* node = list.front(); node; node = list.next(*node)) found.push_back(node->id);
  return found;
}

TEST(IntrusiveList, IsEmptyAtBirthAndGivesNothing) {
  AgeList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.front(), nullptr);
  EXPECT_EQ(list.pop_front(), nullptr);
}

TEST(IntrusiveList, HoldsAnElementInTwoListsAtOnce) {
  Node node;
  AgeList ages;
  SizeList sizes;
  ages.push_back(node);
  sizes.push_back(node);
  ages.remove(node);
  EXPECT_TRUE(ages.empty());
  EXPECT_EQ(sizes.front(), &node);
  EXPECT_FALSE(node.ByAge::linked());
  EXPECT_TRUE(node.BySize::linked());
}

TEST(IntrusiveList, LetsAnElementMoveFromOneListToAnother) {
  Node node;
  AgeList first;
  AgeList second;
  first.push_back(node);
  EXPECT_EQ(first.pop_front(), &node);
  second.push_front(node);
  EXPECT_TRUE(first.empty());
  EXPECT_EQ(second.front(), &node);
}

TEST(IntrusiveList, AgreesWithAVectorOverRandomOperations) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::array<Node, 32> nodes;
  for (int id = 0; id < 32; ++id) nodes[static_cast<std::size_t>(id)].id = id;
  AgeList list;
  std::vector<int> expected;
  for (int step = 0; step < 5000; ++step) {
    Node& node = nodes[random() % nodes.size()];
    if (node.ByAge::linked()) {
      list.remove(node);
      expected.erase(std::find(expected.begin(), expected.end(), node.id));
    } else if (random() % 2 == 0) {
      list.push_front(node);
      expected.insert(expected.begin(), node.id);
    } else {
      list.push_back(node);
      expected.push_back(node.id);
    }
    ASSERT_EQ(ids(list), expected) << "after step " << step;
  }
}

}  // namespace
}  // namespace starling
