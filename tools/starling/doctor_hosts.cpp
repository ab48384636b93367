// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "doctor_hosts.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "bootstrap/launcher_settings.hpp"
#include "commands.hpp"
#include "doctor_connections.hpp"
#include "doctor_process.hpp"
#include "launch/hosts/remote_shell.hpp"
#include "launch/hosts/slurm.hpp"
#include "launch/hosts/this_machine.hpp"
#include "launch/link/frame.hpp"
#include "launch/options/command_line.hpp"
#include "launch/start/job_settings.hpp"
#include "launch/start/self.hpp"
#include "transport/tcp/settings.hpp"
#include "tuning/settings.hpp"
#include "tuning/words.hpp"

namespace starling::tools {
namespace {

std::string in_one_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// What a remote shell brings until the agent's greeting, which is the last line of it; as far as it came in time.
std::string read_greeting(int output, std::int64_t deadline_ms) {
  std::string text;
  const std::int64_t end = now_ns() + deadline_ms * kMillisecond;
  while (true) {
    const std::size_t greeting = text.find(launch::Greeting::kWord);
    if (greeting != std::string::npos && text.find('\n', greeting) != std::string::npos) return text;
    pollfd waits{output, POLLIN, 0};
    const std::int64_t left_ms = (end - now_ns()) / kMillisecond;
    if (left_ms <= 0 || poll(&waits, 1, static_cast<int>(left_ms)) <= 0) return text;
    char piece[4096];
    const ssize_t count = read(output, piece, sizeof piece);
    if (count <= 0) return text;
    text.append(piece, static_cast<std::size_t>(count));
  }
}

/// Whether Starling's agent answers from a host as mpiexec needs it.
bool check_shell(const std::vector<std::string>& command, const std::string& host, std::int64_t deadline_ms) {
  int to[2];
  int from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
    print_finding("FAIL", host, formatted("no pipe: {}", std::strerror(errno)));
    return false;
  }
  Descriptor to_read(to[0]);
  Descriptor to_write(to[1]);
  Descriptor from_read(from[0]);
  Descriptor from_write(from[1]);
  const std::int64_t began = now_ns();
  // What the shell says of an agent that leaves early is of no interest where all is well.
  const Descriptor errors(memfd_create("starling-doctor", MFD_CLOEXEC));
  const pid_t process = start_program(command, to_read.get(), from_write.get(), errors.get());
  if (process < 0) {
    print_finding("FAIL", host, formatted("'{}' cannot be started: {}", command[0], std::strerror(errno)));
    return false;
  }
  from_write.reset();
  const std::string text = read_greeting(from_read.get(), deadline_ms);
  const double took_s = static_cast<double>(now_ns() - began) / 1e9;
  to_write.reset();
  from_read.reset();
  end_program(process);
  const std::size_t greeting = text.find(launch::Greeting::kWord);
  if (greeting == std::string::npos || text.find('\n', greeting) == std::string::npos) {
    std::fputs(text_of(errors.get()).c_str(), stderr);
    print_finding("FAIL", host,
                  formatted("no agent answered within {:.1f} s. Try '{}': it must print '{}...', and nothing else",
                            took_s, in_one_line(command), launch::Greeting::kWord));
    return false;
  }
  const std::size_t begin = greeting + launch::Greeting::kWord.size();
  const std::string line = text.substr(begin, text.find('\n', greeting) - begin);
  const Status understood = launch::Greeting::of_this_program(STARLING_VERSION).understands(line);
  if (!understood.ok()) {
    print_finding("FAIL", host, understood.message());
    return false;
  }
  if (greeting > 0) {
    print_finding("ok  ", host, "something else prints before Starling, a login script perhaps; it does no harm.");
  }
  print_finding("ok  ", host,
                formatted("'{}' answered in {:.2f} s, with the same Starling.", in_one_line(command), took_s));
  return true;
}

bool check_shells(const launch::HostRequest& request, const config::Store& store) {
  const launch::ThisMachine machine = launch::ThisMachine::ask();
  const std::vector<std::string> agent = {launch::own_path(), "agent"};
  bool all_answer = true;
  for (const launch::Host& host : request.hosts) {
    const std::string what = "host " + host.name;
    if (machine.is(host)) {
      print_finding("ok  ", what, "is this machine.");
    } else if (const Status plain = launch::check_remote_words(agent); !plain.ok()) {
      print_finding("FAIL", what, plain.message());
      all_answer = false;
    } else {
      const bool answers =
          check_shell(launch::remote_command(request, host, agent), what, bootstrap::start_deadline_ms(store));
      all_answer = all_answer && answers;
    }
  }
  return all_answer;
}

/// Whether each host has a port for each of the ranks that its slots hold.
bool check_ports(const launch::HostRequest& request, transport::tcp::PortRange ports) {
  if (ports.is_any()) return true;
  const int number = ports.last - ports.first + 1;
  bool suffice = true;
  for (const launch::Host& host : request.hosts) {
    const std::string what = "host " + host.name;
    if (!host.slots) {
      print_finding("note", what,
                    formatted("has as many slots as usable cores; each rank needs one of the {} ports of "
                              "STARLING_NET_PORTS.",
                              number));
    } else if (const std::uint32_t ranks = std::min(*host.slots, host.max_slots.value_or(*host.slots));
               ranks > static_cast<std::uint32_t>(number)) {
      print_finding("FAIL", what,
                    formatted("has {} slots, and each rank there needs a port of its own: {}-{} "
                              "(STARLING_NET_PORTS) has {}. Name a wider range.",
                              ranks, ports.first, ports.last, number));
      suffice = false;
    }
  }
  return suffice;
}

/// By which constants of the network a job on these hosts chooses its collective algorithms. Any will do.
void tell_tuning(const launch::HostRequest& request, config::Store store) {
  const std::vector<std::string> names = launch::tuning_names(request);
  std::vector<std::string> warnings;
  tuning::take_file(store, &warnings, names);
  for (const std::string& warning : warnings) print_finding("note", "tuning", warning);
  if (tuning::knows_network(store)) {
    print_finding("ok  ", "tuning",
                  formatted("collective calls know this network from {}.", tuning::network_origin_of(store)));
    return;
  }
  if (!warnings.empty()) return;
  print_finding("note", "tuning",
                formatted("nobody has measured the network between these hosts, so collective calls go by defaults for "
                          "it; 'starling tune --host {}' measures.",
                          tuning::joined(names, ",")));
}

}  // namespace

