// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "doctor_connections.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "doctor_process.hpp"
#include "launch/start/self.hpp"

namespace starling::tools {
namespace {

/// Of starling-check-hosts where a pair of ranks came to no connection.
constexpr int kExitNoConnection = 3;

/// How one of the two jobs went.
struct Outcome {
  int exit_code = -1;
  bool said_why = false;  ///< it has printed a line that says FAIL
  std::string errors;     ///< what mpiexec and the job have written to standard error

  [[nodiscard]] bool good() const { return exit_code == 0; }
  /// The job itself ends when a call fails at once.
  [[nodiscard]] bool no_connection() const {
    return exit_code == kExitNoConnection || errors.find("cannot connect to") != std::string::npos;
  }
};

/// Prints the lines of the job as they come. Whether one of them says FAIL.
bool pass_lines_on(int output) {
  std::string line;
  bool failed = false;
  char piece[4096];
  for (ssize_t count = 0; (count = read(output, piece, sizeof piece)) > 0 || (count < 0 && errno == EINTR);) {
    for (ssize_t i = 0; i < count; ++i) {
      line += piece[i];
      if (piece[i] != '\n') continue;
      failed = failed || line.starts_with("FAIL");
      std::fputs(line.c_str(), stdout);
      line.clear();
    }
    std::fflush(stdout);
  }
  return failed;
}

Outcome run_check(const std::vector<std::string>& words) {
  Outcome outcome;
  int ends[2];
  const Descriptor errors(memfd_create("starling-doctor", MFD_CLOEXEC));
  if (pipe2(ends, O_CLOEXEC) != 0) return outcome.errors = std::strerror(errno), outcome;
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const pid_t process = start_program(words, -1, writing.get(), errors.get());
  if (process < 0) return outcome.errors = std::strerror(errno), outcome;
  writing.reset();
  outcome.said_why = pass_lines_on(reading.get());
  int status = 0;
  if (waitpid(process, &status, 0) == process && WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  outcome.errors = text_of(errors.get());
  return outcome;
}

/// What mpiexec says of the job's end, without who it was: that is a rank of the check.
std::string reason_of(const std::string& errors) {
  constexpr std::string_view kIndent = "\n  ";
  constexpr std::string_view kWho = "starling: ";
  const std::size_t indented = errors.find(kIndent);
  const std::size_t who = errors.find(kWho);
  std::string_view reason = errors;
  if (indented != std::string::npos) {
    reason.remove_prefix(indented + kIndent.size());
  } else if (who != std::string::npos) {
    reason.remove_prefix(who + kWho.size());
  }
  reason = reason.substr(0, reason.find('\n'));
  return reason.empty() ? "the job that tries them has ended without a word" : std::string(reason);
}

/// The names of the caller and the called where there are but two.
std::string name_of_check(const launch::HostRequest& request, bool up) {
  if (request.hosts.size() != 2) return "connections";
  return formatted("{} calls {}", request.hosts[up ? 0 : 1].name, request.hosts[up ? 1 : 0].name);
}

void report(const Outcome& outcome, const std::string& what) {
  if (outcome.good()) {
    std::fputs(outcome.errors.c_str(), stderr);
  } else if (!outcome.said_why) {
    const std::string ask = outcome.no_connection()
                                ? ". Is a firewall between the hosts? STARLING_NET_PORTS sets the ports to let through."
                                : "";
    print_finding("FAIL", what, reason_of(outcome.errors) + ask);
  }
}

}  // namespace

bool connections_work(const std::vector<std::string>& host_options, const launch::HostRequest& request) {
  const std::string program = launch::find_helper("starling-check-hosts");
  if (program.empty()) {
    print_finding("FAIL", "connections",
                  "not tried: starling-check-hosts is missing, which is installed with Starling.");
    return false;
  }
  // The check has deadlines of its own, and says more of what is wrong than that a host is silent.
  constexpr const char* kAfterAllDeadlines = "60000";
  setenv("STARLING_NET_DEAD_AFTER_MS", kAfterAllDeadlines, 1);
  const auto check = [&](bool up) {
    std::vector<std::string> words = {launch::own_path(), "run"};
    words.insert(words.end(), host_options.begin(), host_options.end());
    words.insert(words.end(), {"-N", "1", "-q", "--timeout", "120", program, up ? "up" : "down"});
    for (const launch::Host& host : request.hosts) words.push_back(host.name);
    Outcome outcome = run_check(words);
    report(outcome, name_of_check(request, up));
    return outcome;
  };
  const Outcome up = check(true);
  if (request.hosts.size() < 2) return up.good();
  const Outcome down = check(false);
  if ((up.good() && down.no_connection()) || (down.good() && up.no_connection())) {
    print_finding(
        "note", "one way",
        "connections are let through in one direction only, and which rank calls which follows from who sends first. "
        "Let the ports of STARLING_NET_PORTS through in both.");
  }
  return up.good() && down.good();
}

}  // namespace starling::tools
