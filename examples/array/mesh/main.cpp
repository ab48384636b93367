// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Heat in a plate by finite elements on an unstructured mesh, which METIS divides into thousands of pieces, many more
// than there are processes. Pieces are elements of an array: they tell each other the heat at their borders, and go to
// other processes as the work does, which follows the heat.
//     mpiexec -n 4 array_mesh                        --help lists the options
// Compares with the solution of one loop over the whole mesh, bit by bit, and exits with 1 if they differ.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../support/options.hpp"
#include "piece.hpp"

using namespace starling::array;
using namespace starling::examples;
using namespace mesh;

namespace {

struct Settings {
  int side = 150;
  int pieces = 2000;
  int steps = 200;
  int balance_steps = 50;
  std::string strategy = "refine";
  bool restless = false;
};

Settings read(int argc, char** argv) {
  Settings settings;
  Options options("mesh");
  options.add("side", settings.side, "vertices along a side of the plate")
      .add("pieces", settings.pieces, "pieces of the mesh")
      .add("steps", settings.steps, "steps in time")
      .add("balance", settings.strategy, "strategy, or none")
      .add("balance-steps", settings.balance_steps, "steps between balancing")
      .add("restless", settings.restless, "move every piece all the time: a test");
  options.read(argc, argv);
  if (settings.side < 3 || settings.pieces < 1 || settings.steps < 1 || settings.balance_steps < 1) {
    options.refuse("a number that is too small");
  }
  return settings;
}

/// By one loop.
std::vector<double> solved_serially(const Mesh& mesh, int steps) {
  std::vector<double> heat(mesh.x.size());
  for (std::size_t i = 0; i < heat.size(); ++i) heat[i] = first_heat(mesh.x[i], mesh.y[i]);
  std::vector<double> next(heat.size());
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < heat.size(); ++i) {
      const auto begin = static_cast<std::size_t>(mesh.begin[i]);
      const Row row{mesh.neighbour.data() + begin, mesh.weight.data() + begin, mesh.begin[i + 1] - mesh.begin[i],
                    mesh.mass[i]};
      next[i] = mesh.is_cold[i] != 0 ? 0 : next_heat(row, heat.data(), i, mesh.step);
    }
    heat.swap(next);
  }
  return heat;
}

/// Whether both are the same; says so.
bool compare(const Mesh& mesh, const std::vector<double>& serial, const std::vector<std::pair<int, double>>& told) {
  std::vector<int> times(serial.size());
  std::size_t wrong = 0;
  double heat = 0;
  for (const auto& [vertex, value] : told) {
    const auto i = static_cast<std::size_t>(vertex);
    ++times[i];
    wrong += value == serial[i] ? 0 : 1;
    heat += value * mesh.mass[i];
  }
  for (const int each : times) wrong += each == 1 ? 0 : 1;
  std::printf("heat %.6f; %zu of %d vertices differ from the serial solution\n", heat, wrong, mesh.vertices());
  return wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = read(argc, argv);
  Session session(argc, argv);
  session.set_restless(settings.restless);
  const Mesh mesh = shaken_mesh(settings.side);
  const std::vector<int> pieces_of_vertices = divided(mesh, settings.pieces);
  Piece::divide(mesh, pieces_of_vertices);
  Array<Piece> pieces(session, settings.pieces);
  bool is_right = true;
  session.run([&] {
    std::printf("%d vertices in %d pieces on %d processes\n", mesh.vertices(), settings.pieces, session.size());
    pieces.broadcast<&Piece::begin>();
    session.quiesce();
    pieces.measure({.strategy = settings.strategy});
    std::size_t moves = 0;
    for (int step = 0; step < settings.steps;) {
      step = std::min(settings.steps, step + settings.balance_steps);
      Future<void> done(session);
      pieces.broadcast<&Piece::run>(step, done);
      done.get();
      const BalanceReport report = pieces.balance({.strategy = settings.strategy});
      moves += report.moved ? report.verdict.moves : 0;
      std::printf("step %4d: %s\n", step, report.text().c_str());
    }
    Future<std::vector<int>> counts(session);
    pieces.broadcast<&Piece::where>(counts);
    std::printf("%zu moves; pieces of each process:", moves);
    for (const int each : counts.get()) std::printf(" %d", each);
    Future<std::vector<std::pair<int, double>>> heat(session);
    pieces.broadcast<&Piece::tell>(heat);
    std::printf("\n");
    is_right = compare(mesh, solved_serially(mesh, settings.steps), heat.get());
  });
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
