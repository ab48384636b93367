// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collection: elements that nobody can reach are deleted, also those that hold one another, wherever they are.
#include <algorithm>
#include <random>
#include <set>
#include <starling/array/element.hpp>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::collecting_cases {
namespace {

using namespace starling::array;

class Leaf : public Element<Leaf, std::string> {
 public:
  void count(const Future<long>& to) { contribute(1L, Sum{}, to); }
  void hold(const Array<Leaf>& leaves, const std::string& other) {
    leaves_ = leaves;
    held_ = other;
  }
  void references(References& holds) const {
    if (!held_.empty()) holds(leaves_[held_]);
  }
  void serialize(Archive& archive) {
    archive(held_);
    if (!held_.empty()) archive(leaves_);
  }

 private:
  Array<Leaf> leaves_;
  std::string held_;
};

class Node : public Element<Node> {
 public:
  void hold(const std::vector<int>& others) { held_ = others; }
  void grow(const Array<Leaf>& leaves, const std::string& leaf) {
    leaves_.push_back(leaves);
    leaf_ = leaf;
  }
  Task<void> wait() {
    end_ = Future<void>(session());
    co_await end_;
  }
  void wake() { end_.set(); }
  void list(const Future<std::vector<int>>& to) { contribute(std::vector<int>{index()}, Concat{}, to); }
  void references(References& holds) const {
    for (const int each : held_) holds(array()[each]);
    for (const Array<Leaf>& each : leaves_) holds(each[leaf_]);
  }
  void serialize(Archive& archive) {
    std::uint32_t count = static_cast<std::uint32_t>(leaves_.size());
    archive(held_, leaf_, count);
    leaves_.resize(count);
    for (Array<Leaf>& each : leaves_) archive(each);
  }

 private:
  std::vector<int> held_;
  std::vector<Array<Leaf>> leaves_;  // none or one
  std::string leaf_;
  Future<void> end_;
};

std::set<int> living(Session& session, const Array<Node>& nodes) {
  Future<std::vector<int>> all(session);
  nodes.broadcast<&Node::list>(all);
  const std::vector<int> list = all.get();
  return {list.begin(), list.end()};
}

/// The nodes that can be reached from those in front; held[i] is what node i holds, and others do not exist.
std::set<int> reached(std::vector<int> front, const std::vector<std::vector<int>>& held) {
  std::set<int> result;
  while (!front.empty()) {
    const auto each = static_cast<std::size_t>(front.back());
    front.pop_back();
    if (each >= held.size() || !result.insert(static_cast<int>(each)).second) continue;
    front.insert(front.end(), held[each].begin(), held[each].end());
  }
  return result;
}

/// Random graphs, with circles, that change between collections; elements are at random places.
void collect_random_graphs(Job& world, bool restless) {
  constexpr int kNodes = 120;
  std::mt19937_64 chance = world.generator();
  const auto below = [&chance](std::size_t bound) { return static_cast<int>(chance() % bound); };
  Session session(everybody());
  session.set_restless(restless);
  Array<Node> nodes(session);
  session.run([&] {
    std::set<int> expected;
    std::vector<std::vector<int>> held(kNodes);
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < kNodes; ++i) {
        if (expected.insert(i).second) nodes[i].create_on(below(static_cast<std::size_t>(world.size)));
      }
      session.quiesce();
      for (int i = 0; i < kNodes; ++i) {
        held[static_cast<std::size_t>(i)].clear();
        for (int k = below(3); k > 0; --k) held[static_cast<std::size_t>(i)].push_back(below(kNodes + 5));
        nodes[i].send<&Node::hold>(held[static_cast<std::size_t>(i)]);
        if (below(2) == 0) nodes[i].migrate_to(below(static_cast<std::size_t>(world.size)));
      }
      References roots;
      std::vector<int> front;
      for (int k = 0; k < 3; ++k) {
        front.push_back(below(kNodes));
        roots(nodes[front.back()]);
      }
      expected = reached(front, held);
      const std::size_t deleted = session.collect(roots);
      CHECK_EQ(deleted, kNodes - expected.size());
      CHECK(living(session, nodes) == expected);
    }
  });
}

CASE("what the roots do not reach is deleted, circles over processes included", 1, 8) {
  collect_random_graphs(world, false);
}

CASE("collection finds elements that move whenever they have worked", 2, 8) { collect_random_graphs(world, true); }

CASE("elements hold those of other arrays, and who waits is a root", 1, 8) {
  Session session(everybody());
  Array<Node> nodes(session, 6);
  Array<Leaf> leaves(session);
  session.run([&] {
    for (const char* each : {"a", "b", "c", "d"}) leaves[each].create();
    session.quiesce();
    nodes[0].send<&Node::grow>(leaves, "a");
    leaves["a"].send<&Leaf::hold>(leaves, "b");
    leaves["c"].send<&Leaf::hold>(leaves, "d");  // a circle
    leaves["d"].send<&Leaf::hold>(leaves, "c");
    nodes[4].send<&Node::hold>(std::vector<int>{5});
    nodes[4].send<&Node::wait>();
    References roots;
    roots(nodes[0]);
    CHECK_EQ(session.collect(roots), std::size_t{5});
    CHECK(living(session, nodes) == (std::set<int>{0, 4, 5}));
    Future<long> count(session);
    leaves.broadcast<&Leaf::count>(count);
    CHECK_EQ(count.get(), 2);
    nodes[4].send<&Node::wake>();
    CHECK_EQ(session.collect(References()), std::size_t{5});
    nodes[1].create();
    session.quiesce();
    CHECK(living(session, nodes) == std::set<int>{1});
  });
}

}  // namespace
}  // namespace starling::tests::collecting_cases
