// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TwoPhaseAccess: the body of every collective data access, run by the blocking, nonblocking and split calls alike.
//
// The ranks tell each other where their data lie. Where these interleave in small pieces, aggregators gather them into
// large windows and read or write those (two-phase I/O); otherwise each rank moves its own. Bytes that no rank gave
// are never written. Cost: one allgather; in the first case every byte is copied twice in memory.
// Sources: MPI-5.0, chapter 14.4; Thakur, Gropp, Lusk, "Data Sieving and Collective I/O in ROMIO", Frontiers 1999.
// Thread safety: the holder of the world's lock.
// Invariants: outlives its task; the operation is prepared before and concluded after it. A failure of an aggregator
// is every rank's.
#pragma once

#include "collective/collectives.hpp"
#include "io/operation/operation_runner.hpp"
#include "io/settings/hints.hpp"

namespace starling::io {

class TwoPhaseAccess final : public collective::CollectiveBody {
 public:
  TwoPhaseAccess(OperationRunner& runner, Operation& operation, const CollectiveHints& hints) noexcept
      : runner_(runner), operation_(operation), hints_(hints) {}

  collective::Task run(collective::Call& call) override;

  [[nodiscard]] OperationRunner& runner() const noexcept { return runner_; }
  [[nodiscard]] Operation& operation() const noexcept { return operation_; }
  [[nodiscard]] const CollectiveHints& hints() const noexcept { return hints_; }

 private:
  OperationRunner& runner_;
  Operation& operation_;
  CollectiveHints hints_;
};

}  // namespace starling::io
