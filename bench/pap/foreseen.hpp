// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The reduce of the preloaded library as a benchmark calls it: a thread tells all ranks who will come when, and each
// goes around whoever is expected late, from the first call on.
//
// Thread safety: none; one thread calls.
#pragma once

#include <mpi.h>

#include "channel.hpp"
#include "exchange.hpp"
#include "measurements.hpp"

namespace bench {

class Foreseen {
 public:
  /// Reduces of so many floats to rank 0. Collective.
  Foreseen(MPI_Comm comm, int floats, starling::pap::Measurements& measurements);
  /// Collective.
  ~Foreseen();
  Foreseen(const Foreseen&) = delete;
  Foreseen& operator=(const Foreseen&) = delete;

  int reduce(const float* send, float* receive);
  /// This share of what the rank does before its next reduce is done.
  void progress(double fraction) { channel_.progress(fraction); }
  /// What this rank's schedules took to make, in all.
  [[nodiscard]] double schedule_s() const noexcept { return schedule_s_; }

 private:
  int floats_;
  starling::pap::ExchangeThread thread_;
  starling::pap::Channel channel_;
  double schedule_s_ = 0;
};

}  // namespace bench
