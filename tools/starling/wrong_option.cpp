// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a command says of words that it does not understand: one line, which begins with its name and ends with where
// the right words are.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "base/nearest_name.hpp"
#include "command_line.hpp"

namespace starling::tools {
namespace {

/// ", did you mean ...?" of the nearest option, if it is near.
std::string near_option(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  NearestName names = NearestName::within_reach(name);
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& known : option->get_lnames()) names.offer(known);
  }
  return names.found().empty() ? std::string() : formatted(", did you mean '--{}'?", names.found());
}

/// "summary, convert or report"
std::string commands_of(const CLI::App& app) {
  std::string names;
  const std::vector<const CLI::App*> below = app.get_subcommands([](const CLI::App*) { return true; });
  for (std::size_t i = 0; i < below.size(); ++i) {
    names += i == 0 ? "" : i + 1 < below.size() ? ", " : " or ";
    names += below[i]->get_name();
  }
  return names;
}

/// `command` is the app, or its own command that was chosen.
std::string what_is_wrong(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error,
                          const std::string& first_word) {
  if (app.get_require_subcommand_min() > 0 && app.get_subcommands().empty()) {
    const std::string given = first_word.empty() ? std::string() : formatted(", but got '{}'", first_word);
    return formatted("takes {}{}", commands_of(app), given);
  }
  const std::vector<std::string> extra = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extra.empty()) {
    return formatted("does not take '{}'{}", extra.front(),
                     extra.front().starts_with("-") ? near_option(command, extra.front()) : std::string());
  }
  return error.what();
}

}  // namespace

void say_what_is_wrong(const CLI::App& app, const CLI::ParseError& error, Arguments arguments) {
  std::string name = app.get_name();
  const CLI::App* command = &app;
  if (const std::vector<CLI::App*> chosen = app.get_subcommands(); !chosen.empty()) {
    command = chosen.front();
    name += " " + command->get_name();
  }
  const std::string first_word = arguments.size() > 1 ? arguments[1] : "";
  std::fprintf(stderr, "%s: %s; '%s -h' says what it takes\n", name.c_str(),
               what_is_wrong(app, *command, error, first_word).c_str(), name.c_str());
}

}  // namespace starling::tools
