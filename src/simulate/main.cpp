// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling-simulate: what `starling simulate` starts, which has read and checked its options. Words "name=value", in
// any order; "set=NAME=VALUE" any number of times. Prints a line for each operation and size as it is measured.
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdio>
#include <exception>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "simulate/collective_times.hpp"
#include "simulate/link_costs.hpp"
#include "simulate/simulated_job.hpp"
#include "tuning/network.hpp"
#include "tuning/words.hpp"

namespace starling::simulate {
namespace {

namespace s4u = simgrid::s4u;

struct Options {
  std::string platform;       ///< empty: hosts around one switch
  double bandwidth = 1.25e9;  ///< of the link of each of them, bytes a second
  double latency_us = 10;     ///< from one to another
  int ranks_of_node = 1;      ///< at most
  Overheads overheads;
  Measurement measurement;
  config::Overrides settings;
  std::vector<std::string> simgrid;  ///< its settings, as name:value

  [[nodiscard]] int nodes() const noexcept { return (measurement.ranks + ranks_of_node - 1) / ranks_of_node; }
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

std::int64_t size_of(const std::string& word) {
  std::int64_t size = -1;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), size);
  if (failed != std::errc() || end != word.data() + word.size() || size < 4 || size > INT_MAX || size % 4 != 0)
    throw std::invalid_argument(formatted("--sizes takes multiples of 4 bytes from 4 to {}, not '{}'", INT_MAX, word));
  return size;
}

std::string all_names() {
  std::vector<std::string> names;
  for (const Operation& each : operations()) names.emplace_back(each.name);
  return tuning::joined(names, ",");
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string value(word.substr(equals + 1));
    if (name == "platform") options.platform = value;
    if (name == "bandwidth") options.bandwidth = std::stod(value);
    if (name == "latency_us") options.latency_us = std::stod(value);
    if (name == "ranks") options.measurement.ranks = std::stoi(value);
    if (name == "ranks_per_node") options.ranks_of_node = std::stoi(value);
    if (name == "line_ns") options.measurement.memory.line_ns = std::stod(value);
    if (name == "copy_bandwidth") options.measurement.memory.byte_ns = 1e9 / std::stod(value);
    if (name == "operations") options.measurement.operations = words_of(value);
    if (name == "repetitions") options.measurement.repetitions = std::stoi(value);
    if (name == "memory") options.measurement.most_bytes = std::stod(value);
    if (name == "send_ns") options.overheads.send_ns = std::stod(value);
    if (name == "receive_ns") options.overheads.receive_ns = std::stod(value);
    if (name == "cfg") options.simgrid.push_back(value);
    if (name == "set")
      options.settings.emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
    if (name != "sizes") continue;
    for (const std::string& size : words_of(value)) options.measurement.sizes.push_back(size_of(size));
  }
  Measurement& measurement = options.measurement;
  if (measurement.operations.empty()) {
    for (const Operation& each : operations()) measurement.operations.emplace_back(each.name);
  }
  for (const std::string& name : measurement.operations) {
    if (std::ranges::find(operations(), name, &Operation::name) == operations().end())
      throw std::invalid_argument(formatted("there is no operation '{}': --only takes {}", name, all_names()));
  }
  return options;
}

/// Hosts around one switch, each by a link of its own, as fast both ways at once.
void build_star(const Options& options) {
  auto* const zone = s4u::create_star_zone("cluster");
  for (int node = 0; node < options.nodes(); ++node) {
    s4u::Host* const host = zone->create_host(formatted("n{}", node), 1e10);
    s4u::SplitDuplexLink* const link = zone->create_split_duplex_link(formatted("link{}", node), options.bandwidth);
    link->set_latency(options.latency_us * 1e-6 / 2)->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, s4u::LinkInRoute::Direction::UP}}, true);
    host->seal();
  }
  zone->seal();
}

/// Each rank's segment and its mapping take a descriptor.
void raise_limits() {
  rlimit descriptors{};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return;
  descriptors.rlim_cur = descriptors.rlim_max;
  setrlimit(RLIMIT_NOFILE, &descriptors);
}

