// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The cost model of the selector as the one of schedules, and the cut of a vector that is best by it.
// Thread safety: pure.
#pragma once

#include <cstdint>

#include "arrival/predict/cost.hpp"
#include "collective/choose/algorithm.hpp"

namespace starling::collective {

[[nodiscard]] arrival::Link link_of(const Machine& machine) noexcept;
[[nodiscard]] arrival::Slicing slicing_of(std::int64_t bytes, std::int32_t ranks, const Machine& machine);

}  // namespace starling::collective
