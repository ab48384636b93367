// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A reduce along its schedule, all ranks in one thread and messages in a table: whoever really comes when, and
// whichever message is complete first, the sum is right and nobody waits for ever.
#include "arrival/run/reduce_run.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>

#include "arrival/methods/generate.hpp"
#include "unit/arrival/instances.hpp"

namespace starling::arrival {
namespace {

using Number = std::int64_t;

struct Message {
  std::vector<Number> data;  // of a send
  Number* into = nullptr;    // of a receive
  int segment = 0;
  bool complete = false;
};
using Posted = std::deque<std::shared_ptr<Message>>;

/// What is under way between all ranks. By pair, and by segment too unless messages of a pair match in order.
struct Network {
  bool in_order = false;
  bool eager = false;  // a send is complete before anybody receives it
  std::map<std::tuple<int, int, int>, Posted> sends;
  std::map<std::tuple<int, int, int>, Posted> receives;

  void match(int from, int to, int segment) {
    const std::tuple key(from, to, in_order ? 0 : segment);
    Posted& out = sends[key];
    Posted& in = receives[key];
    while (!out.empty() && !in.empty()) {
      ASSERT_EQ(out.front()->segment, in.front()->segment) << from << " to " << to;
      std::copy(out.front()->data.begin(), out.front()->data.end(), in.front()->into);
      out.front()->complete = in.front()->complete = true;
      out.pop_front();
      in.pop_front();
    }
  }
};

template <bool kOrdered>
class Port {
 public:
  static constexpr bool kInOrder = kOrdered;
  Port(Network& network, int rank) : network_(network), rank_(rank) {}

  int send(const void* from, int count, int peer, int segment) {
    auto& message = messages.emplace_back(std::make_shared<Message>());
    const auto* numbers = static_cast<const Number*>(from);
    message->data.assign(numbers, numbers + count);
    message->segment = segment;
    message->complete = network_.eager;
    network_.sends[{rank_, peer, kOrdered ? 0 : segment}].push_back(message);
    network_.match(rank_, peer, segment);
    return 0;
  }
  int receive(void* into, int /*count*/, int peer, int segment) {
    auto& message = messages.emplace_back(std::make_shared<Message>());
    message->into = static_cast<Number*>(into);
    message->segment = segment;
    network_.receives[{peer, rank_, kOrdered ? 0 : segment}].push_back(message);
    network_.match(peer, rank_, segment);
    return 0;
  }
  void drop(std::size_t number) {
    messages[number] = messages.back();
    messages.pop_back();
  }
  int combine(const void* in, void* inout, int count) {
    for (int i = 0; i < count; ++i) static_cast<Number*>(inout)[i] += static_cast<const Number*>(in)[i];
    return 0;
  }
  int copy(const void* from, void* to, int count) {
    std::memcpy(to, from, sizeof(Number) * static_cast<std::size_t>(count));
    return 0;
  }
  std::byte* room(std::size_t bytes) {
    memory_.resize(bytes);
    return memory_.data();
  }

  std::vector<std::shared_ptr<Message>> messages;

 private:
  Network& network_;
  int rank_;
  std::vector<std::byte> memory_;
};

template <bool kOrdered>
struct Rank {
  Port<kOrdered> port;
  std::vector<Step> steps;
  std::vector<Number> own;
  std::vector<Number> given;  // the same, to compare with afterwards
  std::vector<Number> result;
  std::unique_ptr<ReduceRun<Port<kOrdered>>> run;  // once it has come
};

/// Ranks come in an order that nobody predicted, mostly when nothing else can be done.
template <bool kOrdered>
void play(const Instance& instance, std::mt19937_64& random, bool eager) {
  const int processes = static_cast<int>(instance.arrivals.size());
  const int count = instance.segments + static_cast<int>(random() % 7);
  Network network{.in_order = kOrdered, .eager = eager, .sends = {}, .receives = {}};
  std::deque<Rank<kOrdered>> ranks;
  std::vector<Number> expected(static_cast<std::size_t>(count));
  std::vector<int> to_come;
  for (int r = 0; r < processes; ++r) {
    auto steps = make_steps(instance.pattern(), r);
    ASSERT_TRUE(steps.ok());
    std::vector<Number> own;
    for (Number& sum : expected) sum += own.emplace_back(static_cast<Number>(random() % 1000));
    ranks.push_back(
        {{network, r}, std::move(steps).value(), own, own, std::vector<Number>(expected.size(), -1), nullptr});
    to_come.push_back(r);
  }
  std::shuffle(to_come.begin(), to_come.end(), random);
  const Elements elements{sizeof(Number), 0, sizeof(Number)};
  for (;;) {
    std::vector<std::pair<int, std::size_t>> complete;
    bool waits = false;
    for (int r = 0; r < processes; ++r) {
      const auto& messages = ranks[static_cast<std::size_t>(r)].port.messages;
      waits = waits || !messages.empty();
      for (std::size_t i = 0; i < messages.size(); ++i) {
        if (messages[i]->complete) complete.emplace_back(r, i);
      }
    }
    if (!to_come.empty() && (complete.empty() || random() % 40 == 0)) {
      const int r = to_come.back();
      Rank<kOrdered>& rank = ranks[static_cast<std::size_t>(r)];
      to_come.pop_back();
      const bool is_root = r == instance.root;
      // Off the root the input may stand where the result does not count.
      const Vectors vectors{rank.own.data(), is_root ? rank.result.data() : rank.own.data(), is_root};
      rank.run = std::make_unique<ReduceRun<Port<kOrdered>>>(rank.port, rank.steps, Cut{count, instance.segments},
                                                             elements, vectors);
      rank.run->post();
    } else if (!complete.empty()) {
      const auto [r, number] = complete[random() % complete.size()];
      ranks[static_cast<std::size_t>(r)].run->complete(number);
    } else {
      ASSERT_FALSE(waits) << "everybody waits: " << instance.text();
      break;
    }
  }
  const std::vector<Number>& result = ranks[static_cast<std::size_t>(instance.root)].result;
  ASSERT_EQ(processes == 1 ? expected : result, expected) << instance.text();
  for (const Rank<kOrdered>& rank : ranks) ASSERT_EQ(rank.own, rank.given) << instance.text();
}

TEST(ReduceRun, IsRightWhoeverComesWhen) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 120; ++i) {
    Instance instance = random_instance(random, 12, 90);
    instance.root_role = RootRole::kOnlyTakes;
    play<false>(instance, random, i % 2 == 0);
    play<true>(instance, random, i % 2 == 0);
    if (HasFatalFailure()) return;
  }
}

