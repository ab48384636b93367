// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Claim: a stretch of a file that an access has taken by moving the shared pointer on, once the process that has the
// pointer has answered. Thread safety: the holder of the world's lock.
#pragma once

#include <cstdint>

#include "p2p/request/request.hpp"

namespace starling::io {

struct Claim {
  std::int64_t begin = 0;             ///< in etypes, once nothing is under way; an answer is written here
  p2p::Request* under_way = nullptr;  ///< null: `begin` is known
};

}  // namespace starling::io
