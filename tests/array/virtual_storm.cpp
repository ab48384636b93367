// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The storm: virtual ranks send at random, receive by all patterns, and move. All know from the seed what is sent, so
// each knows what it must get: of what matches a receive, the first of its sender.
#include <cstdint>
#include <memory_resource>
#include <random>
#include <starling/array/virtual_ranks.hpp>
#include <vector>

#include "array/virtual_job.hpp"
#include "support/cases.hpp"

namespace starling::tests::virtual_storm_cases {
namespace {

using namespace starling::array;

constexpr int kPhases = 6;
constexpr int kTags = 3;

thread_local std::uint64_t seed = 0;
__attribute__((noinline)) std::uint64_t seed_here() { return seed; }

/// A few numbers on the stack, with which a rank may move.
class Chance {
 public:
  Chance(std::uint64_t of, int rank, int phase)
      : state_(of * 1000003 + static_cast<std::uint64_t>(rank) * 7919 + static_cast<std::uint64_t>(phase)) {}
  std::uint64_t operator()(std::uint64_t below) {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 31)) % below;
  }

 private:
  std::uint64_t state_;
};

struct Sent {
  int to;
  int tag;
  int number;  // of its sender, in this phase
  int size;
};

/// What a rank sends in a phase.
template <class Visit>
void each_sent(std::uint64_t of, int rank, int phase, int ranks, Visit&& visit) {
  Chance chance(of, rank, phase);
  const int count = static_cast<int>(chance(12));
  for (int i = 0; i < count; ++i) {
    const int to = static_cast<int>(chance(static_cast<std::uint64_t>(ranks)));
    const int tag = static_cast<int>(chance(kTags));
    const int size = chance(10) == 0 ? static_cast<int>(chance(30000)) : static_cast<int>(chance(20));
    visit(Sent{to, tag, i, size});
  }
}

struct Expected {
  int from;
  int tag;
  int number;
  int size;
};

bool matches(const Expected& each, int from, int tag) {
  return (from == kAnySource || from == each.from) && (tag == kAnyTag || tag == each.tag);
}

void move_at_random(Rank& self, Chance& chance) {
  if (chance(3) == 0) self.yield();
  if (chance(4) == 0) self.migrate_to(static_cast<int>(chance(static_cast<std::uint64_t>(self.session().size()))));
}

/// One receive by a pattern that something matches; false where what came is not what had to.
bool receive_one(Rank& self, Chance& chance, int phase, std::pmr::vector<Expected>& left) {
  const Expected any = left[chance(left.size())];
  const int from = chance(2) == 0 ? kAnySource : any.from;
  const int tag = chance(2) == 0 ? kAnyTag : any.tag;
  std::vector<int> got;
  const Status status = self.recv(from, got, tag);
  for (auto each = left.begin(); each != left.end(); ++each) {
    if (each->from != status.source || !matches(*each, from, tag)) continue;
    const bool right = each->tag == status.tag && got.size() == static_cast<std::size_t>(each->size) + 2 &&
                       got[0] == phase && got[1] == each->number &&
                       got.back() == (each->size > 0 ? each->number : got[1]);
    left.erase(each);
    return right;
  }
  return false;
}

void storm(Rank& self) {
  const std::uint64_t of = seed_here();
  std::pmr::vector<Expected> left(self.heap());
  Chance chance(of + 17, self.rank(), 1000);
  std::int64_t wrong = 0;
  std::int64_t received = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    for (int from = 0; from < self.size(); ++from) {
      each_sent(of, from, phase, self.size(), [&](const Sent& sent) {
        if (sent.to == self.rank()) left.push_back({from, sent.tag, sent.number, sent.size});
      });
    }
    each_sent(of, self.rank(), phase, self.size(), [&](const Sent& sent) {
      {
        std::vector<int> values(static_cast<std::size_t>(sent.size) + 2, sent.number);
        values[0] = phase;
        self.send(sent.to, values, sent.tag);
      }
      move_at_random(self, chance);
    });
    for (; !left.empty(); ++received) {
      if (!receive_one(self, chance, phase, left)) ++wrong;
      move_at_random(self, chance);
    }
    // All phases are apart, so that a wildcard takes nothing of the next one.
    if (phase % 2 == 0) {
      self.migrate();
    } else {
      self.barrier();
    }
  }
  const std::int64_t all_wrong = self.allreduce(wrong, Sum{});
  const std::int64_t all = self.allreduce(received, Sum{});
  std::int64_t expected = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    for (int from = 0; from < self.size(); ++from) {
      each_sent(of, from, phase, self.size(), [&](const Sent&) { ++expected; });
    }
  }
  Job& world = job_here();
  CHECK_EQ(all_wrong, 0);
  CHECK_EQ(all, expected);
}

CASE("virtual storm: ranks send, receive and move at random", 1, 64) {
  seed = world.seed;
  VirtualJob here(world);
  here.session.set_restless(world.seed % 2 == 0);
  VirtualRanks ranks(here.session, 1 + static_cast<int>(world.seed * 5 % 13) + 2 * world.size, storm,
                     {.balance = {.strategy = "greedy", .always = true}});
  here.expect_moves(ranks);
  ranks.run();
}

}  // namespace
}  // namespace starling::tests::virtual_storm_cases
