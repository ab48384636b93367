// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// formatted(): the text of a message, by fmt (https://fmt.dev): formatted("rank {} of {}", rank, size).
//
// Only fmt's declarations are compiled here; its body is compiled once, in format.cpp, so that no file pays for it and
// no program that links Starling needs fmt's library. The compiler checks the format against the types of the
// arguments.
//
// **Thread safety**: any thread. **Cost**: an allocation; for messages of errors and reports, not for a fast path.
#pragma once

#include <fmt/core.h>

#include <string>

namespace starling {

/// The text that `format` and its arguments make; throws std::bad_alloc only.
std::string formatted_with(fmt::string_view format, fmt::format_args arguments);

template <class... Arguments>
std::string formatted(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  return formatted_with(format, fmt::make_format_args(arguments...));
}

}  // namespace starling
