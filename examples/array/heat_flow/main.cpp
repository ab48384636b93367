// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Heat flow on an adaptive quadtree whose leaves are elements of an array: they split and join as a torch moves over
// the plate, and move between processes to share the load.
//     mpiexec -n 4 heat_flow --out FOLDER          --help lists the rest
// Prints what the balancer did, the heat on the plate beside what the torch gave, and a sum over all bits of the
// result, which is the same on any number of processes. Exits with 1 if heat was lost or made. FOLDER gets
// temperature_NN.png, owners_NN.png (the mesh, coloured by process) and heat_flow.png, all in one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "../support/options.hpp"
#include "../support/picture.hpp"
#include "leaf.hpp"

using namespace starling::array;
using namespace starling::examples;
using namespace heat_flow;

namespace {

struct Settings {
  Setup setup;
  int regrid_steps = 10;
  int balance_steps = 50;
  std::string strategy = "refine";
  int frames = 6;
  std::string out;
  bool restless = false;
};

Settings read(int argc, char** argv) {
  Settings settings;
  Options options("heat_flow");
  options.add("steps", settings.setup.steps, "steps of one turn of the torch")
      .add("coarsest", settings.setup.coarsest, "level of the largest leaves")
      .add("finest", settings.setup.finest, "level of the smallest")
      .add("regrid-steps", settings.regrid_steps, "steps between changes of the mesh")
      .add("balance", settings.strategy, "strategy, or none")
      .add("balance-steps", settings.balance_steps, "steps between balancing, a multiple of regrid-steps")
      .add("out", settings.out, "folder for pictures")
      .add("frames", settings.frames, "pictures over the run")
      .add("restless", settings.restless, "move every leaf all the time: a test");
  options.read(argc, argv);
  const Setup& setup = settings.setup;
  if (setup.steps < 1 || settings.regrid_steps < 1 || settings.frames < 1) options.refuse("a number below 1");
  if (setup.coarsest < 1 || setup.finest < setup.coarsest || setup.finest > 12) options.refuse("these levels");
  if (settings.balance_steps < 1 || settings.balance_steps % settings.regrid_steps != 0) {
    options.refuse("--balance-steps " + std::to_string(settings.balance_steps));
  }
  return settings;
}

class Film {
 public:
  explicit Film(const Settings& settings)
      : settings_(settings), sheet_(settings.frames * kSmall + (settings.frames - 1) * kGap, 2 * kSmall + kGap) {}

  void add(const std::vector<Patch>& patches) {
    const int left = count_ * (kSmall + kGap);
    draw_temperature(sheet_, {left, 0, kSmall}, patches);
    draw_owners(sheet_, {left, kSmall + kGap, kSmall}, patches);
    Picture temperature(kLarge, kLarge);
    draw_temperature(temperature, {0, 0, kLarge}, patches);
    Picture owners(kLarge, kLarge);
    draw_owners(owners, {0, 0, kLarge}, patches);
    char number[16];
    std::snprintf(number, sizeof number, "_%02d.png", count_++);
    temperature.save(settings_.out + "/temperature" + number);
    owners.save(settings_.out + "/owners" + number);
    if (count_ == settings_.frames) sheet_.save(settings_.out + "/heat_flow.png");
  }

 private:
  static constexpr int kSmall = 192;
  static constexpr int kLarge = 512;
  static constexpr int kGap = 4;

  static void draw_temperature(Picture& picture, const Field& field, const std::vector<Patch>& patches) {
    for (const Patch& each : patches) {
      const double h = each.square.size() / kCells;
      for (int i = 0; i < kCells * kCells; ++i) {
        picture.square(field, each.square.x * each.square.size() + i % kCells * h,
                       each.square.y * each.square.size() + i / kCells * h, h,
                       picture.of_quantity(each.cells[static_cast<std::size_t>(i)] / 2));
      }
    }
  }
  static void draw_owners(Picture& picture, const Field& field, const std::vector<Patch>& patches) {
    for (const Patch& each : patches) {
      const double size = each.square.size();
      picture.square(field, each.square.x * size, each.square.y * size, size, picture.of_process(each.rank),
                     picture.black());
    }
  }

  const Settings& settings_;
  Picture sheet_;
  int count_ = 0;
};

/// What main does until the turn is complete. Returns whether heat was conserved.
bool simulate(Session& session, const Array<Leaf>& leaves, const Settings& settings) {
  const Setup& setup = settings.setup;
  const int across = 1 << setup.coarsest;
  for (int i = 0; i < across * across; ++i) {
    const Square square{setup.coarsest, i % across, i / across};
    leaves[square.path()].create_on(i * session.size() / (across * across), start_of(setup, square));
  }
  session.quiesce();
  Film film(settings);
  int frame = 0;
  long most = 0;
  double stepping_s = 0;
  const double begin_s = MPI_Wtime();
  for (int step = 0; step < setup.steps;) {
    const int until = std::min(step + settings.regrid_steps, setup.steps);
    const bool balances = settings.strategy != "none" && until % settings.balance_steps == 0;
    if (balances) leaves.measure();
    const double step_begin_s = MPI_Wtime();
    Future<long> counted(session);
    leaves.broadcast<&Leaf::advance>(until, counted);
    const long count = counted.get();
    stepping_s += MPI_Wtime() - step_begin_s;
    most = std::max(most, count);
    if (balances) {
      const BalanceReport report = leaves.balance({.strategy = settings.strategy});
      leaves.measure(false);
      std::printf("step %d, %ld leaves: %s\n", until, count, report.text().c_str());
    }
    leaves.broadcast<&Leaf::negotiate>();
    session.quiesce();
    leaves.broadcast<&Leaf::regrid>();
    session.quiesce();
    step = until;
    if (!settings.out.empty() && frame < settings.frames && step >= setup.steps * (frame + 1) / settings.frames) {
      Future<std::vector<Patch>> patches(session);
      leaves.broadcast<&Leaf::show>(patches);
      film.add(patches.get());
      ++frame;
    }
  }
  const double total_s = MPI_Wtime() - begin_s;
  Future<Census> census(session);
  leaves.broadcast<&Leaf::census>(census);
  const auto [heat, bits, lowest] = census.get();
  const double off = heat - heat_after(setup, setup.steps);
  std::printf("%d steps in %.3f s, %.3f s of them stepping; at most %ld leaves\n", setup.steps, total_s, stepping_s,
              most);
  std::printf("heat %.15f, off by %.1e; lowest temperature %.1e\n", heat, off, lowest);
  std::printf("bits %016lx\n", static_cast<unsigned long>(bits));
  return std::abs(off) <= 1e-12 && lowest >= 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = read(argc, argv);
  try {
    Session session(argc, argv);
    session.set_restless(settings.restless);
    Array<Leaf> leaves(session);
    bool is_right = true;
    session.run([&] { is_right = simulate(session, leaves, settings); });
    const Session::Counters mine = session.counters();
    const std::uint64_t here[] = {mine.created, mine.deleted, mine.migrations};
    std::uint64_t all[3];
    MPI_Reduce(here, all, 3, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (session.rank() == 0) {
      std::printf("%lu leaves were made, %lu deleted, %lu moved\n", static_cast<unsigned long>(all[0]),
                  static_cast<unsigned long>(all[1]), static_cast<unsigned long>(all[2]));
    }
    return is_right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heat_flow: %s\n", error.what());
    std::_Exit(3);
  }
}
