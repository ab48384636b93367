// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ControlMessage: what the fault tolerance of two processes tells each other, past all matching.
// Thread safety: a value type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/id.hpp"

namespace starling::p2p {

struct ControlMessage {
  std::uint32_t context_id = 0;  ///< of the communicator it is about
  std::int32_t kind = 0;
  std::int32_t source = 0;  ///< the sender's rank in it
  std::uint64_t words[2] = {0, 0};
  std::vector<std::byte> payload;  ///< at most PointToPoint::max_control_bytes()
};

/// Takes the control messages that arrive, inside a poll; it may send others.
using ControlListener = std::function<void(PeerId peer, ControlMessage control)>;

}  // namespace starling::p2p
