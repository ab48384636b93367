// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ExpectedSender: whose packet is likely to come next, if all goes on as before: of who sent after the last sender the
// time before. Thread safety: the world's lock. Invariant: whoever is expected is connected.
#pragma once

#include "transport/tcp/tcp_peers.hpp"

namespace starling::transport::tcp {

class ExpectedSender {
 public:
  /// None: nobody has sent, or who is expected has ended.
  [[nodiscard]] Address get() const noexcept { return expected_; }

  /// A packet of this peer, which is connected, has come.
  void note(Address from, TcpPeers& peers) {
    if (!last_.is_none()) peers[last_].followed_by = from;
    last_ = from;
    const Address next = peers[from].followed_by;
    expected_ = !next.is_none() && peers[next].connection ? next : from;
  }
  /// The peer is not connected any more.
  void forget(Address peer) noexcept {
    if (expected_ == peer) expected_ = Address();
  }

 private:
  Address last_;
  Address expected_;
};

}  // namespace starling::transport::tcp
