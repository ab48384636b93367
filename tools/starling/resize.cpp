// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling resize: asks a running job of object arrays to go on with another number of processes.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "job_choice.hpp"
#include "observe/job/process_facts.hpp"
#include "observe/resize_address.hpp"

namespace starling::tools {
namespace {

/// Connected to that one of the job's processes which can be asked; none where none can.
Descriptor find_ear(const observe::FoundJob& job) {
  for (const pid_t process : observe::descendants_of(job.worker)) {
    const pid_t number = observe::own_number(formatted("/proc/{}", process));
    if (number <= 0) continue;
    Descriptor ear(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const observe::ResizeAddress address(number);
    if (!ear.valid() || connect(ear.get(), address.get(), address.size) != 0) continue;
    ucred who{};
    socklen_t size = sizeof who;
    // Anybody may take a name; the job is another user's only where root asks.
    if (getsockopt(ear.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == job.user) return ear;
  }
  return {};
}

/// The line that the job answers with; empty: it ended before.
std::string hear(const Descriptor& ear) {
  constexpr int kSayAfter_ms = 2000;
  std::string line;
  bool is_said = false;
  while (line.find('\n') == std::string::npos) {
    pollfd wait{ear.get(), POLLIN, 0};
    if (poll(&wait, 1, is_said ? -1 : kSayAfter_ms) == 0) {
      std::fputs("starling resize: the job does it when it is between two runs; Ctrl-C takes it back\n", stderr);
      is_said = true;
      continue;
    }
    char bytes[512];
    const ssize_t got = read(ear.get(), bytes, sizeof bytes);
    if (got <= 0) return {};
    line.append(bytes, static_cast<std::size_t>(got));
  }
  return line.substr(0, line.find('\n'));
}

int refuse_resize(const std::string& message) {
  std::fprintf(stderr, "starling resize: %s\n", message.c_str());
  return 1;
}

int ask_for(const observe::FoundJob& job, int processes) {
  const Descriptor ear = find_ear(job);
  if (!ear.valid()) {
    return refuse_resize(
        formatted("job {} takes no other number of processes: no process of it on this machine, by an array's "
                  "Session::take_resizing(), lets itself be asked",
                  job.id));
  }
  const std::string question = formatted("{}\n", processes);
  std::string answer;
  if (send(ear.get(), question.data(), question.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(question.size())) {
    answer = hear(ear);
  }
  if (answer.empty()) return refuse_resize(formatted("job {} ended, or came to the end of its arrays, before", job.id));
  if (answer.front() != observe::kResizeDone) {
    return refuse_resize(formatted("job {} stays as it is: {}", job.id, answer.substr(1)));
  }
  std::puts(formatted("job {}: {}", job.id, answer.substr(1)).c_str());
  return 0;
}

}  // namespace

int resize_command(Arguments arguments) {
  CLI::App app(
      "Asks a running job of object arrays to go on with another number of processes, and waits until it does, between "
      "two of its runs. The program must take that (Session::take_resizing). Fewer: the last ones give their objects "
      "to "
      "the others and leave. More: new ones are started.",
      "starling resize");
  std::string name;
  int processes = 0;
  app.add_option("job", name, "the process number of mpiexec, as 'starling ps' lists it")->type_name("JOB")->required();
  app.add_option("processes", processes, "how many it shall have")
      ->type_name("N")
      ->required()
      ->check(CLI::Range(1, 1'000'000));
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  const Result<observe::FoundJob> job = choose_job(name);
  if (!job.ok()) return refuse_resize(job.status().message());
  return ask_for(job.value(), processes);
}

}  // namespace starling::tools
