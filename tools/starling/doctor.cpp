// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling doctor: tries what a job needs of this machine and says what each finding means; with --host, what a job
// needs between hosts; with a job, what keeps it slow. Exit status 1 when a job could not run at all.
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/format.hpp"
#include "base/usable_cores.hpp"
#include "bootstrap/machine.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "doctor_hosts.hpp"
#include "doctor_job.hpp"
#include "launch/start/self.hpp"
#include "memory/job_segment.hpp"

namespace starling::tools {
namespace {

enum class Verdict { kGood, kSlower, kBroken };

struct Finding {
  Verdict verdict;
  std::string text;
};

Finding probe_cores() {
  const CoreLimits limits = core_limits();
  std::string text = formatted("{} usable (affinity {}", limits.usable(), limits.affinity);
  if (limits.quota_cores) text += formatted(", quota {:.2f} in {}", *limits.quota_cores, limits.quota_file);
  return {Verdict::kGood, text + "). A job with more ranks than that waits by sleeping instead of spinning."};
}

Finding probe_memfd() {
  const int file = memfd_create("starling-doctor", MFD_CLOEXEC);
  if (file >= 0) close(file);
  if (file >= 0) return {Verdict::kGood, "works: shared memory has no name, so nothing can be left behind."};
  return {Verdict::kSlower,
          formatted("refused ({}): unlinked files in /dev/shm take its place.", std::strerror(errno))};
}

Finding probe_dev_shm() {
  struct statvfs info {};
  if (statvfs("/dev/shm", &info) != 0) return {Verdict::kGood, "absent; only needed where memfd is refused."};
  const double mebibytes = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) / (1 << 20);
  const char* access_word = access("/dev/shm", W_OK) == 0 ? "writable" : "not writable";
  return {Verdict::kGood,
          formatted("{}, {:.0f} MiB free; only needed where memfd is refused.", access_word, mebibytes)};
}

Finding probe_segment() {
  const auto segment = memory::JobSegment::create({});
  if (segment.ok()) return {Verdict::kGood, "can be made and committed."};
  return {Verdict::kBroken, segment.status().message() + ". No job can start."};
}

Finding probe_membarrier() {
  if (bootstrap::global_membarrier_works()) {
    return {Verdict::kGood, "works: a rank that goes to sleep pays for the fence, senders pay nothing."};
  }
  return {Verdict::kSlower, "refused: every send carries a memory fence, some nanoseconds each."};
}

Finding probe_futex() {
  std::uint32_t word = 0;
  if (syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0) == 0) {
    return {Verdict::kGood, "works: waiting ranks sleep and cost nothing."};
  }
  return {Verdict::kBroken, formatted("refused ({}): ranks cannot wait for each other.", std::strerror(errno))};
}

/// Reads a word of a child process, as a rank reads a long message from its peer.
Finding probe_single_copy() {
  static volatile std::uint64_t word = 0;
  const pid_t child = fork();
  if (child < 0) return {Verdict::kBroken, formatted("no process can be started: {}", std::strerror(errno))};
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  std::uint64_t copy = 1;
  iovec local{&copy, sizeof copy};
  iovec remote{const_cast<std::uint64_t*>(&word), sizeof copy};
  const ssize_t count = process_vm_readv(child, &local, 1, &remote, 1, 0);
  const int error = errno;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (count == static_cast<ssize_t>(sizeof copy)) {
    return {Verdict::kGood, "works between parent and child: long messages are copied once."};
  }
  return {Verdict::kSlower, formatted("refused ({}): long messages are copied twice, through shared memory. Ptrace is "
                                      "forbidden here (seccomp, Yama or a container's profile).",
                                      std::strerror(error))};
}

Finding probe_yama() {
  const int file = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
  char level = '0';
  if (file < 0 || read(file, &level, 1) != 1) level = '0';
  if (file >= 0) close(file);
  if (level == '0') return {Verdict::kGood, "0: ranks may read each other's memory."};
  return {Verdict::kSlower,
          formatted("{}: ranks must permit each other to read their memory (done where allowed).", level)};
}

Finding probe_symbolizer() {
  const std::string path = launch::find_helper("starling-symbolize");
  if (!path.empty()) return {Verdict::kGood, path};
  return {Verdict::kSlower, "missing: crash reports show addresses instead of names."};
}

struct Probe {
  const char* name;
  Finding (*run)();
};

constexpr Probe kProbes[] = {
    {"cores", probe_cores},
    {"memfd", probe_memfd},
    {"/dev/shm", probe_dev_shm},
    {"job segment", probe_segment},
    {"futex", probe_futex},
    {"membarrier", probe_membarrier},
    {"process_vm_readv", probe_single_copy},
    {"yama ptrace_scope", probe_yama},
    {"crash reports", probe_symbolizer},
};

const char* mark(Verdict verdict) {
  switch (verdict) {
    case Verdict::kGood: return "ok   ";
    case Verdict::kSlower: return "note ";
    case Verdict::kBroken: break;
  }
  return "FAIL ";
}

}  // namespace

int doctor_command(Arguments arguments) {
  CLI::App app(
      "Tries what a job needs of this machine and says what each finding means. With --host or --hostfile: what a job "
      "on these hosts needs between them. With JOB: watches this running job for some seconds and says what keeps it "
      "slow.",
      "starling doctor");
  std::string hosts;
  std::string host_file;
  std::string remote_shell;
  std::string job;
  double seconds = 3;
  const CLI::Option* const watched =
      app.add_option("job", job, "the process number of mpiexec, as 'starling ps' lists it")->type_name("JOB");
  app.add_option("--seconds", seconds, "how long the job is watched (3)")->type_name("S")->check(CLI::Range(0.2, 60.0));
  app.add_option("--host", hosts, "hosts, as for mpiexec: a,b,user@c");
  app.add_option("--hostfile", host_file, "a file of hosts, as for mpiexec");
  app.add_option("--rsh-agent", remote_shell, "the command that reaches other hosts, as for mpiexec");
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  if (watched->count() > 0) return examine_job(job, seconds);
  std::vector<std::string> host_options;
  if (!hosts.empty()) host_options.insert(host_options.end(), {"--host", hosts});
  if (!host_file.empty()) host_options.insert(host_options.end(), {"--hostfile", host_file});
  if (!remote_shell.empty()) host_options.insert(host_options.end(), {"--rsh-agent", remote_shell});
  if (!hosts.empty() || !host_file.empty()) return check_hosts_for_job(host_options);

  int exit_code = 0;
  for (const Probe& probe : kProbes) {
    const Finding finding = probe.run();
    std::puts(formatted("{}{:<18} {}", mark(finding.verdict), probe.name, finding.text).c_str());
    if (finding.verdict == Verdict::kBroken) exit_code = 1;
  }
  std::puts("ok   host name          not looked up: a job on one machine needs none.");
  std::puts("     other hosts        not tried; --host a,b does.");
  return exit_code;
}

}  // namespace starling::tools
