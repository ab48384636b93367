// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Who keeps large data, who asks for them, and when each may leave: every part alone.
#include "depot/depot.hpp"

#include <gtest/gtest.h>

#include "depot/resolver.hpp"
#include "thread_link.hpp"

namespace starling::farm::depot_test {
namespace {

constexpr int kRoot = 0;
constexpr int kHolder = 1;
constexpr int kOutput = 2;

Slice bytes_of(std::size_t size) {
  auto bytes = std::make_shared<Buffer>();
  bytes->append(std::string(size, 'x').data(), size);
  return {std::move(bytes), 0, size};
}

std::shared_ptr<const Buffer> meet_output() {
  return make_list(MessageKind::kMeet, std::vector<int>{kOutput, 0, static_cast<int>(Depot::What::kResult)});
}

/// A process, and what is sent to the others.
struct Place {
  explicit Place(int rank) : link(net, rank), neighbors(link), depot(neighbors, rank == kRoot) {}
  Net net{3};
  ThreadLink link;
  Neighbors neighbors;
  Depot depot;
};

TEST(FarmDirectDepot, WaitsForTheLastWordOfAnOutput) {
  Place holder(kHolder);
  holder.depot.on_meet(*meet_output());
  EXPECT_FALSE(holder.depot.may_leave(false));
  EXPECT_TRUE(holder.depot.may_leave(true));
  holder.depot.on_part(kOutput);
  EXPECT_TRUE(holder.depot.may_leave(false));
}

/// The word of the Output and that of the server come on different ways.
TEST(FarmDirectDepot, DoesNotWaitForAWordThatCameFirst) {
  Place holder(kHolder);
  holder.depot.on_part(kOutput);
  holder.depot.on_meet(*meet_output());
  EXPECT_TRUE(holder.depot.may_leave(false));
}

TEST(FarmDirectDepot, GivesNothingLargeOnceTheRunIsOver) {
  Place holder(kHolder);
  holder.depot.keep(7, bytes_of(100'000));
  const auto ask = make_list(MessageKind::kAsk, std::vector<std::uint64_t>{7});
  const auto answer = [&] {
    holder.depot.on_ask(kOutput, *ask);
    std::shared_ptr<const Buffer> here;
    EXPECT_TRUE(holder.net.receive(kHolder, kOutput, here));
    return tasks_of(here);
  };
  const Tasks before = answer();
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before[0].value.as<Slice>().size, 100'000U);
  holder.depot.end();
  const Tasks after = answer();
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].number, 7U);
  EXPECT_EQ(after[0].state, TaskState::kGone);
  EXPECT_EQ(after[0].value.as<Slice>().size, 0U);
}

/// A thread may have taken its tasks just before the end.
TEST(FarmDirectResolver, AsksForNothingAfterTheEnd) {
  Place root(kRoot);
  root.neighbors.listen_to(kHolder, Neighbors::kPort);
  Bell bell;
  Resolver resolver(bell);
  resolver.stop();
  Tasks chunk(2);
  for (Task& task : chunk) {
    task.away = true;
    task.value = Value(slice_of({kHolder, 0, 7}));
  }
  resolver.resolve(chunk);
  EXPECT_EQ(chunk[1].state, TaskState::kGone);
  EXPECT_FALSE(resolver.serve(root.depot));
  EXPECT_FALSE(root.depot.send());
  EXPECT_EQ(root.net.sent(kRoot, kHolder), 0U);
  EXPECT_TRUE(root.depot.may_leave(false));
}

/// What threads waited for and nobody was asked for yet is not asked for either.
TEST(FarmDirectResolver, ForgetsAtTheEndWhatItHasNotAskedFor) {
  Place root(kRoot);
  root.neighbors.listen_to(kHolder, Neighbors::kPort);
  Bell bell;
  Resolver resolver(bell);
  Tasks chunk(1);
  chunk[0].away = true;
  chunk[0].value = Value(slice_of({kHolder, 0, 7}));
  std::jthread thread([&] { resolver.resolve(chunk); });
  bell.wait_for(std::chrono::seconds(60));
  resolver.stop();
  thread.join();
  EXPECT_EQ(chunk[0].state, TaskState::kGone);
  EXPECT_FALSE(resolver.serve(root.depot));
  EXPECT_TRUE(root.depot.may_leave(false));
}

}  // namespace
}  // namespace starling::farm::depot_test
