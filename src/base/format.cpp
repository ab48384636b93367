// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#define FMT_HEADER_ONLY  // the whole of fmt, in this file alone
#include "base/format.hpp"

#include <fmt/format.h>

namespace starling {

std::string formatted_with(fmt::string_view format, fmt::format_args arguments) {
  return fmt::vformat(format, arguments);
}

}  // namespace starling
