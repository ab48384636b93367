// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Buffer: memory for one packet, which a provider reads or writes until it says that it is through.
// Thread safety: the world's lock. Invariants: stays where it is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/address.hpp"

namespace starling::transport::ofi {

struct Buffer {
  enum class Purpose : std::uint8_t {
    kSend,
    kReceive,
    kRead,  ///< of another process's memory; it has none itself
  };

  void* for_provider[8] = {};  ///< fi_context2: the provider's own, while it has the buffer. First: it is found by it
  std::byte* data = nullptr;
  void* description = nullptr;  ///< of registered memory
  std::size_t bytes = 0;        ///< to send, or received
  Address peer;                 ///< to whom it is sent
  Purpose purpose = Purpose::kSend;
};

}  // namespace starling::transport::ofi
