// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Mistakes of virtual ranks: each ends the run with a text that says which rank did what.
#include <array>
#include <span>
#include <starling/array/virtual_ranks.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "array/virtual_job.hpp"
#include "support/cases.hpp"

namespace starling::tests::virtual_mistakes_cases {
namespace {

using namespace starling::array;

thread_local int alive = 0;

/// Counts itself while it lives, so that a rank that is given up is seen to let go of what it holds.
struct Counted {
  Counted() { count(1); }
  ~Counted() { count(-1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  __attribute__((noinline)) static void count(int by) { alive += by; }
};

void waits_in_vain(Rank& self) {
  const Counted counted;
  int value = 0;
  if (self.rank() == 0) self.send(1, 5, 3);
  if (self.rank() == 1) self.recv(0, value, 4);
  if (self.rank() > 1) self.barrier();
}
void exceeds_a_span(Rank& self) {
  std::array<int, 2> two{};
  if (self.rank() == 0) self.send(1, std::vector<int>(3));
  if (self.rank() == 1) self.recv(0, std::span<int>(two));
}
void sends_to_nobody(Rank& self) { self.send(self.size(), 1); }
void sends_a_bad_tag(Rank& self) { self.send(0, 1, -3); }
void moves_in_a_handler(Rank& self) {
  try {
    throw 1;
  } catch (const int) {
    self.migrate();
  }
}
void throws(Rank& self) {
  const Counted counted;
  if (self.rank() == 1) throw std::runtime_error("the disk is full");
  self.barrier();
}
void calls_other_broadcasts(Rank& self) {
  int value = 0;
  if (self.rank() < 2) self.broadcast(value, 2 * self.rank());
}
void misses_a_root(Rank& self) {
  int value = 0;
  if (self.rank() == 0) self.broadcast(value, 1);
}
void moves_to_nowhere(Rank& self) { self.migrate_to(self.session().size()); }

CASE("a mistake of a virtual rank ends the run and says what it is", 1, 64) {
  struct Mistake {
    VirtualRanks::Main main;
    std::vector<std::string> says;
  };
  std::vector<Mistake> mistakes{
      {waits_in_vain, {"in vain", "rank 1 in recv (source 0, tag 4), with 1 other messages", "rank 2 in a collective"}},
      {exceeds_a_span, {"12 bytes from rank 0", "fit into 8 bytes"}},
      {sends_to_nobody, {"calls send with rank 4, but there are ranks 0 to 3"}},
      {sends_a_bad_tag, {"sends with tag -3"}},
      {moves_in_a_handler, {"calls migrate() within a handler of an exception"}},
      {throws, {"the disk is full"}},
      {misses_a_root, {"in vain", "rank 0 in a broadcast that its root does not call"}},
      {calls_other_broadcasts, {"rank 1 waits for a broadcast of rank 2, and rank 0 began one"}}};
  if (world.size == 1 || world.ranks_are == RanksAre::kThreads || addresses_are_same()) {
    mistakes.push_back({moves_to_nowhere, {"wants to move to process"}});
  }
  for (const Mistake& each : mistakes) {
    VirtualJob here(world);
    VirtualRanks ranks(here.session, 4, each.main);
    const std::string text = here.error_of(ranks);
    for (const std::string& part : each.says) {
      if (!CHECK(text.find(part) != std::string::npos)) world.fail("it says: " + text, __FILE__, __LINE__);
    }
    CHECK(here.error_of(ranks).find("make them anew") != std::string::npos);
    CHECK_EQ(alive, 0);
  }
}

thread_local int begun = 0;

__attribute__((noinline)) void count_begun() { ++begun; }
void throws_first(Rank& self) {
  if (self.rank() == 0) throw std::runtime_error("at once");
  count_begun();
}

CASE("virtual ranks that had not begun when an error ended the run do not begin then", 1, 1) {
  VirtualJob here(world);
  VirtualRanks ranks(here.session, 4, throws_first);
  begun = 0;
  CHECK(here.error_of(ranks).find("at once") != std::string::npos);
  CHECK_EQ(begun, 0);
}

void migrates(Rank& self) {
  self.migrate();
  self.barrier();
}

CASE("virtual ranks refuse what they cannot be made of", 1, 64) {
  VirtualJob here(world);
  const auto text_of = [&](int count, const VirtualRanksOptions& options) -> std::string {
    try {
      const VirtualRanks ranks(here.session, count, migrates, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(text_of(0, {}).find("0 virtual ranks") != std::string::npos);
  CHECK(text_of(4, {.heap_bytes = std::size_t{1} << 46}).find("ulimit -v") != std::string::npos);
  if (world.size > 1) {
    CHECK(text_of(4 * world.rank, {}).find("other numbers of ranks") != std::string::npos);
    CHECK(text_of(4 + world.rank, {}).find("other numbers of ranks") != std::string::npos);
  }
}

CASE("virtual ranks that find no common addresses run, and do not move", 1, 64) {
  VirtualJob here(world);
  VirtualRanks ranks(here.session, 4, migrates, {.at_address = 12345});  // which is no page's
  CHECK(!ranks.can_move());
  ranks.run();
}

}  // namespace
}  // namespace starling::tests::virtual_mistakes_cases
