// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which machine this is, as far as its constants depend on it, and how far apart its hardware threads are.
// Thread safety: no shared state. Cost: a few small reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tuning/distance.hpp"

namespace starling::tuning {

struct Machine {
  std::string cpu;         ///< its model, as the kernel names it
  std::int64_t cores = 1;  ///< hardware threads that are there, whoever may use them
  std::string host;        ///< its name, for people: machines that are alike may share a file

  /// Whether constants that were measured there hold here.
  [[nodiscard]] bool is_like(const Machine& other) const noexcept { return cpu == other.cpu && cores == other.cores; }
  /// "AMD EPYC, 2 cores (host a)"
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] Machine this_machine();

/// The largest distance between two of these hardware threads of this machine.
[[nodiscard]] Distance spread_of(std::span<const unsigned> threads);

namespace internal {
/// From a text as in /proc/cpuinfo: the model, or on processors that tell none implementer and part; empty: neither.
[[nodiscard]] std::string cpu_in(std::string_view cpuinfo);
/// By the description below root, which really is /sys/devices/system.
[[nodiscard]] Distance spread_of(std::span<const unsigned> threads, const std::string& root);
}  // namespace internal

}  // namespace starling::tuning
