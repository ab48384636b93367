// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "doctor_process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "base/format.hpp"

namespace starling::tools {

void print_finding(const char* mark, const std::string& what, const std::string& text) {
  std::puts(formatted("{} {:<18} {}", mark, what, text).c_str());
  std::fflush(stdout);
}

pid_t start_program(const std::vector<std::string>& words, int input, int output, int errors) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input >= 0) posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (errors >= 0) posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  pid_t process = -1;
  const int error = posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return process;
  errno = error;
  return -1;
}

void end_program(pid_t process) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    if (waitpid(process, nullptr, WNOHANG) != 0) return;
    usleep(10'000);
  }
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

std::string text_of(int file) {
  std::string text;
  char piece[4096];
  for (ssize_t count = 0; (count = pread(file, piece, sizeof piece, static_cast<off_t>(text.size()))) > 0;) {
    text.append(piece, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace starling::tools
