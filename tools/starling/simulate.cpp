// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling simulate: what collective operations take on a cluster that is not here. It reads the options;
// starling-simulate, which is there where SimGrid was when Starling was built, does the rest.
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "launch/start/self.hpp"

namespace starling::tools {
namespace {

struct SimulateOptions {
  std::string platform;
  double bandwidth = 1.25e9;
  double latency_us = 10;
  int ranks = 0;
  int ranks_of_node = 1;
  double line_us = 0.2;
  double copy_bandwidth = 1e10;
  std::string operations;
  std::string sizes = "8,65536,1048576";
  int repetitions = 2;
  double memory = 8e9;
  double send_us = 0.5;
  double receive_us = 0.5;
  std::vector<std::string> settings;
  std::vector<std::string> simgrid;
};

void add_options(CLI::App& app, SimulateOptions& options) {
  CLI::Option* const platform = app.add_option("-p,--platform", options.platform,
                                               "SimGrid's description of the cluster; the ranks get its hosts in turn")
                                    ->check(CLI::ExistingFile);
  app.add_option("--bandwidth", options.bandwidth,
                 "without a platform: bytes a second of each host's link to one switch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->excludes(platform);
  app.add_option("--latency", options.latency_us, "without a platform: microseconds from host to host")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->excludes(platform);
  app.add_option("-n,--ranks", options.ranks, "ranks of the job")->required()->check(CLI::Range(1, 65536));
  CLI::Option* const shared =
      app.add_option("--ranks-per-node", options.ranks_of_node,
                     "ranks on each host, with a core each; those that follow each other share one")
          ->check(CLI::Range(1, 1024))
          ->capture_default_str();
  app.add_option("--node-latency", options.line_us,
                 "microseconds until a rank sees what another rank of its host has stored")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->needs(shared);
  app.add_option("--node-bandwidth", options.copy_bandwidth, "bytes a second that a rank copies or combines in memory")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->needs(shared);
  app.add_option("--only", options.operations, "operations, as barrier,bcast,allreduce; without it all");
  app.add_option("--sizes", options.sizes, "bytes of the vector, or of each rank's block")->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "how often each is run; the shortest counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--memory", options.memory,
                 "bytes that the buffers of all ranks may take; what takes more is left out")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--send-us", options.send_us, "microseconds of a processor to send a packet")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--receive-us", options.receive_us, "microseconds of a processor to receive a packet")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--set", options.settings, "NAME=VALUE: the ranks' setting STARLING_NAME; may be repeated");
  app.add_option("--cfg", options.simgrid,
                 "NAME:VALUE: a setting of SimGrid, such as network/model:LV08; may be repeated");
}

std::vector<std::string> words_of(const SimulateOptions& options, const std::string& program) {
  constexpr double kNsPerUs = 1000;
  std::vector<std::string> words = {program,
                                    "platform=" + options.platform,
                                    formatted("bandwidth={}", options.bandwidth),
                                    formatted("latency_us={}", options.latency_us),
                                    formatted("ranks={}", options.ranks),
                                    formatted("ranks_per_node={}", options.ranks_of_node),
                                    formatted("line_ns={}", options.line_us * kNsPerUs),
                                    formatted("copy_bandwidth={}", options.copy_bandwidth),
                                    "operations=" + options.operations,
                                    "sizes=" + options.sizes,
                                    formatted("repetitions={}", options.repetitions),
                                    formatted("memory={}", options.memory),
                                    formatted("send_ns={}", options.send_us * kNsPerUs),
                                    formatted("receive_ns={}", options.receive_us * kNsPerUs)};
  for (const std::string& setting : options.settings) words.push_back("set=" + setting);
  for (const std::string& setting : options.simgrid) words.push_back("cfg=" + setting);
  return words;
}

}  // namespace

int simulate_command(Arguments arguments) {
  CLI::App app(
      "Runs Starling's collective operations on a simulated cluster: the library itself, on hosts whose links SimGrid "
      "computes. Prints, for each operation and size, the simulated microseconds from the moment at which all ranks "
      "enter it until the last leaves it, and the packets that all ranks send between hosts. The choice of algorithms "
      "goes by what messages cost between the first and the last host. What each call delivers is checked.",
      "starling simulate");
  SimulateOptions options;
  add_options(app, options);
  if (const auto exit_code = read_options(app, arguments)) return *exit_code;
  const std::string program = launch::find_helper("starling-simulate");
  if (program.empty()) {
    std::fprintf(
        stderr,
        "starling simulate: starling-simulate is not installed, for SimGrid was not there when Starling was built; "
        "on Debian install libsimgrid-dev and build it again\n");
    return EXIT_FAILURE;
  }
  std::vector<std::string> words = words_of(options, program);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  std::fprintf(stderr, "starling simulate: %s cannot be started: %s\n", program.c_str(), std::strerror(errno));
  return EXIT_FAILURE;
}

}  // namespace starling::tools
