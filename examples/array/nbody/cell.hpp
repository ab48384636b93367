// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Cell: a square of side 1 of a periodic box, with the particles that are in it. Particles attract each other over
// distances up to 1, so a cell needs to know those of the eight cells around it only. In each step it
//
//     drifts    pushes its particles on, and sends those that left to the cells around
//     settles   once all eight lists have come: sends the places of its particles around
//     feels     once all eight views have come: calculates the forces, goes on to the next step
//
// and no cell waits for more than its neighbours.
//
// **Thread safety**: as elements. **Invariants**: a cell's particles are in the order of their ids and the views in
// that of their directions, so the result has the same bits on any number of processes. Forces of a pair are exactly
// opposite. Source: M. Allen, D. Tildesley, Computer simulation of liquids, 1987 (velocity Verlet, link cells).
#pragma once

#include <array>
#include <cstdint>
#include <starling/array.hpp>
#include <tuple>
#include <vector>

namespace nbody {

constexpr double kPull = 1e-3;       // potential energy of a pair: -kPull (1 - q)^2 / (q + kSoftening), q the squared
constexpr double kSoftening = 0.05;  // distance; it and its derivative are 0 at q = 1
constexpr int kAround = 8;

struct Setup {
  int across = 24;  // the box has across * across cells
  int particles = 8000;
  double time_step = 0.01;
};

struct Particle {
  std::int64_t id = 0;
  double x = 0;
  double y = 0;
  double vx = 0;
  double vy = 0;
  double fx = 0;
  double fy = 0;
};
struct Point {
  double x = 0;
  double y = 0;
};

/// Kinetic and potential energy, momentum, the sum of its amounts, a sum over all bits, particles.
using Census = std::tuple<double, double, double, double, double, std::uint64_t, long>;
using CountIn =
    starling::array::EachOf<starling::array::Sum, starling::array::Sum, starling::array::Sum, starling::array::Sum,
                            starling::array::Sum, starling::array::Sum, starling::array::Sum>;

/// A cell as a picture shows it.
struct View {
  int x = 0;
  int y = 0;
  int rank = 0;
  std::vector<Point> points;
  void serialize(starling::array::Archive& archive) { archive(x, y, rank, points); }
};

class Cell : public starling::array::Element<Cell, starling::array::Extents<2>> {
 public:
  /// Makes its particles and calculates their forces.
  void begin(const Setup& setup, const starling::array::Future<void>& done);
  void advance(int until, const starling::array::Future<void>& done);
  /// Particles that came in.
  void enter(const std::vector<Particle>& particles);
  /// The particles of the cell in a direction.
  void look(int direction, const std::vector<Point>& points);

  void census(const starling::array::Future<Census>& total);
  void show(const starling::array::Future<std::vector<View>>& views);

  void serialize(starling::array::Archive& archive) {
    archive(setup_, stage_, step_, until_, done_, particles_, entering_, lists_, around_, views_, potential_);
  }

 private:
  enum class Stage : std::uint8_t { kIdle, kDrifted, kSettled };

  starling::array::Target<Cell> neighbour(int direction) const;
  void drift();
  void settle();
  void send_view();
  void feel();
  void pull(Particle& particle, const Point& other);
  void kick(Particle& particle) const;

  Setup setup_;
  Stage stage_ = Stage::kIdle;
  int step_ = -1;
  int until_ = 0;
  starling::array::Future<void> done_;
  std::vector<Particle> particles_;
  std::vector<Particle> entering_;
  int lists_ = 0;  // of those that came in
  std::array<std::vector<Point>, kAround> around_;
  int views_ = 0;
  double potential_ = 0;
};

}  // namespace nbody
