// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PeerAccess: the memory of one peer, by the transport that reaches it, for one-sided communication.
// Thread safety: the holder of the world's lock.
#pragma once

#include <span>

#include "transport/remote_memory.hpp"

namespace starling::p2p {

class PeerAccess {
 public:
  /// memory: null where the peer's memory cannot be reached.
  PeerAccess(transport::RemoteMemory* memory, transport::Address address) noexcept
      : memory_(memory), address_(address) {}

  [[nodiscard]] bool permitted() const { return memory_ != nullptr && memory_->permitted(address_); }
  // Only where permitted; see transport::RemoteMemory.
  [[nodiscard]] bool gather(std::span<const transport::RemoteRun> from, void* to) const {
    return memory_->gather(address_, from, to);
  }
  [[nodiscard]] bool scatter(const void* from, std::span<const transport::RemoteRun> to) const {
    return memory_->scatter(address_, from, to);
  }

 private:
  transport::RemoteMemory* memory_;
  transport::Address address_;
};

}  // namespace starling::p2p
