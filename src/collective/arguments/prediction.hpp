// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ArrivalPrediction: when each rank is expected at a call, and whether going around late ranks pays. It is an argument
// of the call, the same on all ranks. Thread safety: a value type. Invariants: `arrivals` points into the
// communicator's ArrivalHistory, which keeps it until the call has ended on every rank.
#pragma once

#include <span>

#include "arrival/predict/cost.hpp"
#include "arrival/schedule/pattern.hpp"

namespace starling::collective {

struct ArrivalPrediction {
  bool late = false;                         ///< whether going around late ranks pays
  std::span<const arrival::Ticks> arrivals;  ///< when each rank is expected, in nanoseconds from the first
  arrival::Slicing slicing;
};

}  // namespace starling::collective
