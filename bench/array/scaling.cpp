// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Figures 8 and 9 of O. Lawlor, L. Kalé, Supporting Dynamic Parallel Object Arrays, ISCOPE 2001: 16 elements a process,
// all of which send a message to the next process, or go there, 1000 times; and 1000 broadcasts with a reduction.
// Prints the microseconds of each, by element and operation, or by broadcast. bench/array/scaling.py runs it for 1 to
// 32 processes.
//     mpiexec -n 2 bench/array/scaling_starling [OPERATIONS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <starling/array/element.hpp>
#include <vector>

#include "timing.hpp"

namespace {

using namespace starling::array;

constexpr int kEach = 16;  // elements of a process

class Cell : public Element<Cell> {
 public:
  void send(int left) {
    if (left == 0) return;
    const int all = kEach * session().size();
    array()[(index() + kEach) % all].send<&Cell::send>(left - 1);
  }
  void hop(int left) {
    if (left == 0) return;
    migrate_to((rank() + 1) % session().size());
    array()[index()].send<&Cell::hop>(left - 1);
  }
  void arrive(const Future<void>& done) { contribute(done); }
  void serialize(Archive& /*archive*/) {}
};

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  const int count = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1000;
  Array<Cell> cells(session, kEach * session.size());
  session.run([&] {
    const auto us_of = [&](int operations, auto&& body) {
      std::vector<double> times;
      for (int i = 0; i < 4; ++i) times.push_back(seconds_of(body) * 1e6 / operations);
      times.erase(times.begin());  // the way to each element is learned
      return median(times);
    };
    const double broadcast = us_of(count, [&] {
      for (int i = 0; i < count; ++i) {
        Future<void> done(session);
        cells.broadcast<&Cell::arrive>(done);
        done.get();
      }
    });
    const double message = us_of(kEach * count, [&] {
      cells.broadcast<&Cell::send>(count);
      session.quiesce();
    });
    const double migration = session.size() == 1 ? 0 : us_of(kEach * count, [&] {
      cells.broadcast<&Cell::hop>(count);
      session.quiesce();
    });
    std::printf("%d processes: broadcast and reduction %.3f us, message %.4f us, migration %.4f us\n", session.size(),
                broadcast, message, migration);
  });
}
