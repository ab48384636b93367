// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the kernel counts of a host and of a process beside it: control groups, swap, huge pages, threads, sockets.
// Each reader takes the folder in place of "/" (for tests); "" is the machine's own.
// Thread safety: reads files only. Source: cgroups(7), proc(5), Documentation/admin-guide/cgroup-v2 of Linux.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starling::observe {

/// The counts of a control group that has a quota, and of its processor time.
struct GroupReading {
  std::string folder;
  std::uint64_t periods = 0;
  std::uint64_t throttled = 0;
  std::optional<double> cores;
};

/// Those of the process: its own control group and the groups above it that count throttled periods.
[[nodiscard]] std::vector<GroupReading> read_groups(pid_t process, const std::string& root);

struct VmReading {
  std::uint64_t swap_ins = 0;           ///< pages, so far
  std::uint64_t compaction_stalls = 0;  ///< so far
};
[[nodiscard]] VmReading read_vm(const std::string& root);

/// The setting between the brackets: "always [madvise] never".
[[nodiscard]] std::string read_huge_pages(const std::string& root);

/// Threads of the process that run or want to, now.
[[nodiscard]] std::size_t running_threads(pid_t process, const std::string& root);

[[nodiscard]] std::uint64_t swapped_bytes(pid_t process, const std::string& root);

/// How many hardware threads the process may use; 0: not known.
[[nodiscard]] std::size_t allowed_processors(pid_t process, const std::string& root);

/// The socket of each processor, by number.
[[nodiscard]] std::vector<int> socket_of_processors(const std::string& root);

}  // namespace starling::observe
