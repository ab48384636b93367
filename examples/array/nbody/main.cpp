// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Particles that attract each other and gather in clumps: cells of the box are elements of an array, and move between
// processes as the work does.
//     mpiexec -n 2 array_nbody --balance none        no balancing
//     mpiexec -n 2 array_nbody --balance refine      --help lists the rest
// Prints the time of a step and how unevenly the work lies, and at the end a sum over all bits of the result, which is
// the same on any number of processes. Exits with 1 if momentum is not conserved to 1e-12 of all particles' amounts, or
// energy to 1e-3 of what moves and binds them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "../support/options.hpp"
#include "../support/picture.hpp"
#include "cell.hpp"

using namespace starling::array;
using namespace starling::examples;
using namespace nbody;

namespace {

struct Settings {
  Setup setup;
  int steps = 1000;
  int balance_steps = 50;
  std::string strategy = "refine";
  std::string picture;
  int frames = 6;
  bool restless = false;
};

Settings read(int argc, char** argv) {
  Settings settings;
  Options options("nbody");
  options.add("across", settings.setup.across, "cells along a side of the box")
      .add("particles", settings.setup.particles, "particles")
      .add("steps", settings.steps, "steps in time")
      .add("balance", settings.strategy, "strategy, or none")
      .add("balance-steps", settings.balance_steps, "steps between balancing")
      .add("picture", settings.picture, "PNG of the particles and of who held which cells")
      .add("frames", settings.frames, "moments in the picture")
      .add("restless", settings.restless, "move every cell all the time: a test");
  options.read(argc, argv);
  if (settings.setup.across < 4) options.refuse("--across " + std::to_string(settings.setup.across));
  if (settings.setup.particles < 1 || settings.steps < 1 || settings.balance_steps < 1 || settings.frames < 1) {
    options.refuse("a number below 1");
  }
  return settings;
}

constexpr int kSize = 192;
constexpr int kGap = 4;

void draw(Picture& picture, int frame, const std::vector<View>& views, int across) {
  const Field particles{frame * (kSize + kGap), 0, kSize};
  const Field owners{particles.left, kSize + kGap, kSize};
  picture.square(particles, 0, 0, 1, picture.black());
  const double size = 1.0 / across;
  for (const View& each : views) {
    picture.square(owners, each.x * size, each.y * size, size, picture.of_process(each.rank));
    for (const Point& point : each.points) {
      picture.dot(particles, point.x * size, point.y * size, picture.white());
      picture.dot(owners, point.x * size, point.y * size, picture.black());
    }
  }
}

template <auto M, class V>
V ask(Session& session, const Array<Cell>& cells) {
  Future<V> answer(session);
  cells.broadcast<M>(answer);
  return answer.get();
}

/// Returns whether momentum, energy and particles were conserved.
bool is_conserved(const Census& before, const Census& after) {
  const auto [kinetic0, potential0, px0, py0, amount0, bits0, count0] = before;
  const auto [kinetic, potential, px, py, amount, bits, count] = after;
  const double momentum = std::hypot(px - px0, py - py0) / amount;
  const double energy = (kinetic + potential - kinetic0 - potential0) / (kinetic + std::abs(potential));
  std::printf("momentum off by %.1e, energy by %.1e; %ld particles\nbits %016lx\n", momentum, energy, count,
              static_cast<unsigned long>(bits));
  return momentum <= 1e-12 && std::abs(energy) <= 1e-3 && count == count0;
}

bool simulate(Session& session, const Array<Cell>& cells, const Settings& settings) {
  Future<void> ready(session);
  cells.broadcast<&Cell::begin>(settings.setup, ready);
  ready.get();
  const Census before = ask<&Cell::census, Census>(session, cells);
  Picture picture(settings.frames * (kSize + kGap) - kGap, 2 * kSize + kGap);
  int frame = 0;
  double total_s = 0;
  cells.measure();
  for (int step = 0; step < settings.steps;) {
    const int until = std::min(step + settings.balance_steps, settings.steps);
    const double begin_s = MPI_Wtime();
    Future<void> done(session);
    cells.broadcast<&Cell::advance>(until, done);
    done.get();
    const double stepped_s = MPI_Wtime() - begin_s;
    const BalanceReport report = cells.balance({.strategy = settings.strategy});
    total_s += MPI_Wtime() - begin_s;
    std::printf("step %4d: %.3f ms a step, imbalance %.2f, %zu cells move in %.3f ms\n", until,
                stepped_s * 1e3 / (until - step), report.verdict.imbalance_before,
                report.moved ? report.verdict.moves : 0, (report.decide_s + report.move_s) * 1e3);
    step = until;
    if (!settings.picture.empty() && frame < settings.frames &&
        step >= settings.steps * frame / std::max(1, settings.frames - 1)) {
      draw(picture, frame++, ask<&Cell::show, std::vector<View>>(session, cells), settings.setup.across);
    }
  }
  if (!settings.picture.empty()) picture.save(settings.picture);
  std::printf("%d steps in %.3f s, balancing included\n", settings.steps, total_s);
  return is_conserved(before, ask<&Cell::census, Census>(session, cells));
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = read(argc, argv);
  try {
    Session session(argc, argv);
    session.set_restless(settings.restless);
    Array<Cell> cells(session, Extents<2>{settings.setup.across, settings.setup.across});
    bool is_right = true;
    session.run([&] { is_right = simulate(session, cells, settings); });
    return is_right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nbody: %s\n", error.what());
    std::_Exit(3);
  }
}
