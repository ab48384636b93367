// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A virtual rank recurses without end: the job ends, and which rank it was is said first.
#include <starling/array/virtual_ranks.hpp>

namespace {

using namespace starling::array;

volatile bool ends = false;  // which no compiler knows

int descend(Rank& self, volatile int* above) {
  if (ends) return 0;
  volatile int mine[100];
  mine[0] = *above + 1;
  return descend(self, mine) + mine[0] + self.rank();
}

void work(Rank& self) {
  self.barrier();
  volatile int begin = 0;
  if (self.rank() == 3) begin = descend(self, &begin);
  self.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  VirtualRanks ranks(session, 2 * session.size(), work, {.stack_bytes = std::size_t{128} << 10});
  ranks.run();
}
