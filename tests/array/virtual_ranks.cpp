// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Virtual ranks: messages, collectives, and what a rank takes along when it moves.
#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory_resource>
#include <numeric>
#include <span>
#include <starling/array/virtual_ranks.hpp>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "array/virtual_job.hpp"
#include "support/cases.hpp"
#include "support/clocks.hpp"

namespace starling::tests::virtual_ranks_cases {
namespace {

using namespace starling::array;

void ping_pong(Rank& self) {
  Job& world = job_here();
  const int partner = self.size() - 1 - self.rank();
  for (int round = 0; round < 50; ++round) {
    const std::size_t size = std::size_t{1} << (round % 16);
    std::vector<int> values(size, self.rank() * 1000 + round);
    if (self.rank() < partner) {
      self.send(partner, values, round);
      const Status status = self.recv(partner, values, round);
      CHECK_EQ(status.source, partner);
      CHECK_EQ(status.tag, round);
      CHECK_EQ(status.bytes, size * sizeof(int));
    } else {
      std::vector<int> got;
      self.recv(partner, got, round);
      self.send(partner, values, round);
      values = got;
    }
    CHECK_EQ(values.size(), size);
    CHECK_EQ(values.back(), partner * 1000 + round);
  }
}

CASE("virtual ranks, more than processes, play ping-pong", 1, 64) {
  VirtualJob here(world);
  for (const int count : {2, 8 * world.size}) {
    VirtualRanks ranks(here.session, count, ping_pong);
    CHECK_EQ(ranks.size(), count);
    ranks.run();
    ranks.run();
  }
}

/// All send to rank 0, which takes their messages by source, by tag, or as they come.
void many_to_one(Rank& self) {
  Job& world = job_here();
  constexpr int kEach = 12;
  if (self.rank() != 0) {
    for (int i = 0; i < kEach; ++i) self.send(0, i, i % 3);
    return;
  }
  const auto senders = static_cast<std::size_t>(self.size() - 1);
  std::vector<int> next(senders + 1);
  // Some come in any order of senders, but in the order of each.
  for (std::size_t i = 0; i < 4 * senders; ++i) {
    int value = -1;
    const Status status = self.recv(kAnySource, value);
    int& expected = next[static_cast<std::size_t>(status.source)];
    CHECK_EQ(value, expected++);
    CHECK_EQ(status.tag, value % 3);
  }
  // The rest of each, the tags one after another and the last sender first.
  for (int tag = 2; tag >= 0; --tag) {
    for (int source = self.size() - 1; source >= 1; --source) {
      for (int i = next[static_cast<std::size_t>(source)]; i < kEach; ++i) {
        if (i % 3 != tag) continue;
        CHECK_EQ(self.probe(source, tag).bytes, sizeof(int));
        int value = -1;
        self.recv(source, value, tag);
        CHECK_EQ(value, i);
      }
    }
  }
  CHECK(!self.iprobe().has_value());
}

CASE("virtual ranks receive by source, by tag and by neither, in order", 1, 64) {
  VirtualJob here(world);
  VirtualRanks ranks(here.session, 3 * world.size + 1, many_to_one);
  ranks.run();
}

void kinds_of_values(Rank& self) {
  Job& world = job_here();
  const int right = (self.rank() + 1) % self.size();
  const int left = (self.rank() + self.size() - 1) % self.size();
  std::string text;
  self.sendrecv(right, std::string("from ") + std::to_string(self.rank()), left, text);
  CHECK_EQ(text, "from " + std::to_string(left));
  const std::map<std::string, std::vector<int>> map{{"a", {1, 2}}, {"b", {self.rank()}}};
  std::map<std::string, std::vector<int>> got;
  self.sendrecv(right, map, left, got, 3);
  CHECK_EQ(got["b"].at(0), left);
  std::array<double, 4> into{};
  const std::vector<double> three{1, 2, 3};
  const Status status = self.sendrecv(right, three, left, std::span<double>(into));
  CHECK_EQ(status.bytes, 3 * sizeof(double));
  CHECK_EQ(into[2], 3.0);
  self.send(right, std::vector<int>{});
  std::vector<int> empty(5);
  self.recv(left, empty);
  CHECK(empty.empty());
}

CASE("virtual ranks send what an archive takes, and arrays as they lie", 1, 64) {
  VirtualJob here(world);
  VirtualRanks ranks(here.session, 2 * world.size + 1, kinds_of_values);
  ranks.run();
}

void collectives(Rank& self) {
  Job& world = job_here();
  const int size = self.size();
  const int me = self.rank();
  for (int round = 0; round < 12; ++round) {
    const int root = (round * 5) % size;
    if ((me + round) % 3 == 0) self.yield();
    self.barrier();
    std::vector<int> told;
    if (me == root) told = {root, round};
    self.broadcast(told, root);
    CHECK_EQ(told.size(), 2u);
    CHECK_EQ(told[1], round);
    double again = me == root ? round + 0.5 : 0;
    self.broadcast(again, root);  // a second one behind the first, for those that are late
    CHECK_EQ(again, round + 0.5);
    const auto sum = self.reduce(me + round, Sum{}, root);
    CHECK_EQ(sum.has_value(), me == root);
    if (sum) CHECK_EQ(*sum, size * (size - 1) / 2 + size * round);
    CHECK_EQ(self.allreduce(std::int64_t{me}, Max{}), size - 1);
    const std::vector<double> both = self.allreduce(std::vector<double>{1.0, 1.0 * me}, Sum{});
    CHECK_EQ(both[0], 1.0 * size);
    const auto all = self.gather(std::string(static_cast<std::size_t>(me), 'x'), root);
    CHECK_EQ(all.size(), me == root ? static_cast<std::size_t>(size) : 0u);
    for (std::size_t i = 0; i < all.size(); ++i) CHECK_EQ(all[i].size(), i);
    const auto everywhere = self.allgather(me * 10);
    CHECK_EQ(everywhere.at(static_cast<std::size_t>(size / 2)), size / 2 * 10);
    CHECK_EQ(std::accumulate(everywhere.begin(), everywhere.end(), 0), size * (size - 1) / 2 * 10);
  }
}

CASE("virtual ranks call collectives", 1, 64) {
  VirtualJob here(world);
  for (const int count : {1, world.size, 5 * world.size + 2}) {
    VirtualRanks ranks(here.session, count, collectives);
    ranks.run();
  }
}

struct Shape {
  virtual ~Shape() = default;
  virtual int corners() const = 0;
};
struct Square final : Shape {
  explicit Square(int of) : owner(of) {}
  int corners() const override { return 4 + owner; }
  int owner;
};

/// Each level has variables, and a pointer to those of the level above; below all of them the rank moves.
int descend(Rank& self, int depth, const std::array<int, 40>* above) {
  std::array<int, 40> mine;
  std::iota(mine.begin(), mine.end(), depth * self.rank());
  const Square square(depth);
  const Shape* shape = &square;
  int sum = 0;
  if (depth > 0) {
    sum = descend(self, depth - 1, &mine);
  } else {
    const int processes = self.session().size();
    const int to = (self.process() + 1) % processes;
    if (self.migrate_to(to)) {
      Job& world = job_here();
      CHECK_EQ(self.process(), to);
      CHECK_EQ(world.rank, to);
    }
  }
  if (above != nullptr && (*above)[39] != (depth + 1) * self.rank() + 39) sum += 1000000;
  if (shape->corners() != 4 + depth) sum += 1000000;
  return sum + mine[1];
}

void moves_in_depth(Rank& self) {
  constexpr int kDepth = 40;
  for (int round = 0; round < 3; ++round) {
    const int sum = descend(self, kDepth, nullptr);
    Job& world = job_here();
    CHECK_EQ(sum, kDepth * (kDepth + 1) / 2 * self.rank() + kDepth + 1);
    self.send((self.rank() + 1) % self.size(), sum);
    const int left = (self.rank() + self.size() - 1) % self.size();
    int of_left = 0;
    self.recv(left, of_left);
    job_here().check_eq(of_left, kDepth * (kDepth + 1) / 2 * left + kDepth + 1, "of_left", __FILE__, __LINE__);
  }
}

CASE("a virtual rank moves in the depth of a recursion, and goes on there", 1, 64) {
  VirtualJob here(world);
  VirtualRanks ranks(here.session, 2 * world.size + 1, moves_in_depth);
  here.expect_moves(ranks);
  ranks.run();
  if (ranks.can_move() && world.size > 1) CHECK(ranks.counters().arrived > 0);
}

void throws_after_moving(Rank& self) {
  int caught = 0;
  for (int round = 0; round < 4; ++round) {
    try {
      self.migrate_to((self.process() + round) % self.session().size());
      throw round;
    } catch (const int number) {
      caught += number;
      self.barrier();  // within the handler: others run meanwhile, with exceptions of their own
    }
  }
  Job& world = job_here();
  CHECK_EQ(caught, 6);
}

CASE("a virtual rank throws and catches where it has come to, and waits in handlers", 1, 64) {
  VirtualJob here(world);
  VirtualRanks ranks(here.session, 2 * world.size + 1, throws_after_moving);
  ranks.run();
}

void takes_its_heap_along(Rank& self) {
  std::pmr::memory_resource* heap = self.heap();
  std::pmr::map<int, std::pmr::string> names(heap);
  std::pmr::list<std::pmr::vector<double>> lists(heap);
  void* aligned = heap->allocate(1000, 4096);
  for (int i = 0; i < 200; ++i) names[i] = std::pmr::string(static_cast<std::size_t>(20 + i), 'a');
  for (int i = 0; i < 20; ++i) lists.emplace_back(static_cast<std::size_t>(i * 100), self.rank() + i);
  const std::pmr::string* one = &names[100];
  for (int round = 0; round < 3; ++round) {
    self.migrate_to((self.process() + 1) % self.session().size());
    Job& world = job_here();
    CHECK_EQ(one, &names[100]);
    CHECK_EQ(one->size(), static_cast<std::size_t>(120 + round));
    CHECK_EQ(lists.back().back(), self.rank() + 19 + round);
    for (auto& [number, name] : names) name += 'b';
    for (int i = round; i < 200; i += 3) {
      if (i != 100) names.erase(i);
    }
    for (int i = 0; i < 50; ++i)
      names[1000 * round + 1000 + i] = "new since then, and longer than a string has room for";
    lists.emplace_front(5000);
    if (lists.size() > 21) lists.pop_front();
    lists.back().back() += 1;
  }
  heap->deallocate(aligned, 1000, 4096);
}

CASE("a virtual rank's heap moves with it, and its pointers stay right", 1, 64) {
  VirtualJob here(world);
  VirtualRanks ranks(here.session, 2 * world.size + 1, takes_its_heap_along);
  here.expect_moves(ranks);
  ranks.run();
}

void moves_with_large_memory(Rank& self) {
  constexpr std::size_t kMany = 3 << 20;
  auto* numbers = static_cast<std::uint64_t*>(self.heap()->allocate(kMany * sizeof(std::uint64_t), 64));
  for (std::size_t i = 0; i < kMany; i += 4096) numbers[i] = i + static_cast<std::size_t>(self.rank());
  self.migrate_to((self.process() + 1) % self.session().size());
  Job& world = job_here();
  bool right = true;
  for (std::size_t i = 0; i < kMany; i += 4096)
    right = right && numbers[i] == i + static_cast<std::size_t>(self.rank());
  CHECK(right);
  self.heap()->deallocate(numbers, kMany * sizeof(std::uint64_t), 64);
}

CASE("of a virtual rank only pages that have something in them travel", 2, 4) {
  VirtualJob here(world);
  VirtualRanks ranks(here.session, world.size, moves_with_large_memory);
  ranks.run();
  if (!ranks.can_move()) return;
  // 24 MiB, of which one page in eight was written.
  CHECK(ranks.counters().moved_bytes < (4 << 20));
  CHECK(ranks.counters().moved_bytes > (3 << 20));
}

void outgrows_its_heap(Rank& self) {
  Job& world = job_here();
  bool refused = false;
  try {
    static_cast<void>(self.heap()->allocate(std::size_t{2} << 20));
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  CHECK(refused);
  void* small = self.heap()->allocate(std::size_t{512} << 10);
  self.heap()->deallocate(small, std::size_t{512} << 10);
}

CASE("a virtual rank's heap has the size that was asked for", 1, 8) {
  VirtualJob here(world);
  VirtualRanks ranks(here.session, world.size, outgrows_its_heap, {.heap_bytes = std::size_t{1} << 20});
  ranks.run();
}

/// Work that grows with the number of the rank: in equal parts the last process has most of it. So much processor time,
/// not so many turns, for a virtual machine's host may count as a thread's what it keeps for itself.
void uneven(Rank& self) {
  std::uint64_t state = static_cast<std::uint64_t>(self.rank());
  for (int step = 0; step < 4; ++step) {
    const double until_s = thread_processor_s() + 400e-6 * (1 + self.rank());
    while (thread_processor_s() < until_s) state = state * 0x9e3779b97f4a7c15u + (state >> 29);
    self.allreduce(state, BitXor{});
    self.migrate();
  }
}

CASE("migrate() evens out the loads of virtual ranks", 2, 4) {
  VirtualJob here(world);
  VirtualRanks ranks(here.session, 8 * world.size, uneven, {.balance = {.strategy = "greedy", .always = true}});
  here.expect_moves(ranks);
  ranks.run();
  if (world.rank != 0) return;
  if (!ranks.can_move()) return static_cast<void>(CHECK(ranks.balanced().empty()));
  CHECK_EQ(ranks.balanced().size(), 4u);
  const balancing::Verdict& first = ranks.balanced().front().verdict;
  CHECK(first.moves > 0);
  CHECK(first.imbalance_before > 1.2);  // about 1.5 by the work
  CHECK(first.imbalance_after < first.imbalance_before);
  // What was measured after the moves is what was to come of them, but for the noise of a busy machine.
  const balancing::Verdict& last = ranks.balanced().back().verdict;
  CHECK(last.imbalance_before < first.imbalance_before);
}

void passes_on(Rank& self) {
  std::uint64_t state = static_cast<std::uint64_t>(self.rank()) + 1;
  std::pmr::vector<std::uint64_t> seen(self.heap());
  for (int step = 0; step < 20; ++step) {
    self.send((self.rank() + 1) % self.size(), state);
    self.migrate();
    std::uint64_t got = 0;
    self.recv((self.rank() + self.size() - 1) % self.size(), got);
    state = got + 1;
    seen.push_back(got);
  }
  Job& world = job_here();
  CHECK_EQ(seen.size(), 20u);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    const auto from =
        static_cast<std::uint64_t>((self.rank() + 20 * self.size() - 1 - static_cast<int>(i)) % self.size());
    CHECK_EQ(seen[i], from + 1 + i);
  }
}

CASE("virtual ranks that move at each migrate() get the messages that they had not taken", 1, 64) {
  VirtualJob here(world);
  here.session.set_restless(true);
  VirtualRanks ranks(here.session, 3 * world.size, passes_on);
  ranks.run();
  if (ranks.can_move() && world.size > 1) CHECK(ranks.counters().arrived > 10);
}

}  // namespace
}  // namespace starling::tests::virtual_ranks_cases
