// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What exceptions of programs say: they may throw anything.
//
// **Thread safety**: any thread.
#pragma once

#include <string>

namespace starling::array::detail {

/// Within a handler: the text of the exception that it handles, or else its type. Never empty.
std::string text_of_exception();

}  // namespace starling::array::detail
