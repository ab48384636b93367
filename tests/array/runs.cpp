// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Several runs and arrays in one session: processes need not be equally far.
#include <unistd.h>

#include <starling/array/element.hpp>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::runs_cases {
namespace {

using namespace starling::array;

struct Counter : Element<Counter> {
  void count(const Future<long>& to) { contribute(1L, Sum{}, to); }
  void pass(int left) {
    if (left > 0) array()[(index() + 1) % 8].send<&Counter::pass>(left - 1);
  }
};

CASE("a process that is ahead uses arrays that others are about to make", 1, 8) {
  Session session(everybody());
  for (int round = 0; round < 20; ++round) {
    if (world.rank == round % world.size) usleep(2000);
    Array<Counter> counters(session, 8);
    session.run([&] {
      Future<long> count(session);
      counters.broadcast<&Counter::count>(count);
      counters[round % 8].send<&Counter::pass>(20);
      CHECK_EQ(count.get(), 8);
    });
  }
}

}  // namespace
}  // namespace starling::tests::runs_cases
