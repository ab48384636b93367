// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Stripes: what is kept of a connected rank to which there are several links, once a long payload has asked for them.
// Thread safety: the world's lock.
#pragma once

#include <memory>
#include <vector>

#include "base/descriptor.hpp"
#include "transport/tcp/striped_receives.hpp"
#include "transport/tcp/striped_sends.hpp"

namespace starling::transport::tcp {

/// A lane that the other rank has opened.
struct LaneOfPeer {
  explicit LaneOfPeer(Descriptor connected) noexcept : socket(std::move(connected)), incoming(kPieceBytes) {}

  Descriptor socket;
  Incoming incoming;
};

struct Stripes {
  Stripes(Connection& first, PiecePool& pool, std::size_t longest) noexcept : sends(first, pool), receives(longest) {}

  StripedSends sends;
  StripedReceives receives;
  std::vector<std::unique_ptr<LaneOfPeer>> lanes_of_peer;  ///< by their numbers from 1 on; null: there is none
  std::uint64_t told_taken = 0;                            ///< of the packets that were taken
  bool is_served = false;                                  ///< among those that have something to do at each poll
};

}  // namespace starling::transport::tcp
