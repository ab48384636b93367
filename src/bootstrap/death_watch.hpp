// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// DeathWatch: a thread that sleeps until the next rank on the node has died, for launchers that do not end a job when a
// rank of it dies. The ranks of a node watch each other in a circle: whichever of them die, one that lives knows. A
// rank that has finalized may end; then the watch goes on to the one behind it. Thread safety: made and destroyed by
// one thread; on_death is called by the watch's own.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "base/descriptor.hpp"
#include "base/id.hpp"
#include "memory/job_segment.hpp"

namespace starling::bootstrap {

class DeathWatch {
 public:
  /// Called at most once, with a rank that has died.
  using OnDeath = std::function<void(LocalRank)>;

  /// All ranks of the segment have written their process ids. Null where the kernel has no pidfd, or nobody else is
  /// there. segment: outlives the watch.
  static std::unique_ptr<DeathWatch> start(memory::JobSegment& segment, LocalRank own, OnDeath on_death);
  ~DeathWatch();
  DeathWatch(const DeathWatch&) = delete;
  DeathWatch& operator=(const DeathWatch&) = delete;

 private:
  DeathWatch(memory::JobSegment& segment, LocalRank own, OnDeath on_death, Descriptor stop);
  void run(LocalRank own);
  /// False: the watch shall end.
  bool wait_for_end(std::int32_t process) const;

  memory::JobSegment& segment_;
  OnDeath on_death_;
  Descriptor stop_;  ///< an eventfd
  std::thread thread_;
};

}  // namespace starling::bootstrap
