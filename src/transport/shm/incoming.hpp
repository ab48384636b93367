// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The receiver's end of one connection.
// Thread safety: the receiver's world lock.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/doorbell.hpp"
#include "transport/shm/geometry.hpp"
#include "transport/shm/outgoing.hpp"
#include "transport/transport.hpp"

namespace starling::transport::shm {

class Incoming {
 public:
  /// What it delivers it reports under `peer`. `back` is the other direction, and outlives this one.
  Incoming(const memory::JobSegment& segment, LocalRank receiver, LocalRank sender, PeerId peer, Outgoing& back);

  /// Delivers up to `limit` packets, and none after the one that has made a hungry sink full; returns whether there was
  /// one.
  bool poll(Sink& sink, std::uint32_t limit, bool sender_fences) {
    // The second line of a packet is asked for together with the first: when both have just been written they come
    // in one journey. While nothing comes the request is answered by our own cache.
    __builtin_prefetch(&postboxes_[slot(consumed_ + 1)]);
    // acquire: pairs with the sender's publish.
    if (postboxes_[slot(consumed_)].sequence.load(std::memory_order_acquire) != sequence_at(consumed_)) {
      if (published_ != consumed_) publish_consumed(sender_fences);
      return false;
    }
    deliver(sink, limit, sender_fences);
    return true;
  }
  /// Delivers all that there is.
  void drain(Sink& sink, bool sender_fences) {
    while (poll(sink, slots_, sender_fences)) {
    }
  }

  [[nodiscard]] PeerId peer() const noexcept { return peer_; }

 private:
  void deliver(Sink& sink, std::uint32_t limit, bool sender_fences);
  void publish_consumed(bool sender_fences) noexcept;
  /// The packet at the front; sets how many postboxes it takes.
  [[nodiscard]] Packet front(const Postbox& box, std::uint32_t* postboxes) noexcept;
  /// Brings a payload that spans postboxes together in scratch_.
  [[nodiscard]] std::span<const std::byte> gather(const Postbox& box) noexcept;
  [[nodiscard]] std::uint32_t slot(std::uint64_t position) const noexcept {
    return static_cast<std::uint32_t>(position) & (slots_ - 1);
  }

  Postbox* postboxes_;
  std::uint32_t slots_;
  PeerId peer_;
  std::uint64_t consumed_ = 0;
  std::uint64_t published_ = 0;          ///< of these the sender knows
  std::uint64_t unpublished_bytes_ = 0;  ///< in buffers, since then
  std::uint64_t quarter_of_buffers_ = 0;
  const std::byte* buffers_;
  ConnectionHead* head_;
  memory::Doorbell* sender_bell_;
  Outgoing* back_;
  std::vector<std::byte> scratch_;
};

}  // namespace starling::transport::shm
