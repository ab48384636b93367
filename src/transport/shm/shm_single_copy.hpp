// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SingleCopy over the copy descriptors of the connections: both ends take pieces off one counter in shared memory.
// Thread safety: the world's lock.
// Invariants: a descriptor is offered anew only when the receiver is through with it (its state says so) and so is the
// sender (held_ says so): either may learn of the end before the other.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "config/config.hpp"
#include "transport/shm/peer_memory.hpp"
#include "transport/shm/shm_transport.hpp"
#include "transport/single_copy.hpp"

namespace starling::transport::shm {

class ShmSingleCopy final : public SingleCopy {
 public:
  ShmSingleCopy(ShmTransport& transport, const config::Store& config);

  std::uint32_t offer(std::int32_t peer, const void* source) override;
  CopyState help(std::int32_t peer, std::uint32_t descriptor) override;
  void withdraw(std::int32_t peer, std::uint32_t descriptor) override;
  CopyState take_back(std::int32_t peer, std::uint32_t descriptor) override;

  bool permitted(std::int32_t peer) override { return memory_.permitted(peer); }
  [[nodiscard]] RemoteMemory& memory() noexcept { return memory_; }
  bool open(std::int32_t peer, std::uint32_t descriptor, void* destination, std::uint64_t bytes) override;
  CopyState advance(std::int32_t peer, std::uint32_t descriptor) override;
  bool refuse(std::int32_t peer, std::uint32_t descriptor) override {
    return answer(peer, descriptor, CopyDescriptor::kRefused);
  }
  void decline(std::int32_t peer, std::uint32_t descriptor) override {
    answer(peer, descriptor, CopyDescriptor::kDeclined);
  }
  void close(std::int32_t peer, std::uint32_t descriptor) override;
  bool read(std::int32_t peer, std::uint64_t source, void* destination, std::uint64_t bytes) override {
    return memory_.read(peer, source, destination, bytes);
  }

 private:
  enum class End : std::uint8_t { kSender, kReceiver };

  using Held = std::uint32_t;
  static_assert(kCopyDescriptors <= std::numeric_limits<Held>::digits, "held_ has a bit for each descriptor");

  /// Answers an offer; false when it has been taken back, and the descriptor is closed then.
  bool answer(std::int32_t peer, std::uint32_t descriptor, CopyDescriptor::State with);
  CopyState take_piece(std::int32_t peer, CopyDescriptor& descriptor, End end);

  void let_go(std::int32_t peer, std::uint32_t descriptor);
  [[nodiscard]] Held& held(std::int32_t peer) { return held_[static_cast<std::size_t>(peer)]; }

  ShmTransport& transport_;
  PeerMemory memory_;
  std::vector<Held> held_;  ///< of each peer: bit t while a send of ours uses descriptor t
  std::uint64_t piece_bytes_;
};

}  // namespace starling::transport::shm
