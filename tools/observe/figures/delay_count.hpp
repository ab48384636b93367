// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// DelayCount: for whom others wait, over many snapshots of a job.
// Thread safety: a value type.
#pragma once

#include <cstddef>
#include <vector>

#include "observe/figures/job_checks.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::observe {

class DelayCount {
 public:
  /// A rank counts if others wait for it and it does not wait itself. Nothing is concluded of ranks that are not seen.
  void add(const Snapshot& snapshot);
  /// Puts the counts in place of those that the evidence has.
  void tell(JobEvidence& evidence) const;

 private:
  std::size_t with_waits_ = 0;
  std::vector<std::size_t> alone_;  ///< by rank: snapshots in which others waited for it, and for nobody else
};

}  // namespace starling::observe