int check_hosts_for_job(const std::vector<std::string>& host_options) {
  std::vector<const char*> words;
  for (const std::string& word : host_options) words.push_back(word.c_str());
  words.insert(words.end(), {"-N", "1", "starling-check-hosts"});
  Result<launch::JobSpec> spec = launch::parse_command_line(words);
  config::Store store;
  std::vector<std::string> warnings;
  Status status = spec.ok() ? store.read_environment(&warnings) : std::move(spec).status();
  if (status.ok()) status = bootstrap::check_start_deadline(store);
  const Result<transport::tcp::PortRange> ports = transport::tcp::ports_of(store);
  if (status.ok() && !ports.ok()) status = ports.status().copy();
  if (!status.ok()) {
    std::fprintf(stderr, "starling doctor: %s\n", status.message().c_str());
    return kExitUsage;
  }
  launch::HostRequest& request = spec.value().hosts;
  if (request.hosts.empty()) {
    print_finding("ok  ", "hosts", "all of them are this machine: a job on them needs no remote shell and no network.");
    return 0;
  }
  launch::choose_remote_shell(request, store, launch::in_slurm_here());
  tell_tuning(request, store);
  const bool ports_suffice = check_ports(request, ports.value());
  if (!check_shells(request, store)) return EXIT_FAILURE;
  return connections_work(host_options, request) && ports_suffice ? 0 : EXIT_FAILURE;
}

}  // namespace starling::tools
