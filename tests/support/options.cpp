// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The command line of the binaries made of MPI cases.
#include <cstdio>
#include <cstdlib>

#include "support/cases.hpp"

namespace starling::tests {
namespace {

[[noreturn]] void usage(const char* program) {
  std::fprintf(stderr,
               "Usage: %s [--case SUBSTRING] [--except SUBSTRING]... [--seed N] [--repeat N]\n"
               "       [--one-thread] [--case-timeout SECONDS] [--threads RANKS] [--set VARIABLE=VALUE]...\n"
               "       [--nodes NODES] [--round-robin] [--network tcp | --delay-us N | --random-delay-us N]\n"
               "       [--ranks-on NODE,NODE,...]\n"
               "       %s --list\n",
               program, program);
  std::exit(2);
}

/// Takes an option that stands alone; false when it is none.
bool take_flag(std::string_view name, Options& options) {
  if (name == "--round-robin") {
    options.round_robin = true;
  } else if (name == "--one-thread") {
    options.one_thread = true;
  } else {
    return false;
  }
  return true;
}

/// "0,0,1": the node of each rank.
std::vector<int> read_nodes(const char* text) {
  std::vector<int> nodes;
  char* end = nullptr;
  do {
    nodes.push_back(static_cast<int>(std::strtol(text, &end, 10)));
    text = end + 1;
  } while (*end == ',');
  return nodes;
}

/// Takes an option that says how the ranks stand on nodes; false when it is none.
bool take_node_option(std::string_view name, const char* value, Options& options) {
  if (name == "--nodes") {
    options.nodes = std::atoi(value);
  } else if (name == "--ranks-on") {
    options.ranks_on = read_nodes(value);
  } else if (name == "--network" && std::string_view(value) == "tcp") {
    options.tcp = true;
  } else if (name == "--delay-us" || name == "--random-delay-us") {
    options.delay_us = std::atoll(value);
    options.random_delay = name == "--random-delay-us";
  } else {
    return false;
  }
  return true;
}

/// Takes an option with its value; false when it is none.
bool take_option(std::string_view name, const char* value, Options& options) {
  if (name == "--case") {
    options.only = value;
  } else if (name == "--except") {
    options.except.emplace_back(value);
  } else if (name == "--seed") {
    options.seed = std::strtoull(value, nullptr, 10);
  } else if (name == "--repeat") {
    options.repeat = std::atoi(value);
  } else if (name == "--case-timeout") {
    options.case_timeout_s = std::atoi(value);
  } else if (name == "--threads") {
    options.threads = std::atoi(value);
  } else if (name == "--set") {
    const std::string_view text = value;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return false;
    options.settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  } else {
    return take_node_option(name, value, options);
  }
  return true;
}

}  // namespace

Options read_options(int argc, char** argv) {
  Options options;
  options.list = argc == 2 && std::string_view(argv[1]) == "--list";
  if (options.list) return options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (take_flag(name, options)) continue;
    if (++i == argc || !take_option(name, argv[i], options)) usage(argv[0]);
  }
  return options;
}

}  // namespace starling::tests
