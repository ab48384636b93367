// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The explorer finds what the C++ memory model permits in programs whose outcomes are known, and nothing else.
// Source: Maranget, Sarkar, Sewell, "A Tutorial Introduction to the ARM and POWER Relaxed Memory Models", 2012, for the
// programs and their names; [atomics.order] and [intro.races] of the C++ standard for the outcomes.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <vector>

#include "memory/doorbell.hpp"
#include "weak_memory/explorer/explore.hpp"

namespace starling::weak::litmus_test {
namespace {

constexpr std::memory_order kRelaxed = std::memory_order_relaxed;
constexpr std::memory_order kAcquire = std::memory_order_acquire;
constexpr std::memory_order kRelease = std::memory_order_release;
constexpr std::memory_order kSeqCst = std::memory_order_seq_cst;

struct Objects {
  std::atomic<int> x{0};
  std::atomic<int> y{0};
  int plain = 0;
  int seen[4] = {-1, -1, -1, -1};
};
using Outcome = std::vector<int>;
using Body = void (*)(Objects&);

/// What the threads can see, and in the end the values of x and y.
std::set<Outcome> outcomes(const std::vector<Body>& bodies, std::size_t seen, Explored* explored = nullptr) {
  std::set<Outcome> found;
  const auto model = [&](Execution& execution) {
    Objects* objects = &execution.make<Objects>();
    for (const Body body : bodies) execution.thread("thread", [objects, body] { body(*objects); });
    execution.at_end([objects, seen, &found] {
      Outcome outcome(objects->seen, objects->seen + seen);
      outcome.push_back(objects->x.load(kRelaxed));
      outcome.push_back(objects->y.load(kRelaxed));
      found.insert(outcome);
    });
  };
  const Explored result = explore(model);
  EXPECT_EQ(result.wrong, "");
  if (explored != nullptr) *explored = result;
  return found;
}

template <std::memory_order of_store, std::memory_order of_load, bool fences>
std::set<Outcome> store_buffering() {
  return outcomes({[](Objects& o) {
                     o.x.store(1, of_store);
                     if (fences) std::atomic_thread_fence(kSeqCst);
                     o.seen[0] = o.y.load(of_load);
                   },
                   [](Objects& o) {
                     o.y.store(1, of_store);
                     if (fences) std::atomic_thread_fence(kSeqCst);
                     o.seen[1] = o.x.load(of_load);
                   }},
                  2);
}

TEST(WeakMemory, StoresWaitInBuffersUnlessAllIsSequentiallyConsistent) {
  const std::set<Outcome> all = {{0, 0, 1, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 1, 1}};
  std::set<Outcome> strong = all;
  strong.erase({0, 0, 1, 1});
  EXPECT_EQ((store_buffering<kRelaxed, kRelaxed, false>()), all);
  EXPECT_EQ((store_buffering<kRelease, kAcquire, false>()), all);
  EXPECT_EQ((store_buffering<kSeqCst, kSeqCst, false>()), strong);
  EXPECT_EQ((store_buffering<kRelaxed, kRelaxed, true>()), strong);
}

TEST(WeakMemory, AMembarrierOfOneThreadIsAFenceInBoth) {
  const std::set<Outcome> found = outcomes({[](Objects& o) {
                                              o.x.store(1, kRelaxed);
                                              memory::barrier_everywhere();
                                              o.seen[0] = o.y.load(kRelaxed);
                                            },
                                            [](Objects& o) {
                                              o.y.store(1, kRelaxed);
                                              o.seen[1] = o.x.load(kRelaxed);
                                            }},
                                           2);
  EXPECT_EQ(found, (std::set<Outcome>{{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 1, 1}}));
}

template <std::memory_order of_store, std::memory_order of_load>
std::set<Outcome> message_passing() {
  return outcomes({[](Objects& o) {
                     o.x.store(1, kRelaxed);
                     o.y.store(1, of_store);
                   },
                   [](Objects& o) {
                     o.seen[0] = o.y.load(of_load);
                     o.seen[1] = o.x.load(kRelaxed);
                   }},
                  2);
}

TEST(WeakMemory, WhoAcquiresWhatWasReleasedSeesWhatCameBefore) {
  const std::set<Outcome> all = {{0, 0, 1, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 1, 1}};
  std::set<Outcome> strong = all;
  strong.erase({1, 0, 1, 1});
  EXPECT_EQ((message_passing<kRelease, kAcquire>()), strong);
  EXPECT_EQ((message_passing<kRelaxed, kAcquire>()), all);
  EXPECT_EQ((message_passing<kRelease, kRelaxed>()), all);
}

TEST(WeakMemory, FencesDoWhatOrdersOfAccessesDo) {
  const std::set<Outcome> found = outcomes({[](Objects& o) {
                                              o.x.store(1, kRelaxed);
                                              std::atomic_thread_fence(kRelease);
                                              o.y.store(1, kRelaxed);
                                            },
                                            [](Objects& o) {
                                              o.seen[0] = o.y.load(kRelaxed);
                                              std::atomic_thread_fence(kAcquire);
                                              o.seen[1] = o.x.load(kRelaxed);
                                            }},
                                           2);
  EXPECT_EQ(found.count({1, 0, 1, 1}), 0U);
  EXPECT_EQ(found.size(), 3U);
}

TEST(WeakMemory, TwoThreadsMayStoreInOppositeOrders) {
  const std::set<Outcome> found = outcomes({[](Objects& o) {
                                              o.x.store(1, kRelaxed);
                                              o.y.store(2, kRelaxed);
                                            },
                                            [](Objects& o) {
                                              o.y.store(1, kRelaxed);
                                              o.x.store(2, kRelaxed);
                                            }},
                                           0);
  EXPECT_EQ(found, (std::set<Outcome>{{1, 1}, {1, 2}, {2, 1}, {2, 2}}));
}

TEST(WeakMemory, NobodySeesOneObjectGoBack) {
  const std::set<Outcome> found = outcomes({[](Objects& o) {
                                              o.x.store(1, kRelaxed);
                                              o.x.store(2, kRelaxed);
                                            },
                                            [](Objects& o) {
                                              o.seen[0] = o.x.load(kRelaxed);
                                              o.seen[1] = o.x.load(kRelaxed);
                                            }},
                                           2);
  EXPECT_EQ(found.size(), 6U);
  for (const Outcome& outcome : found) EXPECT_LE(outcome[0], outcome[1]);
}

template <std::memory_order of_load>
std::set<Outcome> independent_reads() {
  return outcomes({[](Objects& o) { o.x.store(1, of_load == kSeqCst ? kSeqCst : kRelease); },
                   [](Objects& o) { o.y.store(1, of_load == kSeqCst ? kSeqCst : kRelease); },
                   [](Objects& o) {
                     o.seen[0] = o.x.load(of_load);
                     o.seen[1] = o.y.load(of_load);
                   },
                   [](Objects& o) {
                     o.seen[2] = o.y.load(of_load);
                     o.seen[3] = o.x.load(of_load);
                   }},
                  4);
}

TEST(WeakMemory, TwoReadersMaySeeTwoStoresInOppositeOrders) {
  EXPECT_EQ(independent_reads<kAcquire>().count({1, 0, 1, 0, 1, 1}), 1U);
  EXPECT_EQ(independent_reads<kSeqCst>().count({1, 0, 1, 0, 1, 1}), 0U);
  EXPECT_EQ(independent_reads<kSeqCst>().size(), 15U);
}

TEST(WeakMemory, NoModificationIsLostAndEachContinuesTheRelease) {
  const std::set<Outcome> found = outcomes({[](Objects& o) {
                                              o.y.store(1, kRelaxed);
                                              o.x.store(1, kRelease);
                                            },
                                            [](Objects& o) { o.x.fetch_add(10, kRelaxed); },
                                            [](Objects& o) {
                                              o.seen[0] = o.x.load(kAcquire);
                                              o.seen[1] = o.y.load(kRelaxed);
                                            }},
                                           2);
  for (const Outcome& outcome : found) {
    EXPECT_TRUE(outcome[2] == 1 || outcome[2] == 11) << outcome[2];
    EXPECT_TRUE(outcome[1] == 1 || (outcome[0] != 1 && outcome[0] != 11));
  }
  EXPECT_EQ(found.count({11, 1, 11, 1}), 1U);
  EXPECT_EQ(found.count({1, 1, 1, 1}), 1U);  // the addition came before the store
}

TEST(WeakMemory, WhatAThreadHasSeenBeforeAMembarrierReachesItTheCallerSees) {
  const std::set<Outcome> found = outcomes({[](Objects& o) { o.x.store(1, kRelaxed); },
                                            [](Objects& o) {
                                              o.seen[0] = o.x.load(kRelaxed);
                                              o.seen[1] = o.y.load(kRelaxed);
                                            },
                                            [](Objects& o) {
                                              o.y.store(1, kRelaxed);
                                              memory::barrier_everywhere();
                                              o.seen[2] = o.x.load(kRelaxed);
                                            }},
                                           3);
  EXPECT_EQ(found.count({1, 0, 0, 1, 1}), 0U);
  EXPECT_EQ(found.size(), 7U);
}

/// Passes a plain value by a flag.
template <std::memory_order of_store, std::memory_order of_load>
std::string pass_plain() {
  return explore([](Execution& execution) {
           Objects* objects = &execution.make<Objects>();
           execution.share(objects->plain);
           execution.thread("writer", [objects] {
             objects->plain = 1;
             objects->x.store(1, of_store);
           });
           execution.thread("reader", [objects] {
             while (objects->x.load(of_load) == 0) look_again();
             require(objects->plain == 1, "the value is there");
           });
         })
      .wrong;
}

TEST(WeakMemory, PlainAccessesThatNothingOrdersAreFound) {
  EXPECT_EQ((pass_plain<kRelease, kAcquire>()), "");
  EXPECT_NE((pass_plain<kRelaxed, kAcquire>()).find("races"), std::string::npos);
  EXPECT_NE((pass_plain<kRelease, kRelaxed>()).find("races"), std::string::npos);
}

TEST(WeakMemory, AWaitForWhatNeverComesIsFound) {
  const Explored found = explore([](Execution& execution) {
    Objects* objects = &execution.make<Objects>();
    execution.thread("writer", [objects] { objects->x.store(1, kRelaxed); });
    execution.thread("reader", [objects] {
      while (objects->x.load(kRelaxed) != 2) look_again();
    });
  });
  EXPECT_NE(found.wrong.find("wait for ever"), std::string::npos);
}

TEST(WeakMemory, ExecutionsThatDifferInNothingAreGoneThroughOnce) {
  Explored explored;
  const std::set<Outcome> found = outcomes({[](Objects& o) {
                                              o.x.store(1, kRelaxed);
                                              o.x.store(2, kRelaxed);
                                            },
                                            [](Objects& o) {
                                              o.seen[0] = o.x.load(kRelaxed);
                                              o.seen[1] = o.x.load(kRelaxed);
                                            }},
                                           2, &explored);
  EXPECT_EQ(explored.executions, found.size());
}

}  // namespace
}  // namespace starling::weak::litmus_test
