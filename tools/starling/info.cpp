// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling info: what this installation is. --config lists every setting of the library and the launcher,
// --collectives the collective algorithms.

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "config/config.hpp"
#include "config/report.hpp"
#include "tuning/settings.hpp"

namespace starling::tools {
namespace {

const char* type_words(config::VariableType type) {
  switch (type) {
    case config::VariableType::kInteger: return "whole number";
    case config::VariableType::kBoolean: return "yes or no";
    case config::VariableType::kReal: return "number";
    case config::VariableType::kText: break;
  }
  return "text";
}

const char* scope_words(config::Scope scope) {
  switch (scope) {
    case config::Scope::kAllAlike: return ", the same for all ranks";
    case config::Scope::kAnyTime: return ", may change at any time";
    case config::Scope::kProcess: break;
  }
  return "";
}

const char* about(const config::Declaration& variable) {
  return config::categories()[static_cast<std::size_t>(variable.category())].name;
}

std::string quoted_if_empty(const std::string& text) { return text.empty() ? "''" : text; }

int print_configuration() {
  config::Store store;
  std::vector<std::string> warnings;
  const Status status = store.read_environment(&warnings);
  tuning::take_file(store, &warnings);
  for (const config::Declaration* variable : config::declarations()) {
    std::fputs(formatted("{}={}\n    {}\n    {}: {}{}, default {}, now from {}\n", variable->environment_name(),
                         quoted_if_empty(store.text(*variable)), variable->sentence(), about(*variable),
                         type_words(variable->type()), scope_words(variable->scope()),
                         quoted_if_empty(variable->default_text()), store.origin(*variable))
                   .c_str(),
               stdout);
  }
  for (const std::string& warning : warnings) std::fprintf(stderr, "starling: %s\n", warning.c_str());
  if (!status.ok()) std::fprintf(stderr, "starling: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}

/// What a component of the engine says of itself.
int print_report(const char* name, std::vector<std::string> words) {
  std::erase(words, "");  // what the command line gives for an option without words
  config::Store store;
  std::vector<std::string> warnings;
  Status status = store.read_environment(&warnings);
  tuning::take_file(store, &warnings);
  for (const std::string& warning : warnings) std::fprintf(stderr, "starling: %s\n", warning.c_str());
  if (status.ok()) {
    Result<std::string> text = config::find_report(name)->write(store, words);
    if (text.ok()) {
      std::fputs(text.value().c_str(), stdout);
      return 0;
    }
    status = std::move(text).status();
  }
  std::fprintf(stderr, "starling info --%s: %s\n", name, status.message().c_str());
  return 2;
}

int print_version() {
  std::puts("Starling " STARLING_VERSION ": MPI-5.0 with the standard ABI (libmpi_abi.so.1), on Linux machines.");
  std::puts(
      "'starling info --config' lists the settings, --collectives the algorithms; 'starling doctor' looks at this "
      "machine.");
  return 0;
}

}  // namespace

int info_command(Arguments arguments) {
  CLI::App app("What this installation of Starling is.", "starling info");
  bool configuration = false;
  app.add_flag("--config", configuration, "list every setting: value, default, where it came from, what it does");
  std::vector<std::string> collectives;
  CLI::Option* const asks_collectives =
      app.add_option("--collectives", collectives,
                     "list the collective algorithms with their cost lines; with an operation, bytes, ranks, nodes and "
                     "the cores of a node: what a call would run, and what each algorithm would cost")
          ->expected(0, 5)
          ->type_name("[OPERATION [BYTES [RANKS [NODES [CORES]]]]]");
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  if (asks_collectives->count() > 0) return print_report("collectives", std::move(collectives));
  return configuration ? print_configuration() : print_version();
}

}  // namespace starling::tools
