// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What `starling <command> --list-options` prints: a line for each option, argument and command below, of which tabs
// divide the command, what it is, its names, its values, what it does, and choices for its value.
#include <cstdio>
#include <string>

#include "base/format.hpp"
#include "command_line.hpp"

namespace starling::tools {
namespace {

/// CLI11 writes the choices of a value behind its type: "TEXT:{long,all}".
std::string choices_in(const std::string& type) {
  const std::size_t brace = type.find('{');
  if (brace == std::string::npos) return {};
  std::string words = type.substr(brace + 1, type.find('}') - brace - 1);
  for (char& character : words) character = character == ',' ? ' ' : character;
  return words;
}

void list(const std::string& command, const CLI::App& app) {
  std::puts(formatted("{}\tabout\t\t\t{}\t", command, app.get_description()).c_str());
  for (const CLI::Option* const option : app.get_options()) {
    const bool is_argument = option->get_positional();
    const std::string type = option->get_type_name();
    // An option is named, and an argument tells by its value's name what it is.
    const std::string names = is_argument ? type : option->get_name(false, true);
    const std::string values = is_argument || option->get_type_size_max() == 0 ? "" : type.substr(0, type.find(':'));
    std::puts(formatted("{}\t{}\t{}\t{}\t{}\t{}", command, is_argument ? "argument" : "option", names, values,
                        option->get_description(), choices_in(type))
                  .c_str());
  }
  for (const CLI::App* const below : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::puts(formatted("{}\tcommand\t{}\t\t{}\t", command, below->get_name(), below->get_description()).c_str());
    list(command + " " + below->get_name(), *below);
  }
}

}  // namespace

int list_options(const CLI::App& app) {
  list(app.get_name(), app);
  return 0;
}

}  // namespace starling::tools
