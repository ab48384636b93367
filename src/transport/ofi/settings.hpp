// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Settings: what STARLING_NET and STARLING_OFI_PROVIDER ask for. Thread safety: a value.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.hpp"
#include "config/config.hpp"

namespace starling::transport::ofi {

struct Settings {
  std::string provider;  ///< as libfabric names it; empty: the first that it offers
  std::int64_t eager_limit = 64 * 1024;
};

/// Whether the user wants something else than TCP between nodes; settings_of() says whether there is such a thing.
[[nodiscard]] bool is_wanted(const config::Store& config);
/// An error names the variable and what it takes.
[[nodiscard]] Result<Settings> settings_of(const config::Store& config);

}  // namespace starling::transport::ofi
