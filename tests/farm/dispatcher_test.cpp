// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a relay gives to children that are outside the tree, or have tried a suspect, and what becomes of stragglers of
// which it has a copy.
#include <gtest/gtest.h>

#include "numbers.hpp"
#include "relay/failover.hpp"
#include "relay/parent_upstream.hpp"
#include "thread_link.hpp"

namespace starling::farm::dispatcher_test {
namespace {

constexpr int kHere = 1;
constexpr int kInput = 2;   ///< Has the pieces.
constexpr int kJoined = 3;  ///< Outside the tree, as the next.
constexpr int kOther = 4;
constexpr std::uint64_t kSuspect = 9;
constexpr std::uint64_t kStraggler = 50;

Slice some_bytes() {
  auto bytes = std::make_shared<Buffer>();
  bytes->append("bytes", 5);
  return {std::move(bytes), 0, 5};
}

Tree tree_of_three() {
  Tree tree;
  tree.nodes.resize(3);
  tree.nodes[0].children = {kHere, kInput};
  tree.nodes[kHere].parent = tree.nodes[kInput].parent = 0;
  return tree;
}

/// The middle of a process below the root.
struct Middle {
  Child& join(int rank, std::uint64_t threads) {
    Child& child = children.add(rank);
    child.joined = true;
    child.threads = threads;
    child.window.set_threads(threads);
    return child;
  }
  void put_ready(std::size_t count) {
    Tasks tasks(count);
    for (std::size_t i = 0; i < count; ++i) {
      tasks[i].number = 100 + i;
      tasks[i].value = Value(some_bytes());
    }
    ready.put(tasks);
  }
  /// The child gives back the task that it was given, one that ended a process below it.
  void give_back_suspect(int rank) {
    children.find(rank)->held.emplace(kSuspect, HeldTask{slice_of({kInput, 0, 7}), 0, 0, Clock::now(), true});
    Message back(MessageKind::kSuspects);
    Task task;
    task.number = kSuspect;
    back.add(task, [](Buffer&) {});
    failover.on_given_back(MessageKind::kSuspects, rank, back.finish());
  }
  void piece_comes(TaskState state = TaskState::kResult) {
    Message here(MessageKind::kHere);
    Task data;
    data.number = 7;
    data.state = state;
    here.add(data, [](Buffer& bytes) { bytes.append("piece", 5); });
    depot.on_here(kInput, here.finish());
  }

