// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/remote_shell.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/format.hpp"
#include "bootstrap/launcher_settings.hpp"
#include "launch/hosts/host_name.hpp"

namespace starling::launch {
namespace {

std::vector<std::string> split_at_spaces(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    words.emplace_back(text.substr(0, text.find_first_of(" \t")));
    text.remove_prefix(words.back().size());
  }
}

/// A path from the folder of this process on becomes absolute, for agents in other folders start others by it, too. It
/// stays as it is where that folder is gone, and is then not found.
std::string from_anywhere(std::string program) {
  if (program.starts_with('/') || program.find('/') == std::string::npos) return program;
  std::error_code gone;
  const std::filesystem::path whole = std::filesystem::absolute(program, gone);
  return gone ? program : whole.lexically_normal().string();
}

/// One process on the host, beside what runs there already and on all its cores. Without --unbuffered srun keeps what
/// the process writes until a line is complete. --mpi=none: the process is not a rank. What the environment may say of
/// input, output, tasks, cores and variables (SLURM_STDINMODE and so on) must not count; no option undoes
/// SLURM_LABELIO, so env takes it away.
std::vector<std::string> srun_words(const HostRequest& request, const Host& host) {
  return {"env",
          "-u",
          "SLURM_LABELIO",
          request.remote_shell.empty() ? "srun" : from_anywhere(request.remote_shell),
          "--nodes=1",
          "--ntasks=1",
          "--ntasks-per-node=1",
          "--nodelist=" + host.name,
          "--overlap",
          "--unbuffered",
          "--input=all",
          "--output=all",
          "--error=all",
          "--mpi=none",
          "--cpu-bind=none",
          "--export=ALL",
          "--chdir=/",
          "--quiet"};
}

bool is_plain(std::string_view word) {
  constexpr std::string_view kPlainMarks = "._-+/:,@%=";
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlainMarks.find(c) != std::string_view::npos;
  });
}

}  // namespace

void choose_remote_shell(HostRequest& request, const config::Store& store, bool in_slurm) {
  if (request.shell_kind != ShellKind::kAutomatic || !request.remote_shell.empty()) return;
  request.remote_shell = bootstrap::remote_shell(store);
  if (!request.remote_shell.empty()) return;
  request.shell_kind = in_slurm ? ShellKind::kSrun : ShellKind::kSsh;
}

std::vector<std::string> remote_command(const HostRequest& request, const Host& host,
                                        const std::vector<std::string>& command) {
  std::vector<std::string> words = split_at_spaces(request.remote_shell);
  if (!words.empty()) words.front() = from_anywhere(words.front());
  // srun cannot run anything as another user.
  if (request.shell_kind == ShellKind::kSrun && host.user.empty()) {
    words = srun_words(request, host);
  } else {
    if (request.shell_kind == ShellKind::kSrun || words.empty()) {
      words = request.shell_kind == ShellKind::kRsh ? std::vector<std::string>{"rsh"}
                                                    : std::vector<std::string>{"ssh", "-x", "-T"};
    }
    words.push_back(host.user.empty() ? host.name : host.user + "@" + host.name);
  }
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Status check_remote_words(const std::vector<std::string>& command) {
  for (const std::string& word : command) {
    if (is_plain(word)) continue;
    return Status::error(
        ErrorClass::kArg,
        formatted("'{}' cannot be started on another host: a remote shell would not pass it on as it "
                  "is. Install Starling in a folder whose path has only letters, digits and ._-+/:,@%=",
                  shown_word(word)));
  }
  return {};
}

bool says_nothing(std::string_view line) { return line == "srun: cluster configuration lacks support for cpu binding"; }

}  // namespace starling::launch