void print(const CollectiveTime& time) {
  if (time.us < 0) {
    std::printf("%-21s %9lld  left out: its buffers take more memory than --memory\n", time.operation.c_str(),
                static_cast<long long>(time.bytes));
  } else {
    std::printf("%-21s %9lld %14.3f %12llu\n", time.operation.c_str(), static_cast<long long>(time.bytes), time.us,
                static_cast<unsigned long long>(time.packets));
  }
  std::fflush(stdout);
}

class Simulation {
 public:
  explicit Simulation(Options options) : options_(std::move(options)) {}

  int run() {
    // A thread for each rank, for the library keeps what belongs to a rank by thread. SimGrid takes this only here.
    // Links have the latency and the bandwidth that the platform says.
    std::vector<std::string> words = {"starling-simulate", "--log=root.thresh:warning", "--cfg=network/model:CM02"};
    for (const std::string& setting : options_.simgrid) words.push_back("--cfg=" + setting);
    words.push_back(formatted("--cfg={}", kNoLatency));
    words.emplace_back("--cfg=contexts/factory:thread");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    auto argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    s4u::Engine engine(&argc, argv.data());
    if (options_.platform.empty()) {
      build_star(options_);
    } else {
      engine.load_platform(options_.platform);
    }
    hosts_ = engine.get_all_hosts();
    const auto nodes = static_cast<std::size_t>(options_.nodes());
    if (hosts_.size() < nodes) {
      std::fprintf(stderr, "starling simulate: the platform '%s' has %zu hosts; %d ranks, %d on each, need %zu\n",
                   options_.platform.c_str(), hosts_.size(), options_.measurement.ranks, options_.ranks_of_node, nodes);
      return 2;
    }
    hosts_.resize(nodes);
    s4u::Actor::create("starter", hosts_.front(), [this] { simulate(); });
    engine.run();
    return failed_ ? 1 : 0;
  }

 private:
  void simulate() {
    if (const Status done = ranks_one_after_the_other(); !done.ok()) {
      std::fprintf(stderr, "starling simulate: %s\n", done.message().c_str());
      failed_ = true;
    }
  }

  Status ranks_one_after_the_other() {
    std::string tuning;
    if (hosts_.size() > 1) {
      tuning::PairTimes times{};
      auto pair = SimulatedJob::create({{hosts_.front(), hosts_.back()}, 2, options_.overheads}, options_.settings);
      if (!pair.ok()) return std::move(pair).status();
      pair.value()->run([&](int rank) { measure_link(rank, times); });
      const std::string costs = tuning::network_text(tuning::costs_of(times));
      std::printf("# between the first and the last host: %s\n", costs.c_str());
      tuning += costs;
    }
    Measurement measurement = options_.measurement;
    if (measurement.ranks > options_.nodes()) {
      const std::string costs = node_costs(measurement.memory);
      std::printf("# on a node: %s\n", costs.c_str());
      tuning += (tuning.empty() ? "" : " ") + costs;
    } else {
      measurement.memory = {};
    }
    if (!tuning.empty()) options_.settings.insert(options_.settings.begin(), {"TUNING", tuning});
    const Cluster cluster{hosts_, measurement.ranks, options_.overheads};
    auto job = SimulatedJob::create(cluster, options_.settings);
    if (!job.ok()) return std::move(job).status();
    measurement.packets = [&] { return job.value()->packets(); };
    measurement.tell = print;
    std::printf("# %-19s %9s %14s %12s\n", "operation", "bytes", "us", "packets");
    CollectiveTimes times(measurement);
    job.value()->run([&](int rank) { times.measure(rank); });
    std::printf("# connections of the rank that has most: %zu\n", job.value()->connections());
    return {};
  }

  Options options_;
  std::vector<s4u::Host*> hosts_;
  bool failed_ = false;
};

}  // namespace
}  // namespace starling::simulate

int main(int argc, char** argv) {
  using namespace starling::simulate;
  raise_limits();
  try {
    return Simulation(options_of(argc, argv)).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "starling simulate: %s\n", error.what());
    return 2;
  }
}
