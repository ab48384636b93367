// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SiteNamer: who knows what lies at an address of a program. Finding it out takes debug information, which a trace does
// not have, and a program that reads it, of which tools/trace knows nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace starling::trace {

/// A place from which a program calls MPI.
struct SiteAddress {
  std::string path;           ///< of the program or library
  std::string id;             ///< its build ID in hexadecimal digits; empty: it has none
  std::uint64_t address = 0;  ///< in the file, behind the call

  auto operator<=>(const SiteAddress&) const = default;
};

/// "iterate at solver.c:88"; empty: not known. It is asked once for each.
using SiteNamer = std::function<std::string(const SiteAddress&)>;

}  // namespace starling::trace
