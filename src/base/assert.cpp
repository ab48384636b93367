// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace starling {

void assertion_failed(const char* condition, const char* file, int line, const char* message) noexcept {
  std::fprintf(stderr,
               "starling: internal error at %s:%d: %s (%s does not hold). This is a bug in Starling; please report it "
               "with the stack below.\n",
               file, line, message, condition);
  std::abort();
}

}  // namespace starling
