// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a rank's collective calls cost it, by call site, and the table of late ranks that is printed at the end.
//
// Thread safety: the holder of the world's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrival/record/recorder.hpp"
#include "base/clock.hpp"
#include "base/cycles.hpp"
#include "collective/arguments/arguments.hpp"
#include "collective/late/arrival_tracker.hpp"

namespace starling::collective {

/// How much of the table a rank has to say.
enum class TableDetail : std::uint8_t { kCommunicators, kCallSites };

struct CallSites {
  arrival::Recorder recorder;
  std::shared_ptr<LateTableSource> table_source = std::make_shared<LateTableSource>();
  std::int64_t begin_ns = now_ns();
  std::uint64_t begin_cycles = cycles();

  /// The table's lines: of the communicators whose rank 0 this is, then of this rank's call sites if they are wanted.
  [[nodiscard]] std::string lines(TableDetail detail) const;
};

/// A blocking call, from its begin to its end. Some nanoseconds; calls whose site is not known are not noted.
class SiteTimer {
 public:
  SiteTimer(CallSites& sites, const Arguments& a) noexcept
      : timed_(a.site ? sites.recorder.begin({a.site, a.comm->shared_context_id(), name(a.operation),
                                              static_cast<std::uint64_t>(a.receive_count)})
                      : nullptr) {}

 private:
  arrival::Timed<&cycles> timed_;
};

}  // namespace starling::collective
