// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/random_bytes.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "base/format.hpp"

namespace starling {

Status fill_randomly(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return Status::error(ErrorClass::kOther,
                           formatted("the system gives no random numbers: {}", std::strerror(errno)));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace starling
