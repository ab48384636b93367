// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/late/call_sites.hpp"

#include "arrival/record/table.hpp"

namespace starling::collective {

std::string CallSites::lines(TableDetail detail) const {
  std::string lines = table_source->finished_lines;
  for (ArrivalTracker* tracker : table_source->trackers) lines += tracker->lines();
  if (detail == TableDetail::kCommunicators) return lines;
  const auto passed = static_cast<double>(cycles() - begin_cycles);
  return lines + arrival::lines_of(recorder, 1e-9 * static_cast<double>(now_ns() - begin_ns) / passed);
}

}  // namespace starling::collective
