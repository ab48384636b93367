// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/connections.hpp"

namespace starling::transport::shm {

Connections::Connections(const memory::JobSegment& segment, LocalRank own, std::uint64_t block_bytes)
    : segment_(segment), own_(own), sender_fences_(segment.header().sender_fences != 0), outgoing_(segment.ranks()) {
  if (segment.header().geometry.sender_pool_bytes > 0)
    sender_pool_.open(segment, segment.sender_pool(own), block_bytes);
}

bool Connections::open(Outgoing& out, LocalRank peer) {
  Status status = out.open(segment_, peer, own_, sender_pool_.is_open() ? &sender_pool_ : nullptr);
  if (status.ok()) return true;
  failure_ = std::move(status);
  return false;
}

}  // namespace starling::transport::shm
