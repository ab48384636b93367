// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "base/format.hpp"
#include "doctor_probes.hpp"

namespace starling::tools {
namespace {

/// Does something to a child process, which only waits meanwhile.
Finding try_on_child(Finding (*action)(pid_t)) {
  const pid_t child = fork();
  if (child < 0) return {Verdict::kBroken, formatted("no process can be started: {}", std::strerror(errno))};
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  Finding finding = action(child);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return finding;
}

/// Reads a word of it, as a rank reads a long message from its peer.
Finding read_from(pid_t child) {
  static volatile std::uint64_t word = 0;
  std::uint64_t copy = 1;
  iovec local{&copy, sizeof copy};
  iovec remote{const_cast<std::uint64_t*>(&word), sizeof copy};
  if (process_vm_readv(child, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(sizeof copy)) {
    return {Verdict::kGood, "works between parent and child: long messages are copied once."};
  }
  return {Verdict::kSlower, formatted("refused ({}): long messages are copied twice, through shared memory. Ptrace is "
                                      "forbidden here (seccomp, Yama or a container's profile).",
                                      std::strerror(errno))};
}

Finding seize(pid_t child) {
  if (ptrace(PTRACE_SEIZE, child, nullptr, nullptr) == 0) {
    return {Verdict::kGood, "works between parent and child: 'starling stack' can show the stacks of ranks."};
  }
  return {Verdict::kSlower,
          formatted("refused ({}): 'starling stack' and 'starling why' show no stacks. A container allows it "
                    "with --cap-add SYS_PTRACE.",
                    std::strerror(errno))};
}

}  // namespace

Finding probe_single_copy() { return try_on_child(read_from); }

Finding probe_tracing() { return try_on_child(seize); }

Finding probe_yama() {
  const int file = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
  char level = '0';
  if (file < 0 || read(file, &level, 1) != 1) level = '0';
  if (file >= 0) close(file);
  if (level == '0') return {Verdict::kGood, "0: ranks may read each other's memory."};
  return {Verdict::kSlower,
          formatted("{}: ranks must permit each other to read their memory (done where allowed).", level)};
}

}  // namespace starling::tools
