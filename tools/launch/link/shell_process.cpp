// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/link/shell_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/format.hpp"
#include "launch/start/limits.hpp"
#include "launch/start/program.hpp"

extern char** environ;

namespace starling::launch {
namespace {

struct Pipe {
  Descriptor reading;
  Descriptor writing;

  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
    return true;
  }
};

Status no_shell(std::string why) { return Status::error(ErrorClass::kOther, std::move(why)); }

}  // namespace

ShellProcess::~ShellProcess() {
  if (errors_.valid()) loop_.remove(errors_.get());
}

Status ShellProcess::start(const std::vector<std::string>& command, std::function<void(const std::string&)> says,
                           std::function<void()> ended) {
  says_ = std::move(says);
  ended_ = std::move(ended);
  Pipe input;
  Pipe output;
  Pipe errors;
  if (!input.open() || !output.open() || !errors.open()) return no_shell("no pipe: " + explain_error(errno));
  int standard[3] = {input.reading.get(), output.writing.get(), errors.writing.get()};
  STARLING_TRY(spawn_it(command, standard));
  input_ = std::move(input.writing);
  output_ = std::move(output.reading);
  errors_ = std::move(errors.reading);
  fcntl(errors_.get(), F_SETFL, O_NONBLOCK);
  loop_.on_readable(errors_.get(), [this] { read_errors(); });
  watch_.start(process_, [this] { on_end(); });
  return {};
}

Status ShellProcess::spawn_it(const std::vector<std::string>& command, int standard[3]) {
  const Program program = find_program(command[0], {});
  if (program.exit_code != 0) return no_shell(program.problem);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ChildPlan plan;
  plan.path = program.path.c_str();
  plan.arguments = arguments.data();
  plan.environment = environ;
  for (int i = 0; i < 3; ++i) plan.standard[i] = standard[i];
  plan.own_session = true;
  plan.inherited = inherited_;
  const Child child = spawn(plan);
  if (child.error != 0) {
    const bool executed = std::strcmp(child.step, "execve") == 0;
    return no_shell(executed ? explain_exec_failure(program.path, {}, child.error)
                             : formatted("'{}' cannot be started: {}", program.path, explain_error(child.error)));
  }
  process_ = child.pid;
  return {};
}

bool ShellProcess::read_errors() {
  char buffer[4096];
  const ssize_t count = read(errors_.get(), buffer, sizeof buffer);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count > 0) line_.append(buffer, static_cast<std::size_t>(count));
  if (count <= 0) {
    loop_.remove(errors_.get());
    errors_.reset();
    if (!line_.empty()) line_ += '\n';
  }
  std::size_t end = 0;
  constexpr std::size_t kLongestLine = 64 * 1024;
  if (line_.size() > kLongestLine) line_ += '\n';
  while ((end = line_.find('\n')) != std::string::npos) {
    std::string line = line_.substr(0, end);
    if (line.ends_with('\r')) line.pop_back();
    line_.erase(0, end + 1);
    says_(line);
  }
  return errors_.valid();
}

void ShellProcess::on_end() {
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) == process_) status_ = status;
  has_ended_ = true;
  // Its last words are in the pipe already. What it has left behind may go on writing.
  constexpr int kMostReads = 256;
  for (int i = 0; i < kMostReads && errors_.valid() && read_errors(); ++i) {
  }
  ended_();
}

std::string ShellProcess::outcome() const {
  if (!has_ended_) return {};
  if (!status_) return "ended";
  if (WIFSIGNALED(*status_)) {
    return formatted("was killed by signal {} ({})", WTERMSIG(*status_), strsignal(WTERMSIG(*status_)));
  }
  return formatted("ended with exit status {}", WEXITSTATUS(*status_));
}

void ShellProcess::kill() const noexcept {
  if (running()) ::kill(-process_, SIGKILL);
}

}  // namespace starling::launch
