// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A fire in a plate, by virtual ranks: each has a strip of rows, exchanges the rows at its borders with its neighbours,
// and lets heat flow. Where it burns a cell costs much more than elsewhere, and the fire begins at the upper border, so
// the first process has most of the work until migrate() moves ranks to the others. The program is written as one for
// MPI is; nothing in it says who moves where.
//     mpiexec -n 2 array_stencil [RANKS [STEPS]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory_resource>
#include <span>
#include <starling/array/virtual_ranks.hpp>
#include <utility>
#include <vector>

namespace {

using namespace starling::array;

constexpr int kColumns = 256;
constexpr int kRows = 16;           // of a rank
constexpr int kBetweenMoves = 20;   // steps
constexpr double kBurnsFrom = 0.5;  // temperature

int steps = 100;

double now_s() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The rows of a rank with one of each neighbour. They lie on the rank's heap, and so move with it.
class Strip {
 public:
  explicit Strip(Rank& self)
      : cells_(static_cast<std::size_t>(kRows + 2) * kColumns, 0.0, self.heap()), next_(cells_, self.heap()) {}
  double* row(int number) { return cells_.data() + static_cast<std::size_t>(number) * kColumns; }
  void set(int row_number, double temperature) {
    for (int column = 0; column < kColumns; ++column) row(row_number)[column] = temperature;
  }
  void step() {
    for (int r = 1; r <= kRows; ++r) {
      double* into = next_.data() + static_cast<std::size_t>(r) * kColumns;
      for (int c = 0; c < kColumns; ++c) {
        const double left = row(r)[c > 0 ? c - 1 : c];
        const double right = row(r)[c + 1 < kColumns ? c + 1 : c];
        const double flow = row(r - 1)[c] + row(r + 1)[c] + left + right - 4 * row(r)[c];
        into[c] = burnt(row(r)[c] + 0.2 * flow);
      }
    }
    std::swap(cells_, next_);
  }
  double heat() {
    double sum = 0;
    for (int r = 1; r <= kRows; ++r) {
      for (int c = 0; c < kColumns; ++c) sum += row(r)[c];
    }
    return sum;
  }

 private:
  /// Chemistry, in many small steps of time.
  static double burnt(double temperature) {
    if (temperature < kBurnsFrom) return temperature;
    for (int i = 0; i < 40; ++i) temperature += 1e-4 * (1 - temperature) * std::exp(-0.1 / temperature);
    return temperature;
  }

  std::pmr::vector<double> cells_;
  std::pmr::vector<double> next_;
};

/// The rows of the neighbours as they are now; the plate's own borders keep theirs.
void exchange_borders(Rank& self, Strip& strip) {
  const int above = self.rank() - 1;
  const int below = self.rank() + 1;
  const auto border = [&](int row) { return std::span<double>(strip.row(row), kColumns); };
  if (above >= 0) self.send(above, border(1));
  if (below < self.size()) self.send(below, border(kRows));
  if (above >= 0) self.recv(above, border(0));
  if (below < self.size()) self.recv(below, border(kRows + 1));
}

void burn(Rank& self) {
  Strip strip(self);
  // It burns in the upper quarter of the plate.
  if (4 * self.rank() < self.size()) {
    for (int row = 0; row <= kRows + 1; ++row) strip.set(row, 0.9);
  }
  double begin_s = now_s();
  for (int step = 1; step <= steps; ++step) {
    exchange_borders(self, strip);
    strip.step();
    if (step % kBetweenMoves != 0) continue;
    const double heat = self.allreduce(strip.heat(), Sum{});
    const int moved = self.allreduce(self.migrate() ? 1 : 0, Sum{});
    if (self.rank() == 0) {
      std::printf("step %4d: %6.2f ms a step, heat %.6f; then %d of %d ranks moved\n", step,
                  (now_s() - begin_s) * 1e3 / kBetweenMoves, heat, moved, self.size());
    }
    begin_s = now_s();
  }
}

}  // namespace

int main(int argc, char** argv) {
  same_addresses(argv);  // so that ranks can move
  Session session(argc, argv);
  const int count = argc > 1 ? std::atoi(argv[1]) : 16 * session.size();
  if (argc > 2) steps = std::atoi(argv[2]);
  VirtualRanks ranks(session, count, burn);
  ranks.run();
}
