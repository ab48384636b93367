// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "leaf.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace heat_flow {

using namespace starling::array;

namespace {

std::size_t at(int number) { return static_cast<std::size_t>(number); }
/// The k-th cell along a side.
std::size_t cell_at(int side, int k) {
  switch (side) {
    case 0: return at(k * kCells);
    case 1: return at(k * kCells + kCells - 1);
    case 2: return at(k);
    default: return at((kCells - 1) * kCells + k);
  }
}
/// The cell of a quarter of the leaf, in the order of a quarter's cells with kCells / 2 to a row.
std::size_t cell_of_quarter(int quadrant, int i) {
  constexpr int kHalf = kCells / 2;
  return at((i / kHalf + (quadrant >> 1) * kHalf) * kCells + i % kHalf + (quadrant & 1) * kHalf);
}

}  // namespace

/// visit(path, side, half): each leaf beyond a side, and which side and half of it this one covers.
template <class F>
void Leaf::each_neighbour(const F& visit) const {
  const Square& square = start_.square;
  for (int side = 0; side < kSides; ++side) {
    const auto& levels = start_.levels[at(side)];
    if (levels[0] < 0) continue;
    const Square beyond = square.beyond(side);
    if (levels[0] == square.level) visit(beyond.path(), side ^ 1, -1);
    if (levels[0] < square.level) visit(beyond.parent().path(), side ^ 1, square.half(side));
    if (levels[0] <= square.level) continue;
    for (int half = 0; half < 2; ++half) visit(beyond.child(quadrant_at(side ^ 1, half)).path(), side ^ 1, -1);
  }
}

int Leaf::neighbours() const {
  const int level = start_.square.level;
  int count = 0;
  for (const auto& each : start_.levels) count += each[0] < 0 ? 0 : each[0] > level ? 2 : 1;
  return count;
}

// Steps in time.

void Leaf::advance(int until, const Future<long>& leaves) {
  until_ = until;
  done_ = leaves;
  send_borders();
  go_on();
}

void Leaf::send_borders() const {
  each_neighbour([&](const BitString& path, int side, int half) {
    Row row;
    for (int k = 0; k < kCells; ++k) row[at(k)] = start_.cells[cell_at(side ^ 1, k)];
    array()[path].send<&Leaf::border>(start_.step, side, half, row);
  });
}

void Leaf::border(int step, int side, int half, const Row& row) {
  Borders& borders = borders_[at(step & 1)];
  borders.rows[at(side)][at(std::max(half, 0))] = row;
  ++borders.arrived;
  go_on();
}

void Leaf::go_on() {
  while (start_.step < until_) {
    Borders& borders = borders_[at(start_.step & 1)];
    if (borders.arrived < neighbours()) return;
    step(borders);
    borders.arrived = 0;
    if (++start_.step < until_) {
      send_borders();
      continue;
    }
    wish_ = wanted_level();
    wishes_ = {};
    contribute(1L, Sum{}, done_);
    done_ = {};
  }
}

void Leaf::step(const Borders& borders) {
  const Square& square = start_.square;
  const double courant = kCourant / std::pow(4.0, start_.setup.finest - square.level);
  const Grid& old = start_.cells;
  Grid next = old;
  for (int i = 0; i < kCells * kCells; ++i) {
    if (i % kCells != kCells - 1) {
      const double flux = courant * (old[at(i + 1)] - old[at(i)]);
      next[at(i)] += flux;
      next[at(i + 1)] -= flux;
    }
    if (i < kCells * (kCells - 1)) {
      const double flux = courant * (old[at(i + kCells)] - old[at(i)]);
      next[at(i)] += flux;
      next[at(i + kCells)] -= flux;
    }
  }
  for (int side = 0; side < kSides; ++side) {
    for (int k = 0; k < kCells; ++k) next[cell_at(side, k)] += courant * pull(borders, side, k);
  }
  heat_up(next, square.x * square.size(), square.y * square.size(), square.size(), start_.setup, start_.step);
  start_.cells = next;
}

/// The difference of temperature to the k-th cell beyond a side, weighed as distance and length of the border ask.
double Leaf::pull(const Borders& borders, int side, int k) const {
  const int level = start_.square.level;
  const int theirs = start_.levels[at(side)][0];
  if (theirs < 0) return 0;
  const double mine = start_.cells[cell_at(side, k)];
  const auto& rows = borders.rows[at(side)];
  if (theirs == level) return rows[0][at(k)] - mine;
  if (theirs < level) return 2.0 / 3 * (rows[0][at(start_.square.half(side) * kCells / 2 + k / 2)] - mine);
  const Row& row = rows[at(2 * k / kCells)];
  const int first = 2 * k % kCells;
  return 2.0 / 3 * (row[at(first)] - mine) + 2.0 / 3 * (row[at(first + 1)] - mine);
}

// Who splits and who joins: each leaf wants a level for itself, and raises it where the level of a neighbour leaves no
// choice. Levels only rise, so the outcome is one whatever the order of messages.