constexpr std::uint16_t kLate = 1;
constexpr std::uint16_t kThere = 2;

/// The first 100 steps receive from a process that is late, the others from one that is there.
ReceiveQueue queue_of(std::size_t steps) {
  ReceiveQueue queue;
  for (std::size_t step = 0; step < steps; ++step) queue.add(step, step < 100 ? kLate : kThere);
  queue.make_slots(0);
  return queue;
}

TEST(ReceiveQueue, PostsInOrderAndSomeOfEverybodyAhead) {
  ReceiveQueue queue = queue_of(120);
  std::vector<ReceiveQueue::Receive> posted;
  for (ReceiveQueue::Receive receive{}; queue.next(&receive);) posted.push_back(receive);
  ASSERT_GT(posted.size(), 2U);
  const auto of_the_late = static_cast<std::size_t>(std::count_if(
      posted.begin(), posted.end(), [](const ReceiveQueue::Receive& receive) { return receive.step < 100; }));
  for (std::size_t i = 0; i < of_the_late; ++i) EXPECT_EQ(posted[i].step, i);
  for (std::size_t i = of_the_late; i < posted.size(); ++i) EXPECT_EQ(posted[i].step, 100 + i - of_the_late);
  // Whoever is there is served to its end.
  std::size_t expected = posted.back().step + 1;
  for (std::size_t i = of_the_late; i < posted.size(); ++i) {
    queue.came(kThere, posted[i].slot);
    queue.release(posted[i].slot);
    for (ReceiveQueue::Receive receive{}; queue.next(&receive);) {
      EXPECT_EQ(receive.step, expected++);
      posted.push_back(receive);
    }
  }
  EXPECT_EQ(expected, 120U);
}

TEST(ReceiveQueue, TakesMoreOfWhoIsThereTheLongerTheOrderStandsStill) {
  ReceiveQueue queue = queue_of(300);
  std::deque<int> late;
  std::deque<int> there;
  const auto post = [&] {
    for (ReceiveQueue::Receive receive{}; queue.next(&receive);) {
      (receive.step < 100 ? late : there).push_back(receive.slot);
    }
  };
  const auto comes = [&](std::uint16_t peer, std::deque<int>& posted) {
    queue.came(peer, posted.front());
    queue.release(posted.front());
    posted.pop_front();
    post();
  };
  post();
  ASSERT_EQ(there.size(), 1U);
  std::size_t most = 1;
  for (int i = 0; i < 60; ++i) {
    comes(kThere, there);
    EXPECT_GE(there.size(), most);
    most = there.size();
  }
  EXPECT_EQ(most, 8U);
  comes(kLate, late);
  for (int i = 0; i < 8; ++i) {
    comes(kThere, there);
    if (!late.empty()) comes(kLate, late);
  }
  EXPECT_EQ(there.size(), 1U);
}

TEST(SendQueue, PassesByWhatIsNotReady) {
  constexpr std::uint16_t kOne = 1;
  constexpr std::uint16_t kOther = 2;
  for (const bool in_order : {false, true}) {
    SendQueue outlet(in_order);
    const std::size_t first = outlet.add(10, kOne);
    const std::size_t second = outlet.add(11, kOther);
    const std::size_t third = outlet.add(12, kOne);
    std::size_t step = 0;
    EXPECT_FALSE(outlet.next(false, &step));
    outlet.ready(third);
    outlet.ready(second);
    EXPECT_FALSE(outlet.next(true, &step)) << "the earliest is not ready";
    ASSERT_TRUE(outlet.next(false, &step));
    EXPECT_EQ(step, 11U);
    // Behind the first to the same process, where these match in order.
    ASSERT_EQ(outlet.next(false, &step), !in_order);
    outlet.ready(first);
    ASSERT_TRUE(outlet.next(true, &step));
    EXPECT_EQ(step, 10U);
    ASSERT_EQ(outlet.next(true, &step), in_order);
    EXPECT_EQ(step, in_order ? 12U : 10U);
  }
}

}  // namespace
}  // namespace starling::arrival
