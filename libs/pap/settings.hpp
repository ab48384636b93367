// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the environment says to the preloaded library, and what it says wrongly.
//
// Thread safety: value types.
#pragma once

#include <cstdint>
#include <string>

namespace starling::pap {

struct Settings {
  bool on = true;                       ///< PAP_MODE=off: every call is handed on
  bool watch_only = false;              ///< PAP_MODE=watch: the table, and nothing else
  bool always = false;                  ///< PAP_MODE=always: go around late ranks whether or not it pays
  bool table = true;                    ///< PAP_TABLE: 0 for none
  std::int64_t least_bytes = 32 << 10;  ///< PAP_LEAST_BYTES: shorter vectors run plainly

  /// A line for each variable that is none, or whose value is none of its: it counts as not set.
  std::string mistakes;

  /// Of entries like "PAP_MODE=watch"; the last is null.
  static Settings from(const char* const* environment);
};

}  // namespace starling::pap
