// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankFigures: what a rank uses and moves in a second, made of two readings of its counts. Plain data: whoever reads
// cards and /proc makes the readings (observe/job/job_sampler.hpp), also on other hosts.
// Thread safety: value types, pure functions.
#pragma once

#include <cstdint>
#include <optional>

namespace starling::observe {

/// What /proc tells of a rank's process.
struct ProcessReading {
  std::int64_t cpu_ns = 0;  ///< user and system time of all threads, so far
  std::int32_t processor = -1;
  std::uint64_t resident_bytes = 0;
};

/// The counts of a rank at a moment.
struct RankReading {
  std::int64_t at_ns = 0;
  std::uint64_t calls = 0;                ///< of MPI, so far
  std::uint64_t messages = 0;             ///< sent, so far
  std::uint64_t bytes = 0;                ///< in them
  std::optional<ProcessReading> process;  ///< nothing: it has ended, or is not seen
};

/// How often a rank was found in an MPI call, of so many looks. The share has no clock behind it.
struct CallLooks {
  std::uint32_t all = 0;
  std::uint32_t inside = 0;
};

/// For how long a rank has been where it is.
struct Since {
  std::int64_t ns = 0;
  bool at_least = false;  ///< nobody has seen how it came there
};

struct RankFigures {
  std::optional<double> mpi_share;  ///< of its time, 0 to 1
  double calls_per_s = 0;
  double messages_per_s = 0;
  double bytes_per_s = 0;
  std::optional<double> cores;  ///< processor time per second, of all its threads
  std::int32_t processor = -1;  ///< on which it ran last
  std::optional<std::uint64_t> resident_bytes;
};

/// Of the time between two readings, the earlier one first.
[[nodiscard]] RankFigures figures_between(const RankReading& first, const RankReading& second, const CallLooks& looks);

}  // namespace starling::observe
