// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which cores each rank of a job on this machine may use: a pure function of the cores and of what was asked.
//
// Unless told otherwise, ranks that fit on the cores get equal shares of them, neighbours side by side. So the job
// spreads over all packages and caches, near ranks are near each other, and the threads of a rank keep its share. With
// more ranks than cores, or under a CPU quota, the kernel's scheduler does better than any fixed place: no binding.
//
// Thread safety: no shared state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "base/usable_cores.hpp"

namespace starling::topology {

enum class BindTo : std::uint8_t { kAutomatic, kNone, kHardwareThread, kCore, kL3, kNuma, kPackage };

/// What consecutive ranks step over; kAutomatic spreads them evenly and keeps neighbours side by side.
enum class MapBy : std::uint8_t { kAutomatic, kCore, kL3, kNuma, kPackage };

struct BindingRequest {
  BindTo bind_to = BindTo::kAutomatic;
  MapBy map_by = MapBy::kAutomatic;
};

/// A core that this process may use, with the numbers of what contains it.
struct Core {
  std::vector<unsigned> threads;  ///< hardware threads, as the kernel counts them
  unsigned l3 = 0;
  unsigned numa = 0;
  unsigned package = 0;
};

/// For each rank the hardware threads that it may use. Without ranks: nobody is bound.
using BindingPlan = std::vector<std::vector<unsigned>>;

/// False where no rank will be bound whatever the cores look like, so that nobody need look at them.
[[nodiscard]] bool may_bind(std::uint32_t ranks, const BindingRequest& request, const CoreLimits& limits) noexcept;

/// The places of the ranks on these cores, given in the order in which they lie in the machine.
[[nodiscard]] BindingPlan place_ranks(std::uint32_t ranks, const BindingRequest& request, std::span<const Core> cores);

/// Parses the value of --bind-to and --map-by; what is wrong, and the words there are, is in the message.
Result<BindTo> parse_bind_to(std::string_view word);
Result<MapBy> parse_map_by(std::string_view word);

}  // namespace starling::topology
