// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How many cores this process may really use at the same time: the smaller of its affinity mask and of the CPU quota of
// its control groups (version 2 and 1, every ancestor counts). The launcher, the engine and the farm all count here.
// Without hwloc, because every rank asks at its start.
//
// A hardware thread counts as a core: the question behind it is how many ranks can run at once, not how fast.
// Thread safety: no shared state. Cost: one system call and four or five small reads, tens of microseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starling {

/// At least 1.
[[nodiscard]] std::uint32_t usable_cores();

/// What half a core of a quota of 2.5 cores counts for.
enum class PartialCore : std::uint8_t {
  kNone,  ///< Nothing: with a third rank that spins the kernel would stop all three in turn.
  kOne,   ///< A core: a third thread that calculates does half a core's work.
};

/// The parts of usable_cores(), for reports. No value: no limit.
struct CoreLimits {
  std::uint32_t affinity = 1;         ///< cores in the affinity mask of the calling thread
  std::optional<double> quota_cores;  ///< the tightest CPU quota, in cores
  std::string quota_file;             ///< the file that states it
  [[nodiscard]] std::uint32_t usable(PartialCore partial = PartialCore::kNone) const noexcept;
};
[[nodiscard]] CoreLimits core_limits();

namespace internal {
/// Parses cpu.max of cgroup v2: "<quota> <period>" or "max <period>".
[[nodiscard]] std::optional<double> parse_cpu_max(std::string_view text);
/// The limits found below the given roots; the real ones are /proc/self/cgroup and /sys/fs/cgroup.
[[nodiscard]] CoreLimits quota_limits(const std::string& membership_file, const std::string& cgroup_root);
}  // namespace internal

}  // namespace starling
