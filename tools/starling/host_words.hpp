// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HostWords: the options about hosts of commands that start jobs of their own, as words for mpiexec.
// Thread safety: a value.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"

namespace starling::tools {

struct HostWords {
  std::string hosts;
  std::string host_file;
  std::string remote_shell;

  void add_to(CLI::App& app) {
    app.add_option("--host", hosts, "hosts, as for mpiexec: a,b,user@c");
    app.add_option("--hostfile", host_file, "a file of hosts, as for mpiexec");
    app.add_option("--rsh-agent", remote_shell, "the command that reaches other hosts, as for mpiexec");
  }
  [[nodiscard]] bool named() const { return !hosts.empty() || !host_file.empty(); }
  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> words;
    if (!hosts.empty()) words.insert(words.end(), {"--host", hosts});
    if (!host_file.empty()) words.insert(words.end(), {"--hostfile", host_file});
    if (!remote_shell.empty()) words.insert(words.end(), {"--rsh-agent", remote_shell});
    return words;
  }
};

}  // namespace starling::tools
