// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling pap: what Starling knows about late processes. `starling pap schedule` computes the schedule of a reduce
// from an arrival pattern, prints it, and draws it.

#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "arrival/methods/generate.hpp"
#include "arrival/schedule/validate.hpp"
#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "pap_drawing.hpp"

namespace starling::tools {
namespace {

struct ScheduleOptions {
  std::vector<arrival::Ticks> arrivals;
  int processes = 0;
  arrival::Ticks delay = 0;
  std::uint64_t seed = 1;
  int root = 0;
  int segments = 4;
  arrival::Ticks round_length = 1;
  bool root_only_takes = false;
  std::string method{arrival::fastest_method().name};
  std::string drawing;
};

int fail(const std::string& message) {
  std::fprintf(stderr, "starling pap schedule: %s\n", message.c_str());
  return 2;
}

void print_schedule(const arrival::Pattern& pattern, const arrival::Schedule& schedule) {
  for (std::size_t index = 0; index < schedule.rounds.size(); ++index) {
    std::string line = formatted("round {}:", schedule.rounds[index].number);
    for (const arrival::Transfer& transfer : schedule.of(index)) {
      line += formatted("  {}>{}:s{}", transfer.sender, transfer.receiver, transfer.segment);
    }
    std::puts(line.c_str());
  }
  std::puts(formatted("{} processes, {} segments: {} transfers in {} rounds (sender>receiver:segment)",
                      pattern.processes(), pattern.segments, schedule.transfers.size(), schedule.rounds.size())
                .c_str());
}

void draw_arrivals(ScheduleOptions* options) {
  std::mt19937_64 random(options->seed);
  std::uniform_int_distribution<arrival::Ticks> delay(0, options->delay);
  for (int process = 0; process < options->processes; ++process) options->arrivals.push_back(delay(random));
}

int schedule(ScheduleOptions options) {
  if (options.arrivals.empty()) draw_arrivals(&options);
  const auto method = arrival::find_method(options.method);
  if (!method) return fail("there is no method '" + options.method + "'; --help lists them");
  const arrival::Pattern pattern{
      options.arrivals, options.root, options.segments, options.round_length,
      options.root_only_takes ? arrival::RootRole::kOnlyTakes : arrival::RootRole::kTakesPart};
  const auto made = arrival::make_schedule(pattern, *method);
  if (!made.ok()) return fail(made.status().message());
  const Status verdict = arrival::validate(pattern, made.value());
  if (!verdict.ok()) return fail("the schedule is wrong, which is a defect of Starling: " + verdict.message());
  print_schedule(pattern, made.value());
  if (options.drawing.empty()) return 0;
  std::ofstream file(options.drawing);
  file << draw_schedule(pattern, made.value());
  file.close();
  return file ? 0 : fail("cannot write '" + options.drawing + "'");
}

std::string method_names() {
  std::string text = "how to find it:";
  for (const arrival::Method& method : arrival::methods()) text += formatted(" {} ({});", method.name, method.sentence);
  return text;
}

void declare(CLI::App* command, ScheduleOptions* options) {
  auto* arrivals =
      command->add_option("--arrivals", options->arrivals, "when each process arrives, in ticks: 0,0,0,11");
  arrivals->delimiter(',');
  command->add_option("--processes", options->processes, "instead: so many processes, at random")
      ->excludes(arrivals)
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--delay", options->delay, "their latest arrival, in ticks")
      ->excludes(arrivals)
      ->check(CLI::Range(arrival::Ticks{0}, arrival::kMaxTicks));
  command->add_option("--seed", options->seed, "of the random arrivals")->excludes(arrivals);
  command->add_option("--root", options->root, "who receives the result");
  command->add_option("--segments", options->segments, "into how many pieces the vector is cut");
  command->add_option("--round", options->round_length, "how long one transfer takes, in ticks");
  command->add_flag("--root-only-takes", options->root_only_takes, "the root sends none of its segments away");
  command->add_option("--method", options->method, method_names());
  command->add_option("--svg", options->drawing, "also draw it into this file");
}

}  // namespace

int pap_command(Arguments arguments) {
  CLI::App app("Process arrival patterns: who is late, and how a reduce goes around it.", "starling pap");
  app.require_subcommand(1);
  CLI::App* command = app.add_subcommand("schedule", "compute the schedule of a reduce, print it, draw it");
  ScheduleOptions options;
  declare(command, &options);
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  return schedule(std::move(options));
}

}  // namespace starling::tools
