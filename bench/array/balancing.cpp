// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What balancing gains and costs: an uneven program step by step, an even one with and without measuring and balancing,
// a balancing step over 10,000 elements a process, and a stencil whose elements lie anywhere at first.
// docs/reference/array.md has the figures.
//     mpiexec -n 2 bench/array/balancing_starling [--strategy NAME] [--steps N] [--only SUBSTRING]
// of uneven, even, many, stencil.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <starling/array/element.hpp>
#include <string>
#include <vector>

#include "timing.hpp"

namespace {

using namespace starling::array;

/// Work of a fixed amount, not of a fixed time: other programs on the machine make it longer.
double work(int rounds) {
  double value = 1;
  for (int i = 0; i < rounds; ++i) value = value * 1.0000001 + 1e-9;
  return value;
}

int rounds_per_us = 0;  // on process 0

class Worker : public Element<Worker> {
 public:
  Worker() = default;
  void step(int heavy_below, int light, int heavy, const Future<void>& done) {
    value_ += work(index() < heavy_below ? heavy : light);
    contribute(done);
  }
  void serialize(Archive& archive) { archive(value_); }

 private:
  double value_ = 0;
};

double step_ms(Session& session, const Array<Worker>& workers, int heavy_below, double light_us, double heavy_us) {
  return 1e3 * seconds_of([&] {
           Future<void> done(session);
           workers.broadcast<&Worker::step>(heavy_below, static_cast<int>(light_us * rounds_per_us),
                                            static_cast<int>(heavy_us * rounds_per_us), done);
           done.get();
         });
}

/// 64 elements, a quarter four times as heavy: 22.4 ms of work on 2 processes, all heavy ones at first on the same.
void uneven(Session& session, const Array<Worker>& workers, const std::string& strategy, int steps) {
  constexpr double kLight_us = 200;
  const auto median_step = [&] {
    std::vector<double> times;
    for (int i = 0; i < steps; ++i) times.push_back(step_ms(session, workers, 16, kLight_us, 4 * kLight_us));
    return median(times);
  };
  const double ideal_ms = (16 * 4 + 48) * kLight_us * 1e-3 / session.size();
  std::printf("64 elements, 16 of them four times as heavy: ideal %.2f ms a step\n", ideal_ms);
  std::printf("  without balancing   %.2f ms\n", median_step());
  workers.measure();
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < 5; ++i) step_ms(session, workers, 16, kLight_us, 4 * kLight_us);
    BalanceOptions options;
    options.strategy = strategy;
    const BalanceReport report = workers.balance(options);
    std::printf("  after balancing %d   %.2f ms; %s: %s\n", round, median_step(), strategy.c_str(),
                report.text().c_str());
  }
}

enum class Who : std::uint8_t { kMain, kItself };

/// In alternation: plain steps, and steps that are measured, with a balancing step after every ten, or with balancing
/// that begins by itself as often.
void even(Session& session, const Array<Worker>& workers, const std::string& strategy, int steps, Who begins) {
  BalanceOptions options;
  options.strategy = strategy;
  if (begins == Who::kItself) options.tolerated = 1.05;
  std::vector<double> ratios;
  double plain_ms = 0;
  for (int pair = 0; pair < 15; ++pair) {
    workers.measure(false);
    session.quiesce();
    double begin_s = seconds();
    for (int i = 0; i < steps; ++i) step_ms(session, workers, 0, 50, 50);
    plain_ms = (seconds() - begin_s) * 1e3;
    if (begins == Who::kMain) {
      workers.measure(true);
    } else {
      workers.balance_every(10e-3 * plain_ms / steps, options);
    }
    session.quiesce();
    begin_s = seconds();
    for (int i = 0; i < steps; ++i) {
      step_ms(session, workers, 0, 50, 50);
      if (i % 10 == 9 && begins == Who::kMain) workers.balance(options);
    }
    ratios.push_back((seconds() - begin_s) * 1e3 / plain_ms);
  }
  std::printf(
      "64 even elements: with balancing every 10 steps%s %.2f %% slower (median of 15 pairs of %d steps of %.2f ms)\n",
      begins == Who::kMain ? "" : ", by itself", (median(ratios) - 1) * 100, steps, plain_ms / steps);
}

void many(Session& session, const Array<Worker>& workers) {
  workers.measure();
  for (const std::string& strategy : {std::string("greedy"), std::string("refine")}) {
    std::vector<double> decide;
    std::vector<double> move;
    std::size_t moves = 0;
    for (int i = 0; i < 5; ++i) {
      step_ms(session, workers, 5000, 0.2, 0.8);
      BalanceOptions options;
      options.strategy = strategy;
      options.always = true;
      const BalanceReport report = workers.balance(options);
      decide.push_back(report.decide_s * 1e3);
      move.push_back(report.move_s * 1e3);
      moves += report.verdict.moves;
    }
    std::printf("10,000 elements a process, %s: %.2f ms to decide, %.2f ms to move; %zu moves in 5 steps\n",
                strategy.c_str(), median(decide), median(move), moves);
  }
}

