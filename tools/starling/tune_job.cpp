// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tune_job.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "doctor_process.hpp"
#include "launch/start/self.hpp"

namespace starling::tools {
namespace {

volatile std::sig_atomic_t signal_came = 0;

Status job_failed(const std::string& why) { return Status::error(ErrorClass::kOther, why); }

/// All that comes, or as much as there is when a signal does.
std::string output_of(int descriptor) {
  constexpr int kLookAgainMs = 100;  // a signal may come just before poll
  std::string text;
  char buffer[4096];
  while (signal_came == 0) {
    pollfd waits{descriptor, POLLIN, 0};
    if (poll(&waits, 1, kLookAgainMs) <= 0) continue;
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

/// What mpiexec has said, without who it is, its lines joined.
std::string sentence_of(std::string_view errors) {
  std::string reason;
  while (!errors.empty()) {
    std::string_view line = errors.substr(0, errors.find('\n'));
    errors.remove_prefix(std::min(line.size() + 1, errors.size()));
    for (const std::string_view who : {"starling: ", "mpiexec: ", "starling tune: "}) {
      if (line.starts_with(who)) line.remove_prefix(who.size());
    }
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(begin);
    if (!line.empty()) reason += formatted("{}{}", reason.empty() ? "" : " ", line);
  }
  return reason.empty() ? "a job that measures has failed" : reason;
}

}  // namespace

void end_tuning_by_signals() {
  struct sigaction action {};
  action.sa_handler = [](int number) { signal_came = number; };
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
}

int signal_of_tuning() noexcept { return signal_came; }

Result<std::string> run_tune_job(const std::vector<std::string>& options, int limit_s,
                                 const std::vector<std::string>& probe) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return job_failed(std::strerror(errno));
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const Descriptor errors(memfd_create("starling-tune", MFD_CLOEXEC));
  std::vector<std::string> words = {launch::own_path(), "run", "-q", "--timeout", formatted("{}", limit_s)};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {launch::own_path(), "tune", "--probe"});
  words.insert(words.end(), probe.begin(), probe.end());
  const pid_t process = start_program(words, -1, writing.get(), errors.get());
  if (process < 0) return job_failed(std::strerror(errno));
  writing.reset();
  std::string output = output_of(reading.get());
  if (signal_came != 0) kill(process, SIGTERM);
  int status = 0;
  pid_t ended = -1;
  while ((ended = waitpid(process, &status, 0)) < 0 && errno == EINTR) {
  }
  if (signal_came != 0) return job_failed("interrupted");
  if (ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  return job_failed(sentence_of(text_of(errors.get())));
}

}  // namespace starling::tools
