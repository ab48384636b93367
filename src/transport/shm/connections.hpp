// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Connections: the connections of one process of a segment, as packets and single copies use them: its own ends of
// those to the others, each opened on first use.
// Thread safety: the world's lock.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"
#include "memory/doorbell.hpp"
#include "memory/job_segment.hpp"
#include "transport/shm/buffer_pool.hpp"
#include "transport/shm/outgoing.hpp"

namespace starling::transport::shm {

class Connections {
 public:
  /// The segment outlives it. block_bytes: of the sender's pool, where the segment has one.
  Connections(const memory::JobSegment& segment, LocalRank own, std::uint64_t block_bytes);

  [[nodiscard]] const memory::JobSegment& segment() const noexcept { return segment_; }
  [[nodiscard]] LocalRank own() const noexcept { return own_; }
  [[nodiscard]] bool sender_fences() const noexcept { return sender_fences_; }

  /// Towards a peer, whether or not it is open.
  [[nodiscard]] Outgoing& to(LocalRank peer) noexcept { return outgoing_[peer.index()]; }
  /// The same, opened; null when there is no memory for it (failure()).
  [[nodiscard]] Outgoing* open_to(LocalRank peer) {
    Outgoing& out = to(peer);
    return out.is_open() || open(out, peer) ? &out : nullptr;
  }
  /// Why no connection could be opened, or no buffer taken, since it was last moved away.
  [[nodiscard]] Status& failure() noexcept { return failure_; }

  /// The copy descriptors of the connection to a peer (the sender's side), null when it cannot be opened, and from a
  /// peer (the receiver's side).
  [[nodiscard]] CopyDescriptor* copy_descriptors_to(LocalRank peer) {
    Outgoing* out = open_to(peer);
    return out != nullptr ? out->copy_descriptors() : nullptr;
  }
  [[nodiscard]] CopyDescriptor* copy_descriptors_from(LocalRank peer) const {
    return view(segment_, own_, peer).head->copy_descriptors;
  }
  void ring(LocalRank peer) const noexcept { memory::ring(segment_.rank(peer).doorbell, sender_fences_); }

 private:
  bool open(Outgoing& out, LocalRank peer);

  const memory::JobSegment& segment_;
  LocalRank own_;
  bool sender_fences_;
  std::vector<Outgoing> outgoing_;
  SenderPool sender_pool_;
  Status failure_;
};

}  // namespace starling::transport::shm
