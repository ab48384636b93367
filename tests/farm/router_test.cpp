// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The server's books of large data, alone: one Input, two Outputs, and results that stay with who calculated them.
#include "server/router.hpp"

#include <gtest/gtest.h>

#include "numbers.hpp"

namespace starling::farm::router_test {
namespace {

struct Books {
  Books() {
    options.summary = false;
    router.add({2, nullptr, &first});
    router.add({3, nullptr, &second});
  }

  void tell(TaskState state, std::uint64_t number, const Parcel& at = {}, bool away = false) {
    Task task;
    task.number = number;
    task.state = state;
    task.away = away;
    task.value = Value(slice_of(at));
    router.on_task(task);
  }
  void give_piece(std::uint64_t key) { tell(TaskState::kPiece, 0, {1, 0, key}, true); }
  void give_result(std::uint64_t number, int holder) {
    tell(TaskState::kResult, number, {holder, 0, number | kResultKey}, true);
  }
  void output_died(std::uint16_t which) {
    Task death;
    death.state = TaskState::kOutputDied;
    death.input = which;
    router.on_task(death);
  }
  std::size_t ready_tasks() {
    Tasks tasks;
    ready.try_take(tasks, 100);
    return tasks.size();
  }

  Options options;
  long next = 0;
  std::function<std::optional<long>()> input = [] { return std::nullopt; };
  std::function<long(const long&)> calculate = [](const long& number) { return number; };
  std::function<void(long)> output = [](long) {};
  detail::TypedProgram<decltype(input), decltype(calculate), decltype(output)> program{input, calculate, output};
  Queue ready;
  Tally tally;
  Journal journal;
  Summary summary;
  Releases releases;
  Deliveries first;
  Deliveries second;
  Router router{Router::Parts{options, program, ready, tally, journal, summary, releases, true}, {1}};
};

/// The first Output has said that one result is missing, and nothing of the other, when it dies.
TEST(FarmDirectRouter, GivesAnotherOutputWhatTheDeadOneWasMissing) {
  Books books;
  for (std::uint64_t key = 0; key < 3; ++key) books.give_piece(key);
  EXPECT_EQ(books.ready_tasks(), 3U);
  for (std::uint64_t number = 0; number < 3; ++number) books.give_result(number, 4);
  EXPECT_EQ(books.first.try_take().size(), 2U);
  EXPECT_EQ(books.second.try_take().size(), 1U);
  books.tell(TaskState::kTaken, 1);
  books.tell(TaskState::kMissing, 0);
  EXPECT_EQ(books.ready_tasks(), 1U);

  books.output_died(0);
  ASSERT_EQ(books.summary.lost_shares.size(), 1U);
  EXPECT_EQ(books.summary.lost_shares[0].lost, 1U);

  books.give_result(0, 5);
  const std::vector<Delivery> again = books.second.try_take();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].result.number, 0U);
  books.tell(TaskState::kTaken, 0);
  EXPECT_EQ(books.summary.tasks, 2U);
  EXPECT_EQ(books.tally.settled.load(), 3U);
}

}  // namespace
}  // namespace starling::farm::router_test
