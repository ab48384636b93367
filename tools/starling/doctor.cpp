// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling doctor: tries what a job needs of this machine and says what each finding means; with --host, what a job
// needs between hosts; with a job, what keeps it slow. Exit status 1 when a job could not run at all.
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
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
#include "doctor_probes.hpp"
#include "host_words.hpp"
#include "launch/start/self.hpp"
#include "memory/job_segment.hpp"

namespace starling::tools {
namespace {

Finding probe_cores() {
  const CoreLimits limits = core_limits();
  std::string text = formatted("{} usable (affinity {}", limits.usable(), limits.affinity);
  if (limits.quota_cores) text += formatted(", quota {:.2f} in {}", *limits.quota_cores, limits.quota_file);
  const bool is_narrowed = limits.quota_cores && *limits.quota_cores < limits.affinity;
  return {is_narrowed ? Verdict::kSlower : Verdict::kGood,
          text + "). A job with more ranks than that waits by sleeping instead of spinning."};
}

/// 0, or why there is no memory without a name.
int error_of_memfd() {
  const int file = memfd_create("starling-doctor", MFD_CLOEXEC);
  if (file < 0) return errno;
  close(file);
  return 0;
}

Finding probe_memfd() {
  const int error = error_of_memfd();
  if (error == 0) return {Verdict::kGood, "works: shared memory has no name, so nothing can be left behind."};
  return {Verdict::kSlower,
          formatted("refused ({}): unlinked files in /dev/shm take its place.", std::strerror(error))};
}

Finding probe_dev_shm() {
  struct statvfs info {};
  const bool needed = error_of_memfd() != 0;
  if (statvfs("/dev/shm", &info) != 0) {
    return needed ? Finding{Verdict::kSlower, "absent, and memfd is refused."}
                  : Finding{Verdict::kGood, "absent; only needed where memfd is refused."};
  }
  const double mebibytes = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) / (1 << 20);
  const char* access_word = access("/dev/shm", W_OK) == 0 ? "writable" : "not writable";
  const std::string text = formatted("{}, {:.0f} MiB free", access_word, mebibytes);
  if (!needed) return {Verdict::kGood, text + "; only needed where memfd is refused."};
  return {Verdict::kSlower,
          text + "; all memory that ranks share comes from here. A container gets more with --shm-size."};
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
    {"container", probe_container},
    {"process numbers", probe_process_numbers},
    {"cores", probe_cores},
    {"memory", probe_memory_limit},
    {"processes", probe_process_limit},
    {"system calls", probe_system_calls},
    {"memfd", probe_memfd},
    {"/dev/shm", probe_dev_shm},
    {"job segment", probe_segment},
    {"futex", probe_futex},
    {"membarrier", probe_membarrier},
    {"process_vm_readv", probe_single_copy},
    {"yama ptrace_scope", probe_yama},
    {"ptrace", probe_tracing},
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
  HostWords hosts;
  std::string job;
  double seconds = 3;
  const CLI::Option* const watched =
      app.add_option("job", job, "the process number of mpiexec, as 'starling ps' lists it")->type_name("JOB");
  app.add_option("--seconds", seconds, "how long the job is watched (3)")->type_name("S")->check(CLI::Range(0.2, 60.0));
  hosts.add_to(app);
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  if (watched->count() > 0) return examine_job(job, seconds);
  if (hosts.named()) return check_hosts_for_job(hosts.words());

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