  Options options;
  std::function<std::optional<long>()> input = [] { return std::nullopt; };
  std::function<long(const long&)> calculate = [](const long& number) { return number; };
  std::function<void(long)> output = [](long) {};
  detail::TypedProgram<decltype(input), decltype(calculate), decltype(output)> program{input, calculate, output};
  Tree tree = tree_of_three();
  Net net{5};
  ThreadLink link{net, kHere};
  Bell bell;
  Queue ready;
  Queue done;
  Slate slate{Slate::Use::kNone};
  Workers workers{program, ready, done, slate, Workers::Setting{kHere, 0, 3, Results::kPacked}};
  Neighbors neighbors{link};
  Children children{neighbors};
  Depot depot{neighbors, false};
  Resolver resolver{bell};
  Stragglers stragglers;
  const RelayContext context{options, program,   tree,     bell,  ready,    done,       workers,
                             slate,   neighbors, children, depot, resolver, stragglers, false};
  Dispatcher dispatcher{context};
  ParentUpstream upstream{context};
  Failover failover{context, dispatcher, upstream, Failover::LastResort::kSetAside};
};

TEST(FarmDirectDispatcher, GivesAsBeforeToAChildThatHasTriedASuspect) {
  Middle middle;
  Child& child = middle.join(kJoined, 4);
  child.tries_suspect = true;
  middle.put_ready(6);
  EXPECT_TRUE(middle.dispatcher.dispatch());
  EXPECT_EQ(child.held.size(), 6U);
  EXPECT_FALSE(child.is_apart());
}

TEST(FarmDirectDispatcher, KeepsASuspectApartWhileItsDataAreFetched) {
  Middle middle;
  Child& child = middle.join(kJoined, 4);
  middle.give_back_suspect(kJoined);
  EXPECT_TRUE(middle.failover.try_suspects());
  EXPECT_TRUE(middle.depot.send());
  middle.put_ready(1);
  EXPECT_FALSE(middle.failover.try_suspects());
  EXPECT_FALSE(middle.dispatcher.dispatch());

  middle.piece_comes();
  EXPECT_EQ(child.held.size(), 1U);
  EXPECT_TRUE(child.held.contains(kSuspect));
  EXPECT_TRUE(child.is_apart());
  EXPECT_FALSE(middle.dispatcher.dispatch());
}

/// Its data come when the child that was to try it has gone: another one tries it, and nobody else gets it.
TEST(FarmDirectDispatcher, KeepsASuspectApartWhoseChildDied) {
  Middle middle;
  middle.join(kJoined, 1);
  middle.give_back_suspect(kJoined);
  EXPECT_TRUE(middle.failover.try_suspects());
  middle.failover.on_death(kJoined);
  middle.piece_comes();
  EXPECT_EQ(middle.ready.size(), 0U);
  const Child& other = middle.join(kOther, 1);
  EXPECT_TRUE(middle.failover.try_suspects());
  EXPECT_TRUE(other.held.contains(kSuspect));
  EXPECT_TRUE(other.is_apart());
}

/// A child has a task for long, and a thread here has nothing to do.
struct WithStraggler : Middle {
  explicit WithStraggler(const Slice& in, bool away) : child(join(kOther, 1)) {
    child.held.emplace(kStraggler, HeldTask{in, 0, 0, Clock::now() - std::chrono::seconds(1), away});
    idler = std::jthread([this] { ready.take(taken, 1, 1); });
    while (ready.waiting() == 0) std::this_thread::yield();
    dispatcher.run_stragglers_twice();
  }
  ~WithStraggler() { ready.stop(); }
  /// The child says that the data have gone.
  void child_loses_it() {
    Tasks gone(1);
    gone[0].number = kStraggler;
    gone[0].state = TaskState::kGone;
    dispatcher.on_results(child, gone);
    context.lose(std::move(gone[0]));
  }

  Child& child;
  Tasks taken;
  std::jthread idler;
};

TEST(FarmStragglers, AreNotLostWithTheirDataElsewhereWhileAThreadHereHasThem) {
  WithStraggler middle(some_bytes(), false);
  middle.idler.join();
  ASSERT_EQ(middle.taken.size(), 1U);
  EXPECT_EQ(middle.taken[0].number, kStraggler);
  middle.child_loses_it();
  EXPECT_TRUE(middle.context.is_elsewhere(kStraggler));
  EXPECT_EQ(middle.done.size(), 0U);
}

TEST(FarmStragglers, AreLostOnceNobodyHasTheirData) {
  WithStraggler middle(slice_of({kInput, 0, 7}), true);
  EXPECT_TRUE(middle.depot.send());
  middle.piece_comes(TaskState::kGone);
  EXPECT_EQ(middle.done.size(), 0U) << "the child may have them";
  middle.child_loses_it();
  EXPECT_EQ(middle.done.size(), 1U);
}

TEST(FarmStragglers, AreNoMoreHereOnceAnotherChildHasGotThem) {
  Middle middle;
  middle.stragglers.add(100, true);
  Child& child = middle.join(kOther, 1);
  middle.put_ready(1);
  EXPECT_TRUE(middle.dispatcher.dispatch());
  EXPECT_TRUE(child.held.contains(100));
  EXPECT_TRUE(middle.context.is_elsewhere(100));
  child.held.clear();
  EXPECT_FALSE(middle.context.is_elsewhere(100));
}

}  // namespace
}  // namespace starling::farm::dispatcher_test
