// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Fibers, their slots and their heaps, without processes.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "fiber/fiber.hpp"
#include "fiber/heap.hpp"
#include "fiber/image.hpp"
#include "fiber/slots.hpp"

namespace starling::array::detail {
namespace {

constexpr std::size_t kStack = std::size_t{256} << 10;
constexpr std::size_t kHeap = std::size_t{16} << 20;

std::shared_ptr<Slots> some_slots(std::size_t count) { return Slots::reserve(0, {count, kStack, kHeap}, 0); }

/// A fiber on the stack of a slot.
struct Running {
  Running(const std::shared_ptr<Slots>& slots, std::size_t slot, void (*body)(void*), void* argument)
      : fiber((slots->take(slot, this, 4096), slots->stack(slot)), kStack, body, argument) {}
  Fiber fiber;
};

struct Counter {
  Fiber* fiber = nullptr;
  int steps = 0;
  double sum = 0;
};

void count(void* argument) {
  auto& counter = *static_cast<Counter*>(argument);
  double value = 0.5;  // in a register that is kept, or on the stack
  for (int i = 0; i < 100; ++i) {
    value += i;
    ++counter.steps;
    counter.fiber->suspend();
  }
  counter.sum = value;
}

TEST(Fiber, KeepsItsVariablesWhileOthersRun) {
  const auto slots = some_slots(8);
  std::vector<Counter> counters(8);
  std::vector<std::unique_ptr<Running>> fibers;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    fibers.push_back(std::make_unique<Running>(slots, i, count, &counters[i]));
    counters[i].fiber = &fibers[i]->fiber;
  }
  for (int step = 1; step <= 101; ++step) {
    for (std::size_t i = 0; i < counters.size(); ++i) {
      ASSERT_FALSE(fibers[i]->fiber.is_done());
      fibers[i]->fiber.resume();
      EXPECT_EQ(counters[i].steps, std::min(step, 100));
    }
  }
  for (std::size_t i = 0; i < counters.size(); ++i) {
    EXPECT_TRUE(fibers[i]->fiber.is_done());
    EXPECT_EQ(counters[i].sum, 4950.5);
    fibers[i]->fiber.end();
  }
}

void catch_in_turn(void* argument) {
  auto& counter = *static_cast<Counter*>(argument);
  try {
    throw std::runtime_error(std::to_string(counter.steps));
  } catch (const std::exception& error) {
    EXPECT_NE(Fiber::may_leave(), nullptr);
    counter.fiber->suspend();
    EXPECT_EQ(error.what(), std::to_string(counter.steps));
    try {
      throw;
    } catch (const std::runtime_error& again) {
      counter.fiber->suspend();
      EXPECT_EQ(again.what(), std::to_string(counter.steps));
    }
  }
  EXPECT_EQ(Fiber::may_leave(), nullptr);
}

TEST(Fiber, HasTheExceptionsThatItHandlesForItself) {
  const auto slots = some_slots(3);
  std::vector<Counter> counters(3);
  std::vector<std::unique_ptr<Running>> fibers;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i].steps = static_cast<int>(i) + 7;
    fibers.push_back(std::make_unique<Running>(slots, i, catch_in_turn, &counters[i]));
    counters[i].fiber = &fibers[i]->fiber;
  }
  for (int round = 0; round < 3; ++round) {
    for (auto& each : fibers) each->fiber.resume();
    EXPECT_EQ(Fiber::may_leave(), nullptr);
  }
  for (auto& each : fibers) {
    EXPECT_TRUE(each->fiber.is_done());
    each->fiber.end();
  }
}

void round_upwards(void* argument) {
  auto& counter = *static_cast<Counter*>(argument);
  std::fesetround(FE_UPWARD);
  counter.fiber->suspend();
  counter.steps = std::fegetround();
}

TEST(Fiber, HasARoundingModeOfItsOwn) {
  const auto slots = some_slots(1);
  Counter counter;
  Running running(slots, 0, round_upwards, &counter);
  counter.fiber = &running.fiber;
  const int before = std::fegetround();
  running.fiber.resume();
  EXPECT_EQ(std::fegetround(), before);
  running.fiber.resume();
  EXPECT_EQ(std::fegetround(), before);
  EXPECT_EQ(counter.steps, FE_UPWARD);
  running.fiber.end();
}

TEST(Slots, GiveZerosAndHandASlotOver) {
  const auto slots = some_slots(2);
  const int one = 1;
  const int other = 2;
  ASSERT_TRUE(slots->take(0, &one, 4096));
  std::memset(slots->stack(0), 7, 4096);
  slots->give(0, &other);  // is not its own
  EXPECT_EQ(*slots->stack(0), 7);
  ASSERT_TRUE(slots->take(0, &other, 4096));
  slots->give(0, &one);  // any more
  EXPECT_EQ(*slots->stack(0), 7);
  slots->give(0, &other);
  ASSERT_TRUE(slots->take(0, &one, 4096));
  EXPECT_EQ(*slots->stack(0), 0);
  EXPECT_EQ(slots->guarded_by(slots->stack(1) - 1), 1);
  EXPECT_EQ(slots->guarded_by(slots->stack(1)), -1);
  EXPECT_EQ(slots->guarded_by(&one), -1);
}

