// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The command that starts a program on another host: ssh, srun inside a Slurm allocation, or what the user names.
//
// Its standard input and output must reach the program byte by byte, at once and unchanged. A remote shell may run the
// words of the command or join them and give them to a shell, so they hold nothing that is special to one.
// ssh asks for a password at the terminal: that works only for a process of the terminal's foreground group.
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "config/config.hpp"
#include "launch/hosts/host.hpp"

namespace starling::launch {

/// Settles a request that names no remote shell: STARLING_RSH_AGENT, or srun inside a Slurm allocation, or ssh.
void choose_remote_shell(HostRequest& request, const config::Store& store, bool in_slurm);

/// What to execute here so that `command` runs on the host.
[[nodiscard]] std::vector<std::string> remote_command(const HostRequest& request, const Host& host,
                                                      const std::vector<std::string>& command);

/// Whether a remote shell passes on these words as they are; the message says what to do.
Status check_remote_words(const std::vector<std::string>& command);

/// Whether a line that a remote shell writes to standard error tells the user nothing: srun's that cores cannot be
/// bound, which only our asking for no binding makes it say.
[[nodiscard]] bool says_nothing(std::string_view line);

}  // namespace starling::launch
