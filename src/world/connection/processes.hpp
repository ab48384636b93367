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

namespace starling::world {

/// A process as every process of the machine names it.
struct ProcessId {
  std::uint64_t job = 0;  ///< JobHeader::id of its job's segment
  std::uint32_t rank = 0;

  friend auto operator<=>(const ProcessId&, const ProcessId&) = default;
};

class Processes {
 public:
  Processes(std::uint64_t own_job, std::uint32_t own_size) : own_job_(own_job), own_size_(own_size) {}

  [[nodiscard]] std::int32_t number_of(const ProcessId& id) {
    if (id.job == own_job_) return static_cast<std::int32_t>(id.rank);
    const auto [place, is_new] = numbers_.try_emplace(id, static_cast<std::int32_t>(own_size_ + others_.size()));
    if (is_new) others_.push_back(id);
    return place->second;
  }
  [[nodiscard]] ProcessId id_of(std::int32_t number) const {
    const auto index = static_cast<std::uint32_t>(number);
    return index < own_size_ ? ProcessId{own_job_, index} : others_[index - own_size_];
  }
  [[nodiscard]] std::uint64_t own_job() const noexcept { return own_job_; }

 private:
  std::uint64_t own_job_;
  std::uint32_t own_size_;
  std::vector<ProcessId> others_;
  std::map<ProcessId, std::int32_t> numbers_;
};

}  // namespace starling::world
