// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Processes: the numbers by which groups of this process name processes: those of its own job by their world ranks,
// those of other jobs by numbers after them, in the order in which they became known. A process keeps its number.
// Thread safety: the holder of the world's lock.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "base/id.hpp"

namespace starling::world {

/// A process by the name that all processes have for it.
struct GlobalProcess {
  std::uint64_t job = 0;  ///< bootstrap::Job::id
  WorldRank rank;         ///< in that job

  friend auto operator<=>(const GlobalProcess&, const GlobalProcess&) = default;
};

class Processes {
 public:
  Processes(std::uint64_t own_job, std::int32_t own_size) : own_job_(own_job), own_size_(own_size) {}

  /// The number of a process, which gets one when it has none yet.
  [[nodiscard]] ProcessId number_of(const GlobalProcess& process) {
    if (process.job == own_job_) return process_of(process.rank);
    const auto [place, is_new] = numbers_.try_emplace(process, static_cast<std::size_t>(own_size_) + others_.size());
    if (is_new) others_.push_back(process);
    return place->second;
  }
  [[nodiscard]] std::vector<ProcessId> numbers_of(const std::vector<GlobalProcess>& processes) {
    std::vector<ProcessId> numbers;
    numbers.reserve(processes.size());
    for (const GlobalProcess& process : processes) numbers.push_back(number_of(process));
    return numbers;
  }
  [[nodiscard]] GlobalProcess global(ProcessId process) const {
    if (process.value < own_size_) return {own_job_, WorldRank(process.value)};
    return others_[static_cast<std::size_t>(process.value - own_size_)];
  }

 private:
  std::uint64_t own_job_;
  std::int32_t own_size_;
  std::vector<GlobalProcess> others_;
  std::map<GlobalProcess, ProcessId> numbers_;
};

}  // namespace starling::world
