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
               "       [--case-timeout SECONDS] [--threads RANKS] [--set VARIABLE=VALUE]...\n"
               "       %s --list\n",
               program, program);
  std::exit(2);
}

}  // namespace

Options read_options(int argc, char** argv) {
  Options options;
  options.list = argc == 2 && std::string_view(argv[1]) == "--list";
  if (options.list) return options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) usage(argv[0]);
    const char* value = argv[i + 1];
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
      if (equals == std::string_view::npos) usage(argv[0]);
      options.settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    } else {
      usage(argv[0]);
    }
  }
  return options;
}

}  // namespace starling::tests
