// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The two matching queues against the plainest possible model: one list searched from the front.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <memory>
#include <random>
#include <vector>

#include "p2p/matching/posted_queue.hpp"
#include "p2p/matching/unexpected_queue.hpp"
#include "support/clocks.hpp"
#include "support/sanitized.hpp"

namespace starling::p2p {
namespace {

struct Random {
  explicit Random(std::uint64_t seed) : engine(seed) {}
  std::int32_t below(std::int32_t limit) {
    return static_cast<std::int32_t>(engine() % static_cast<std::uint64_t>(limit));
  }
  Envelope message() { return {static_cast<std::uint32_t>(2 * below(2)), below(4), below(5)}; }
  Envelope pattern() {
    Envelope envelope = message();
    if (below(4) == 0) envelope.source = kAnySource;
    if (below(4) == 0) envelope.tag = kAnyTag;
    return envelope;
  }
  std::mt19937_64 engine;
};

std::uint64_t printed_seed() {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

constexpr int kSteps = kUnderSanitizer ? 50'000 : 200'000;

TEST(PostedQueue, TakesTheEarliestReceiveThatFitsAsAPlainListDoes) {
  Random random(printed_seed());
  PostedQueue queue;
  std::list<std::unique_ptr<PostedEntry>> model;
  for (int step = 0; step < kSteps; ++step) {
    const int action = random.below(100);
    if (action < 52) {
      model.push_back(std::make_unique<PostedEntry>());
      model.back()->pattern = random.pattern();
      queue.post(*model.back());
    } else if (action < 97) {
      const Envelope message = random.message();
      const auto expected =
          std::find_if(model.begin(), model.end(), [&](auto& r) { return r->pattern.takes(message); });
      PostedEntry* found = queue.match(message);
      ASSERT_EQ(found, expected == model.end() ? nullptr : expected->get()) << "step " << step;
      if (found) model.erase(expected);
    } else if (!model.empty()) {  // MPI_Cancel
      auto cancelled = std::next(model.begin(), random.below(static_cast<std::int32_t>(model.size())));
      queue.remove(**cancelled);
      model.erase(cancelled);
    }
    ASSERT_EQ(queue.size(), static_cast<std::int64_t>(model.size()));
    if (step % 1000 == 0) {
      const auto first = std::find_if(model.begin(), model.end(), [](auto& r) { return r->pattern.context_id == 1; });
      ASSERT_EQ(queue.first_in(1), first == model.end() ? nullptr : first->get());
    }
  }
}

TEST(UnexpectedQueue, FindsTheEarliestMessageThatFitsAsAPlainListDoes) {
  Random random(printed_seed());
  UnexpectedQueue queue;
  std::list<std::unique_ptr<UnexpectedEntry>> model;
  for (int step = 0; step < kSteps; ++step) {
    // Long phases of growing and shrinking take the queue across the size at which it builds and drops its indexes.
    const int growing = (step / 500) % 2 == 0 ? 65 : 30;
    if (random.below(100) < growing) {
      model.push_back(std::make_unique<UnexpectedEntry>());
      model.back()->envelope = random.message();
      queue.insert(*model.back());
    } else {
      const Envelope pattern = random.pattern();
      const auto expected =
          std::find_if(model.begin(), model.end(), [&](auto& m) { return pattern.takes(m->envelope); });
      UnexpectedEntry* found = queue.find(pattern);
      ASSERT_EQ(found, expected == model.end() ? nullptr : expected->get()) << "step " << step;
      if (found) {
        queue.remove(*found);
        model.erase(expected);
      }
    }
    ASSERT_EQ(queue.size(), static_cast<std::int64_t>(model.size()));
  }
}

/// Seconds to insert and take out `count` messages with tags of their own, last arrived first.
double seconds_for(int count) {
  UnexpectedQueue queue;
  std::vector<UnexpectedEntry> messages(static_cast<std::size_t>(count));
  const double begin = thread_processor_s();
  for (int i = 0; i < count; ++i) {
    messages[static_cast<std::size_t>(i)].envelope = {0, 1, i};
    queue.insert(messages[static_cast<std::size_t>(i)]);
  }
  for (int i = count - 1; i >= 0; --i) {
    UnexpectedEntry* found = queue.find({0, i % 2 == 0 ? 1 : kAnySource, i});
    EXPECT_EQ(found, &messages[static_cast<std::size_t>(i)]);
    queue.remove(*found);
  }
  return thread_processor_s() - begin;
}

TEST(UnexpectedQueue, StaysFastWithAHundredThousandMessagesWaiting) {
  // A search from the front would look at five thousand million messages, more than ten seconds of them; the indexes
  // take a tenth of one. How a hundred thousand compare with ten thousand would tell of the caches and who shares them.
  double least = seconds_for(100'000);
  for (int repetition = 0; repetition < 2; ++repetition) least = std::min(least, seconds_for(100'000));
  EXPECT_LT(least, kUnderSanitizer ? 50.0 : 3.0);
}

}  // namespace
}  // namespace starling::p2p
