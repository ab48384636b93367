// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The system's limit of open descriptors, of which each connection needs one. Thread safety: the process's limit.
#pragma once

#include <cstddef>
#include <string>

#include "base/status.hpp"

namespace starling::transport::tcp {

/// Raises the process's limit, where it may, so that there can be so many connections beside what a program opens.
/// An error, with the number needed, when the system's own bound is lower.
Status allow_connections(std::size_t connections);

/// What an errno means; of one that says that no descriptor is left, with the limit.
[[nodiscard]] std::string text_of_error(int why);

}  // namespace starling::transport::tcp
