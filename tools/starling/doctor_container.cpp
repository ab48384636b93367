// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "base/small_files.hpp"
#include "doctor_probes.hpp"

namespace starling::tools {
namespace {

/// The kind of the container and how it is known; empty: no trace of one.
std::string kind_of_container() {
  constexpr struct {
    const char* path;
    const char* kind;
  } kTraces[] = {{"/.dockerenv", "docker"}, {"/run/.containerenv", "podman"}, {"/.singularity.d", "apptainer"}};
  for (const auto& [path, kind] : kTraces) {
    if (access(path, F_OK) == 0) return formatted("of {} ({} is there)", kind, path);
  }
  const char* name = std::getenv("container");  // by convention, as systemd-nspawn, LXC and podman do
  return name != nullptr ? formatted("of {} (the variable 'container' says so)", name) : std::string();
}

/// The lowest limit that this process's control group and those above it set in a file, with its path. Version 2 has
/// one tree, version 1 one for each controller. Inside a container the root is the container's own group.
struct GroupLimit {
  std::uint64_t value;
  std::string path;
};

void tighten(std::optional<GroupLimit>& lowest, const std::string& root, std::string group, const char* file) {
  for (;;) {
    const std::string path = root + group + "/" + file;
    const std::string text = read_small_file(path);
    std::uint64_t value = 0;
    const bool is_number = std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
    if (is_number && (!lowest || value < lowest->value)) lowest = GroupLimit{value, path};
    if (group.empty()) return;
    group.resize(group.rfind('/'));
  }
}

std::optional<GroupLimit> group_limit(std::string_view controller, const char* file, const char* file_of_version_1) {
  std::optional<GroupLimit> lowest;
  const std::string membership = read_whole_file("/proc/self/cgroup");
  for (std::string_view rest = membership; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string group(line.substr(second + 1));
    if (group == "/") group.clear();
    if (controllers.empty()) tighten(lowest, "/sys/fs/cgroup", group, file);
    if (controllers == controller) {
      tighten(lowest, formatted("/sys/fs/cgroup/{}", controller), group, file_of_version_1);
    }
  }
  return lowest;
}

/// Calls that mpiexec and ranks use where they are there. Each is made such that it changes nothing.
struct OptionalCall {
  const char* name;
  long (*call)();
};

constexpr OptionalCall kOptionalCalls[] = {
    {"signalfd",
     [] {
       sigset_t none;
       sigemptyset(&none);
       return static_cast<long>(signalfd(-1, &none, SFD_CLOEXEC));
     }},
    {"epoll", [] { return static_cast<long>(epoll_create1(EPOLL_CLOEXEC)); }},
    {"eventfd", [] { return static_cast<long>(eventfd(0, EFD_CLOEXEC)); }},
#ifdef SYS_pidfd_open
    {"pidfd_open", [] { return syscall(SYS_pidfd_open, getpid(), 0); }},
#endif
};

/// A sandbox refuses by EPERM, or as if the kernel were too old.
bool is_refusal(int error) { return error == EPERM || error == EACCES || error == ENOSYS; }

bool affinity_is_refused() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return false;  // more processors than the mask holds
  return sched_setaffinity(0, sizeof mask, &mask) != 0 && is_refusal(errno);
}

bool filters_system_calls() {
  const std::string status = read_whole_file("/proc/self/status");
  return status.find("\nSeccomp:\t2") != std::string::npos;
}

}  // namespace

Finding probe_container() {
  const std::string kind = kind_of_container();
  std::string text =
      kind.empty() ? "no trace of docker, podman, apptainer or another one." : formatted("one {}.", kind);
  if (access("/dev/null", R_OK) != 0) return {Verdict::kBroken, text + " There is no /dev/null, which mpiexec needs."};
  if (access("/proc/self/status", R_OK) == 0) return {Verdict::kGood, text};
  text += " There is no /proc: jobs run, but 'starling ps', 'why', 'top' and 'stack' find none, reports of crashes ";
  return {Verdict::kSlower, text + "have no names, and the limits of control groups are not seen."};
}

Finding probe_process_numbers() {
  constexpr ino_t kNumbersOfTheMachine = 0xEFFFFFFC;  // PROC_PID_INIT_INO of Linux
  struct stat numbers {};
  if (stat("/proc/self/ns/pid", &numbers) != 0) return {Verdict::kGood, "not known without /proc."};
  if (numbers.st_ino == kNumbersOfTheMachine) return {Verdict::kGood, "those of the machine."};
  return {Verdict::kSlower,
          "private (a pid namespace): 'starling ps' sees the jobs in it only, and ranks in different ones copy long "
          "messages twice."};
}

Finding probe_system_calls() {
  std::string refused;
  const auto add = [&refused](const char* name) { refused += refused.empty() ? name : formatted(", {}", name); };
  for (const OptionalCall& optional : kOptionalCalls) {
    const long file = optional.call();
    if (file >= 0) close(static_cast<int>(file));
    if (file < 0 && is_refusal(errno)) add(optional.name);
  }
  const bool bound = !affinity_is_refused();
  if (!bound) add("sched_setaffinity");
  const char* filter = filters_system_calls() ? " A seccomp filter is in force." : "";
  if (refused.empty()) return {Verdict::kGood, formatted("all that are tried are allowed.{}", filter)};
  return {Verdict::kSlower, formatted("refused: {}. Jobs run by older means{}.{}", refused,
                                      bound ? "" : ", and ranks are not bound to cores", filter)};
}

Finding probe_memory_limit() {
  const std::optional<GroupLimit> limit = group_limit("memory", "memory.max", "memory.limit_in_bytes");
  const auto machine =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const double mebibytes = static_cast<double>(machine) / (1 << 20);
  if (!limit || limit->value >= machine) return {Verdict::kGood, formatted("{:.0f} MiB, the machine's.", mebibytes)};
  return {Verdict::kSlower,
          formatted("{:.0f} of the machine's {:.0f} MiB ({}). The kernel kills a rank that goes beyond.",
                    static_cast<double>(limit->value) / (1 << 20), mebibytes, limit->path)};
}

Finding probe_process_limit() {
  const std::optional<GroupLimit> limit = group_limit("pids", "pids.max", "pids.max");
  if (!limit) return {Verdict::kGood, "no control group limits their number."};
  return {Verdict::kSlower,
          formatted("at most {} processes and threads ({}). A job has one of each rank and a few more.", limit->value,
                    limit->path)};
}

}  // namespace starling::tools
