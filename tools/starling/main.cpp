// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One program under three names: `starling <command>`, and mpiexec and mpirun for `starling run`.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest_name.hpp"
#include "commands.hpp"

namespace {

using starling::tools::Arguments;
using starling::tools::kCommands;
using starling::tools::kExitUsage;

/// What packages that lie beside those of other MPIs add to the names of commands: mpiexec.starling.
constexpr std::string_view kPackaged = ".starling";

int print_usage(std::FILE* stream, int exit_code) {
  std::fputs("usage: starling <command> [arguments]\n\n", stream);
  for (const auto& command : kCommands) {
    std::fprintf(stream, "  %-8s %s\n", command.name.data(), command.sentence.data());
  }
  std::fputs("\n'starling <command> -h' tells more.\n", stream);
  return exit_code;
}

/// One line, for a command that there is not.
int refuse_command(std::string_view wanted) {
  auto names = starling::NearestName::within_reach(wanted);
  for (const auto& command : kCommands) names.offer(command.name);
  const std::string near = names.found().empty() ? "" : ", did you mean '" + std::string(names.found()) + "'?";
  std::fprintf(stderr, "starling: there is no command '%.*s'%s; 'starling -h' lists them\n",
               static_cast<int>(wanted.size()), wanted.data(), near.c_str());
  return kExitUsage;
}

/// The commands, as asks_for_option_list says.
int list_commands() {
  for (const auto& command : kCommands) {
    std::printf("starling\tcommand\t%s\t\t%s\t\n", command.name.data(), command.sentence.data());
  }
  return 0;
}

/// What could not be written is no success: `starling info >/dev/full`.
int finish(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::fprintf(stderr, "starling: standard output cannot be written: %s\n", std::strerror(errno));
  return exit_code != 0 ? exit_code : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<const char*> words(argv, argv + argc);
  const std::string_view path = argc > 0 ? argv[0] : "starling";
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.ends_with(kPackaged)) name.remove_suffix(kPackaged.size());
  const Arguments all(words);
  if (name == "mpiexec" || name == "mpirun") return finish(starling::tools::run_command(all));
  if (argc < 2) return print_usage(stderr, kExitUsage);

  if (starling::tools::asks_for_option_list(all)) return finish(list_commands());
  const std::string_view wanted = argv[1];
  if (wanted == "-h" || wanted == "--help" || (wanted == "help" && argc == 2)) return finish(print_usage(stdout, 0));
  if (wanted == "-V" || wanted == "--version" || wanted == "version")
    return finish(starling::tools::print_short_version());
  // 'starling help why' is 'starling why -h'.
  const std::string_view name_of_command = wanted == "help" ? argv[2] : wanted;
  const char* const asks_for_help[] = {name_of_command.data(), "-h"};
  for (const auto& command : kCommands) {
    if (command.name != name_of_command) continue;
    return finish(command.run(wanted == "help" ? Arguments(asks_for_help) : all.subspan(1)));
  }
  return refuse_command(name_of_command);
}
