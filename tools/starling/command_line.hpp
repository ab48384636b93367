// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How every subcommand reads its options: by CLI11, which also writes the help.
// Thread safety: no shared state.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <optional>

#include "commands.hpp"

namespace starling::tools {

/// Prints the options of the command and of its own commands, as asks_for_option_list says; 0.
int list_options(const CLI::App& app);

/// Says in one line on standard error what is wrong with the words of the command.
void say_what_is_wrong(const CLI::App& app, const CLI::ParseError& error, Arguments arguments);

/// Reads the words of the command. A value is the exit status with which the command ends at once: after -h, which has
/// been answered, or a wrong option, which has been refused.
inline std::optional<int> read_options(CLI::App& app, Arguments arguments) {
  constexpr int kExitWrongUsage = 2;
  if (asks_for_option_list(arguments)) return list_options(app);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    say_what_is_wrong(app, error, arguments);
    return kExitWrongUsage;
  }
  return std::nullopt;
}

}  // namespace starling::tools