/// A point of a grid that exchanges borders with its neighbours.
class Point : public Element<Point, std::array<int, 2>> {
 public:
  static constexpr int kSide = 32;
  static constexpr int kBorder = 64;

  void step(const Future<void>& done) {
    done_ = done;
    ++begun_;
    const auto [row, column] = index();
    const std::array<int, 2> around[] = {{row - 1, column}, {row + 1, column}, {row, column - 1}, {row, column + 1}};
    for (const auto& each : around) {
      const bool is_there = each[0] >= 0 && each[1] >= 0 && each[0] < kSide && each[1] < kSide;
      if (!is_there) continue;
      ++awaited_;
      array()[each].send<&Point::take>(rank(), border_);
    }
    finish();
  }
  void take(int from, const std::vector<double>& border) {
    for (std::size_t i = 0; i < border.size(); ++i) border_[i] = 0.75 * border_[i] + 0.25 * border[i];
    if (from != rank()) bytes_from_others_ += static_cast<double>(border.size() * sizeof(double));
    --awaited_;
    finish();
  }
  void bytes(const Future<double>& to) { contribute(bytes_from_others_, Sum{}, to); }
  void serialize(Archive& archive) { archive(border_, done_, begun_, ended_, awaited_, bytes_from_others_); }

 private:
  void finish() {
    if (awaited_ != 0 || ended_ == begun_) return;
    ++ended_;
    contribute(done_);
  }

  std::vector<double> border_ = std::vector<double>(kBorder);
  Future<void> done_;
  int begun_ = 0;
  int ended_ = 0;
  int awaited_ = 0;
  double bytes_from_others_ = 0;
};

/// Points lie where the hash of their index says: half of all neighbours on another of 2 processes.
void stencil(Session& session, const Array<Point>& points, const std::string& strategy, int steps) {
  const auto one_step_ms = [&] {
    return 1e3 * seconds_of([&] {
             Future<void> done(session);
             points.broadcast<&Point::step>(done);
             done.get();
           });
  };
  const auto bytes = [&] {
    Future<double> sum(session);
    points.broadcast<&Point::bytes>(sum);
    return sum.get();
  };
  for (int i = 0; i < Point::kSide * Point::kSide; ++i) points[{i / Point::kSide, i % Point::kSide}].create();
  session.quiesce();
  BalanceOptions options;
  options.strategy = strategy;
  points.measure(options);
  session.quiesce();
  std::string report;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 50; ++i) one_step_ms();
    report = points.balance(options).text();
    std::printf("  %s: %s\n", strategy.c_str(), report.c_str());
  }
  points.measure(false);
  session.quiesce();
  const double before = bytes();
  std::vector<double> times;
  for (int i = 0; i < 10 * steps; ++i) times.push_back(one_step_ms());
  std::printf("  %s: %.0f bytes between processes a step, %.3f ms\n", strategy.c_str(),
              (bytes() - before) / (10 * steps), median(times));
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  std::string strategy = "refine";
  int steps = 20;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--strategy") == 0) strategy = argv[i + 1];
    if (std::strcmp(argv[i], "--steps") == 0) steps = std::max(1, std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--only") == 0) only = argv[i + 1];
  }
  Array<Worker> workers(session, 64);
  Array<Worker> others(session, 64);
  Array<Worker> thousands(session, 10000 * session.size());
  const std::vector<std::string> compared = {"none", "refine", "graph"};
  std::vector<Array<Point>> grids;
  for (std::size_t i = 0; i < compared.size(); ++i) grids.emplace_back(session);
  const auto is_wanted = [&](const char* part) { return std::string(part).find(only) != std::string::npos; };
  session.run([&] {
    double least_s = 1;  // the quickest of several, which no other program disturbed
    double sum = 0;
    for (int i = 0; i < 20; ++i) {
      least_s = std::min(least_s, seconds_of([&] { sum += work(100000); }));
    }
    rounds_per_us = static_cast<int>(100000 / (least_s * 1e6)) + (sum < 0 ? 1 : 0);
    if (is_wanted("uneven")) uneven(session, workers, strategy, steps);
    if (is_wanted("even")) {
      even(session, others, strategy, steps, Who::kMain);
      even(session, others, strategy, steps, Who::kItself);
    }
    if (is_wanted("many")) many(session, thousands);
    if (!is_wanted("stencil")) return;
    std::printf("%d x %d points that exchange %zu bytes with each neighbour\n", Point::kSide, Point::kSide,
                Point::kBorder * sizeof(double));
    for (std::size_t i = 0; i < grids.size(); ++i) stencil(session, grids[i], compared[i], steps);
  });
}
