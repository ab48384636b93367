// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FarSide: the half of a window that spans nodes which goes by messages: this rank's accesses to ranks of other nodes,
// and theirs to it. Every poll of the rank moves both, and while the rank computes those of the thread that serves far
// ranks. A window on one node has none.
//
// Thread safety: the world's lock. Invariant: it is polled from its making to its end.
#pragma once

#include <cstdint>

#include "progress/engine.hpp"
#include "rma/far/far_origin.hpp"
#include "rma/far/far_target.hpp"

namespace starling::rma {

class FarSide final : private progress::Poller {
 public:
  /// base: where the rank's part begins; 0 in dynamic windows.
  FarSide(p2p::PointToPoint& p2p, comm::Communicator& comm, WindowPeers& peers, const Control& control,
          std::uint64_t base, FarMemory memory)
      : Poller(Serves::kFarRanks),
        p2p_(p2p),
        comm_(comm),
        peers_(peers),
        origin_(p2p, comm, peers, memory),
        target_(p2p, comm, peers, control, base) {
    peers_.progress().add(*this);
  }
  ~FarSide() { peers_.progress().remove(*this); }
  FarSide(const FarSide&) = delete;
  FarSide& operator=(const FarSide&) = delete;

  [[nodiscard]] FarOrigin& origin() noexcept { return origin_; }
  [[nodiscard]] FarTarget& target() noexcept { return target_; }

  /// All members have settled: waits until nothing is under way here, or lets go of it after a death.
  void close() {
    peers_.wait([&] { return target_.idle(); });
    if (!peers_.broken()) return;
    origin_.abandon();
    target_.abandon();
    p2p_.interrupt(comm_.partitioned_context_id(), p2p::process_failed(p2p::kAnySource));
  }

 private:
  bool poll() override {
    const bool served = target_.serve();
    return origin_.reap() || served;
  }
  [[nodiscard]] bool awaits_neighbours() const override { return target_.awaits_neighbours(); }

  p2p::PointToPoint& p2p_;
  comm::Communicator& comm_;
  WindowPeers& peers_;
  FarOrigin origin_;
  FarTarget target_;
};

}  // namespace starling::rma
