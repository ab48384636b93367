// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/late/call_sites.hpp"

#include "arrival/record/table.hpp"

namespace starling::collective {

std::string Sites::lines(Detail detail) const {
  std::string lines = ledger->gone;
  for (const Foresight* foresight : ledger->alive) lines += foresight->lines();
  if (detail == Detail::kCommunicators) return lines;
  const auto passed = static_cast<double>(cycles() - begin_cycles);
  return lines + arrival::lines_of(recorder, 1e-9 * static_cast<double>(now_ns() - begin_ns) / passed);
}

}  // namespace starling::collective
