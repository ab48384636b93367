// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What balancing measures: the load of a method, and with whom an element talks.
#include <gtest/gtest.h>

#include "balance/load_clock.hpp"
#include "element/links.hpp"

namespace starling::array::detail {
namespace {

/// A method's load as LoadClock has it: what it took on the wall and of the processor, both in us.
class Method : public testing::Test {
 protected:
  void pass(double wall_us, double processor_us) {
    wall_s_ += wall_us * 1e-6;
    processor_s_ += processor_us * 1e-6;
  }
  double load_us(double wall_us, double processor_us) {
    const auto read = [this] {
      ++reads_;
      return processor_s_;
    };
    clock_.begin(wall_s_, read);
    pass(wall_us, processor_us);
    return clock_.end(wall_s_, read) * 1e6;
  }
  LoadClock clock_;
  double wall_s_ = 1;
  double processor_s_ = 0.5;
  int reads_ = 0;
};

TEST_F(Method, ThatWasKeptWaitingCountsWhatItHadOfTheProcessor) {
  EXPECT_NEAR(load_us(300, 300), 300, 1e-3);
  EXPECT_NEAR(load_us(4300, 300), 300, 1e-3);
  pass(10000, 0);  // idle
  EXPECT_NEAR(load_us(4300, 300), 300, 1e-3);
  pass(40, 40);  // others, too short to look at the clock
  EXPECT_NEAR(load_us(4300, 300), 340, 1e-3);
}

TEST_F(Method, ThatWasKeptWaitingTellsForHowLong) {
  load_us(300, 300);
  EXPECT_NEAR(clock_.waited_s() * 1e6, 0, 1e-3);
  load_us(4300, 300);
  EXPECT_NEAR(clock_.waited_s() * 1e6, 4000, 1e-3);
  load_us(20, 20);
  EXPECT_NEAR(clock_.waited_s() * 1e6, 0, 1e-3);
}

TEST_F(Method, ThatIsShortReadsTheClockOfTheThreadSeldom) {
  double sum_us = 0;
  for (int i = 0; i < 10000; ++i) sum_us += load_us(1, 1);
  EXPECT_NEAR(sum_us, 10000, 1);
  EXPECT_LE(reads_, 10000 / (LoadClock::kBetween_s * 1e6) + 2);
}

TEST(Links, CountMessagesAndBytes) {
  Links links;
  const Index one("one", 3);
  const Index other("other", 5);
  for (int i = 0; i < 3; ++i) links.count(7, one, 10);
  links.count(7, other, 5);
  links.count(7, other, 2);
  links.count(8, other, 1);  // of another array
  ASSERT_EQ(links.all().size(), 3u);
  EXPECT_EQ(links.all()[0].traffic.messages, 3u);
  EXPECT_EQ(links.all()[0].traffic.bytes, 30u);
  EXPECT_EQ(links.all()[1].traffic.messages, 2u);
  EXPECT_EQ(links.all()[1].traffic.bytes, 7u);
  EXPECT_EQ(links.all()[2].array, 8u);
  EXPECT_EQ(links.all()[2].traffic.bytes, 1u);
}

/// 10000 messages of 8 bytes to 4 partners, and as many to others, each of whom gets one.
template <class Count>
void talk_much_to_four_of_many(Count&& count) {
  const auto send = [&](int to) { count(Index(&to, sizeof to)); };
  for (int i = 0; i < 10000; ++i) {
    send(i % 4);
    send(1000 + i);
  }
}

TEST(Links, KeepTheBusiestOfManyPartners) {
  Links links;
  talk_much_to_four_of_many([&](const Index& to) { links.count(0, to, 8); });
  EXPECT_LE(links.all().size(), Links::kMost);
  std::uint64_t busiest = 0;
  for (const auto& each : links.all()) {
    EXPECT_EQ(each.traffic.bytes, 8 * each.traffic.messages);
    busiest += each.traffic.messages > 1000 ? 1 : 0;
  }
  EXPECT_EQ(busiest, 4u);
}

TEST(Visits, KeepTheBusiestOfManyElements) {
  Visits visits;
  for (int i = 0; i < 8; ++i) talk_much_to_four_of_many([&](const Index& to) { visits.count(to, 8); });
  EXPECT_EQ(visits.all().size(), 10004u);
  for (int to = -70000; to < 0; ++to) visits.count(Index(&to, sizeof to), 8);
  EXPECT_LE(visits.all().size(), Visits::kMost);
  std::uint64_t busiest = 0;
  for (const auto& [to, traffic] : visits.all()) {
    EXPECT_EQ(traffic.bytes, 8 * traffic.messages);
    busiest += traffic.messages > 10000 ? 1 : 0;
  }
  EXPECT_EQ(busiest, 4u);
}

}  // namespace
}  // namespace starling::array::detail
