// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LostBy: how a transport has found that a peer of another node is lost. Thread safety: a value.
#pragma once

#include <cstdint>

namespace starling::transport {

enum class LostBy : std::uint8_t {
  kEnd,      ///< the connection has ended: the launcher of that node may not have told yet what has happened
  kSilence,  ///< its machine has not answered for so long that the launcher has noticed, too
};

}  // namespace starling::transport