TEST(Slots, AreOneForThreadsThatHaveTheirKey) {
  const Slots::Layout layout{2, kStack, kHeap};
  std::shared_ptr<Slots> first;
  for (const std::uintptr_t each : Slots::usual_places()) {
    if (!first) first = Slots::reserve(each, layout, 77);
  }
  ASSERT_TRUE(first);
  const auto where = reinterpret_cast<std::uintptr_t>(first->begin());
  EXPECT_EQ(Slots::reserve(where, layout, 77), first);
  EXPECT_EQ(Slots::reserve(where, layout, 78), nullptr);
  first.reset();
  EXPECT_NE(Slots::reserve(where, layout, 78), nullptr);
}

using GuardDeathTest = ::testing::Test;

TEST(GuardDeathTest, WritingBelowAStackEndsTheProcess) {
  const auto slots = some_slots(2);
  ASSERT_TRUE(slots->take(1, &slots, 4096));
  EXPECT_DEATH(slots->stack(1)[-8] = 1, "");
}

/// A slot's heap with an heap in it.
class HeapTest : public ::testing::Test {
 protected:
  HeapTest() : slots_(some_slots(1)) {
    slots_->take(0, this, 65536);
    heap_ = new (slots_->heap(0)) Heap(kHeap, 65536, &Slots::commit);
  }
  std::shared_ptr<Slots> slots_;
  Heap* heap_;
};

struct Piece {
  std::size_t size;
  unsigned char filled;
};

TEST_F(HeapTest, GivesMemoryThatNobodyElseHas) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 chance(seed);
    std::map<unsigned char*, Piece> pieces;
    std::size_t out = 0;
    for (int i = 0; i < 4000; ++i) {
      if (pieces.empty() || chance() % 5 < 3) {
        const std::size_t size = chance() % 50 == 0 ? chance() % 100000 : chance() % 300;
        const std::size_t alignment = std::size_t{1} << (chance() % 10 == 0 ? chance() % 13 : 4);
        auto* at = static_cast<unsigned char*>(heap_->take(size, alignment));
        if (at == nullptr) continue;
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % alignment, 0u);
        const auto filled = static_cast<unsigned char>(chance() | 1);
        std::memset(at, filled, size);
        pieces[at] = {size, filled};
        out += size;
      } else {
        auto piece = pieces.begin();
        std::advance(piece, static_cast<long>(chance() % pieces.size()));
        for (std::size_t j = 0; j < piece->second.size; ++j) ASSERT_EQ(piece->first[j], piece->second.filled);
        heap_->give(piece->first);
        out -= piece->second.size;
        pieces.erase(piece);
      }
      ASSERT_GE(heap_->used(), out);
    }
    for (const auto& [at, piece] : pieces) heap_->give(at);
    EXPECT_EQ(heap_->used(), 0u);
  }
  // All of it is one piece again.
  EXPECT_NE(heap_->take(kHeap - 8192), nullptr);
}

TEST_F(HeapTest, SaysNoWhereThereIsNoRoom) {
  EXPECT_EQ(heap_->take(kHeap), nullptr);
  EXPECT_EQ(heap_->take(~std::size_t{0}), nullptr);
  EXPECT_THROW(static_cast<void>(heap_->allocate(kHeap)), std::bad_alloc);
  void* half = heap_->take(kHeap / 2);
  EXPECT_NE(half, nullptr);
  EXPECT_EQ(heap_->take(kHeap / 2), nullptr);
  heap_->give(half);
  EXPECT_NE(heap_->take(kHeap / 2), nullptr);
}

Image image_of(const Heap& heap) {
  Image image;
  heap.each_part([&](const char* from, const char* to) { image.add(from, to); });
  return image;
}

TEST_F(HeapTest, TravelsWithoutWhatWasGivenBack) {
  auto* large = static_cast<char*>(heap_->take(8 << 20));
  auto* kept = static_cast<char*>(heap_->take(10000));
  std::memset(large, 1, 8 << 20);
  std::memset(kept, 2, 10000);
  EXPECT_GT(image_of(*heap_).bytes(), std::size_t{8} << 20);
  heap_->give(large);
  EXPECT_LT(image_of(*heap_).bytes(), 30000u);

  const Image image = image_of(*heap_);
  Archive size = Archive::counting();
  image.pack(size);
  std::vector<char> bytes(size.used());
  Archive out = Archive::writing(bytes.data(), bytes.size());
  image.pack(out);
  const std::size_t committed = heap_->committed();
  slots_->give(0, this);
  ASSERT_TRUE(slots_->take(0, this, committed));
  Archive in = Archive::reading(bytes.data(), bytes.size());
  Image::unpack(in, slots_->stack(0), slots_->stack(0) + kStack + kHeap);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(kept[i], 2);
  heap_->give(kept);
  EXPECT_EQ(heap_->used(), 0u);
  EXPECT_NE(heap_->take(8 << 20), nullptr);
}

TEST(Image, RefusesWhatLiesOutsideOfItsPlace) {
  std::vector<char> memory(100000, 'a');
  Image image;
  image.add(memory.data(), memory.data() + memory.size());
  Archive size = Archive::counting();
  image.pack(size);
  std::vector<char> bytes(size.used());
  Archive out = Archive::writing(bytes.data(), bytes.size());
  image.pack(out);
  Archive in = Archive::reading(bytes.data(), bytes.size());
  EXPECT_THROW(Image::unpack(in, memory.data() + 1, memory.data() + memory.size()), ArchiveError);
  Archive again = Archive::reading(bytes.data(), bytes.size());
  EXPECT_THROW(Image::unpack(again, memory.data(), memory.data() + memory.size() - 1), ArchiveError);
}

}  // namespace
}  // namespace starling::array::detail
