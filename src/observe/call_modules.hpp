// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallModules: tells, through the ring of a traced rank, from which programs and libraries it calls MPI.
// Thread safety: none, under the world's lock. Invariant: a call from a module that is known costs two comparisons.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/event_ring.hpp"

namespace starling::observe {

class CallModules {
 public:
  explicit CallModules(EventRing ring) noexcept : ring_(ring) {}

  /// A call was made from there.
  void saw(std::uint64_t site) {
    if (site - last_.begin >= last_.size) find(site);
  }

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  void find(std::uint64_t site);

  EventRing ring_;
  Range last_;                ///< the one seen last
  std::vector<Range> known_;  ///< all that have been told
  std::uint32_t in_vain_ = 0;
};

}  // namespace starling::observe
