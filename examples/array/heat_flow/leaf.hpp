// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Leaf: a leaf of the quadtree, with kCells * kCells cells of the plate; its index is its path from the root. Leaves
// that share a side differ by at most one level. What main asks of all of them, in turn:
//
//     advance    steps in time; each leaf goes on as soon as its neighbours have sent their borders
//     negotiate  agree on who splits and who joins (to be waited for with quiesce())
//     regrid     do it: a leaf that splits makes four and is deleted, four that join make one and are deleted
//
// **Thread safety**: as elements. **Invariants**: heat is lost and gained nowhere but from the torch: both sides of a
// border calculate the same flux. All that a leaf decides depends on values, never on the order of messages, so the
// result has the same bits on any number of processes. Source: O. Lawlor, L. Kalé, Supporting Dynamic Parallel Object
// Arrays, ISCOPE 2001, section 2.1; M. Berger, P. Colella, Local adaptive mesh refinement for shock hydrodynamics, 1989
// (fluxes at borders of levels).
#pragma once

#include <starling/array.hpp>
#include <tuple>
#include <vector>

#include "square.hpp"
#include "torch.hpp"

namespace heat_flow {

using Row = std::array<double, kCells>;
/// A number for each half of each side.
using Halves = std::array<std::array<int, 2>, kSides>;

/// What a leaf starts with.
struct Start {
  Square square;  // that its index is the path of
  Setup setup;
  int step = 0;
  Grid cells{};
  Halves levels{};  // of the neighbours; -1 at the edge of the plate
};

/// Heat, a sum over all bits of all cells, the lowest temperature.
using Census = std::tuple<double, std::uint64_t, double>;
using CountIn = starling::array::EachOf<starling::array::Sum, starling::array::Sum, starling::array::Min>;

/// A leaf as a picture shows it.
struct Patch {
  Square square;
  int rank = 0;
  std::array<float, kCells * kCells> cells{};
};

class Leaf : public starling::array::Element<Leaf, starling::array::BitString> {
 public:
  Leaf() = default;
  explicit Leaf(const Start& start) : start_(start) {}

  /// Goes on to step `until`, then counts itself.
  void advance(int until, const starling::array::Future<long>& leaves);
  /// A neighbour's row of cells beyond a side, before `step`. `half`: which half of the side a smaller one covers, or
  /// -1.
  void border(int step, int side, int half, const Row& row);

  /// Tells the neighbours which level it wants to have.
  void negotiate();
  void wish(int side, int half, int level);
  void regrid();
  /// From a sibling that joins: its cells, averaged by fours, and the neighbours beyond its outer sides.
  void take_quarter(int quadrant, const std::vector<double>& cells, const Halves& levels);

  void census(const starling::array::Future<Census>& total);
  void show(const starling::array::Future<std::vector<Patch>>& patches);

  void serialize(starling::array::Archive& archive) {
    archive(start_, until_, done_, borders_, wish_, wishes_, joining_, joined_);
  }

 private:
  struct Borders {
    std::array<std::array<Row, 2>, kSides> rows{};
    int arrived = 0;
  };

  template <class F>
  void each_neighbour(const F& visit) const;
  int neighbours() const;
  void send_borders() const;
  void go_on();
  void step(const Borders& borders);
  double pull(const Borders& borders, int side, int k) const;
  int wanted_level() const;
  void split();
  void join();

  Start start_;
  int until_ = 0;
  starling::array::Future<long> done_;
  std::array<Borders, 2> borders_;  // of even and odd steps: a neighbour can be one ahead
  int wish_ = 0;                    // the level that it will have
  Halves wishes_{};                 // and the neighbours
  Start joining_;                   // the parent, in the lower left one of four that join
  int joined_ = 0;
};

/// The first leaf at a square of a uniform mesh.
inline Start start_of(const Setup& setup, const Square& square) {
  Start start;
  start.square = square;
  start.setup = setup;
  for (int side = 0; side < kSides; ++side) {
    start.levels[static_cast<std::size_t>(side)].fill(square.beyond(side).exists() ? square.level : -1);
  }
  return start;
}

}  // namespace heat_flow
