// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Measurements: what all kinds of calls on a communicator share: how its clocks differ, and what a message takes. Both
// are measured when somebody needs them, for that takes longer than many calls: clocks once for each communicator,
// messages once in a run, by the first communicator that has somebody to go around.
//
// Thread safety: one call at a time on a communicator; a LatestLink is shared by all.
#pragma once

#include <mpi.h>

#include <mutex>
#include <optional>

#include "arrival/predict/cost.hpp"

namespace starling::pap {

/// What was measured last on this process, on whatever communicator.
class LatestLink {
 public:
  [[nodiscard]] std::optional<arrival::Link> get() const {
    const std::lock_guard guard(lock_);
    return link_;
  }
  void set(const arrival::Link& link) {
    const std::lock_guard guard(lock_);
    link_ = link;
  }

 private:
  mutable std::mutex lock_;
  std::optional<arrival::Link> link_;
};

class Measurements {
 public:
  explicit Measurements(LatestLink& latest_link) : latest_link_(latest_link) {}
  Measurements(const Measurements&) = delete;
  Measurements& operator=(const Measurements&) = delete;

  /// From this process's clock to that of rank 0, in seconds. Collective the first time.
  double clock_offset_s(MPI_Comm comm);
  /// The same on all ranks. Collective the first time.
  const arrival::Link& link(MPI_Comm comm);
  [[nodiscard]] bool has_link() const noexcept { return link_.has_value(); }

 private:
  LatestLink& latest_link_;
  std::optional<double> clock_offset_s_;
  std::optional<arrival::Link> link_;
};

}  // namespace starling::pap