int Leaf::wanted_level() const {
  const int level = start_.square.level;
  double most = 0;
  for (int i = 0; i < kCells * kCells; ++i) {
    const double mine = start_.cells[at(i)];
    if (i % kCells != kCells - 1) most = std::max(most, std::abs(start_.cells[at(i + 1)] - mine));
    if (i < kCells * (kCells - 1)) most = std::max(most, std::abs(start_.cells[at(i + kCells)] - mine));
  }
  if (most > start_.setup.refine_above) return std::min(level + 1, start_.setup.finest);
  if (most < start_.setup.coarsen_below) return std::max(level - 1, start_.setup.coarsest);
  return level;
}

void Leaf::negotiate() {
  each_neighbour(
      [&](const BitString& path, int side, int half) { array()[path].send<&Leaf::wish>(side, half, wish_); });
}

void Leaf::wish(int side, int half, int level) {
  auto& wishes = wishes_[at(side)];
  for (int each = 0; each < 2; ++each) {
    if (half < 0 || half == each) wishes[at(each)] = std::max(wishes[at(each)], level);
  }
  const Square& square = start_.square;
  const bool keeps_me = square.is_inner(side) && level >= square.level;  // four join or none
  const int least = std::max(level - 1, keeps_me ? square.level : 0);
  if (least <= wish_) return;
  wish_ = least;
  negotiate();
}

void Leaf::regrid() {
  const Square& square = start_.square;
  if (wish_ > square.level) return split();
  if (wish_ < square.level) return join();
  for (int side = 0; side < kSides; ++side) {
    if (start_.levels[at(side)][0] >= 0) start_.levels[at(side)] = wishes_[at(side)];
  }
}

void Leaf::split() {
  const Square& square = start_.square;
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    const Square child = square.child(quadrant);
    Start start{child, start_.setup, start_.step, {}, {}};
    for (int i = 0; i < kCells * kCells; ++i) {
      const int quarter = i / kCells / 2 * (kCells / 2) + i % kCells / 2;
      start.cells[at(i)] = start_.cells[cell_of_quarter(quadrant, quarter)];
    }
    for (int side = 0; side < kSides; ++side) {
      const bool is_edge = start_.levels[at(side)][0] < 0;
      start.levels[at(side)].fill(child.is_inner(side) ? child.level
                                  : is_edge            ? -1
                                                       : wishes_[at(side)][at(child.half(side))]);
    }
    array()[child.path()].create_on(rank(), start);
  }
  destroy();
}

void Leaf::join() {
  const Square& square = start_.square;
  std::vector<double> cells(kCells * kCells / 4);
  for (int i = 0; i < static_cast<int>(cells.size()); ++i) {
    const int first = i / (kCells / 2) * 2 * kCells + i % (kCells / 2) * 2;
    cells[at(i)] = 0.25 * (start_.cells[at(first)] + start_.cells[at(first + 1)] + start_.cells[at(first + kCells)] +
                           start_.cells[at(first + kCells + 1)]);
  }
  Halves levels = wishes_;
  for (int side = 0; side < kSides; ++side) {
    if (start_.levels[at(side)][0] < 0) levels[at(side)].fill(-1);
  }
  if (square.quadrant() == 0) return take_quarter(0, cells, levels);
  array()[square.parent().child(0).path()].send<&Leaf::take_quarter>(square.quadrant(), cells, levels);
  destroy();
}

void Leaf::take_quarter(int quadrant, const std::vector<double>& cells, const Halves& levels) {
  for (int i = 0; i < static_cast<int>(cells.size()); ++i) joining_.cells[cell_of_quarter(quadrant, i)] = cells[at(i)];
  const Square square = start_.square.parent().child(quadrant);
  for (int side = 0; side < kSides; ++side) {
    if (square.is_inner(side)) continue;
    joining_.levels[at(side)][at(square.half(side))] = levels[at(side)][0];
  }
  if (++joined_ < 4) return;
  joining_.square = start_.square.parent();
  joining_.setup = start_.setup;
  joining_.step = start_.step;
  array()[joining_.square.path()].create_on(rank(), joining_);
  destroy();
}

// What main wants to know.

void Leaf::census(const Future<Census>& total) {
  const Square& square = start_.square;
  double heat = 0;
  double lowest = start_.cells[0];
  // FNV-1a, from a start that depends on the place, so that no two leaves can change places unseen.
  std::uint64_t bits =
      14695981039346656037u +
      ((std::uint64_t(square.level) * 65536 + std::uint64_t(square.x)) * 65536 + std::uint64_t(square.y));
  for (const double each : start_.cells) {
    std::uint64_t word = 0;
    std::memcpy(&word, &each, sizeof word);
    bits = (bits ^ word) * 1099511628211u;
    heat += each;
    lowest = std::min(lowest, each);
  }
  const double h = square.size() / kCells;
  contribute(Census{heat * h * h, bits, lowest}, CountIn{}, total);
}

void Leaf::show(const Future<std::vector<Patch>>& patches) {
  Patch patch;
  patch.square = start_.square;
  patch.rank = rank();
  std::copy(start_.cells.begin(), start_.cells.end(), patch.cells.begin());
  contribute(std::vector<Patch>{patch}, Concat{}, patches);
}

}  // namespace heat_flow
