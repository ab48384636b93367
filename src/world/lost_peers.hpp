// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LostPeers: what becomes of a job when this rank loses a rank of another node: its connection has ended without a
// goodbye, or its host does not answer. A job of processes ends. In one that goes on the rank tells its launcher
// (memory::Losses), and nothing fails before that says that the peer is dead: so all ranks learn the same. A peer of
// another job, and any where the ranks are threads of one process, counts as dead here, and operations that need it
// fail.
//
// Thread safety: the world's lock.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "bootstrap/job.hpp"
#include "p2p/point_to_point.hpp"

namespace starling::world {

class LostPeers {
 public:
  /// kEndsJob: unless the job goes on.
  enum class Loss : std::uint8_t { kEndsJob, kIsDeath };

  /// All outlive it.
  LostPeers(bootstrap::Job& job, p2p::PointToPoint& p2p, Loss loss);
  ~LostPeers() { p2p_.set_on_lost_peer({}); }
  LostPeers(const LostPeers&) = delete;
  LostPeers& operator=(const LostPeers&) = delete;

  /// Says whether a peer has been let go, so that its loss is none; null: none has.
  using IsLetGo = std::function<bool(PeerId peer)>;
  void set_is_let_go(IsLetGo is_let_go) { is_let_go_ = std::move(is_let_go); }

  /// Those that are to count as dead, since the last call. The engine's events tell of them
  /// (progress::AsyncEventHandler).
  [[nodiscard]] std::vector<PeerId> take() { return std::exchange(lost_, {}); }

 private:
  void lose(PeerId peer, Loss loss, transport::LostBy by, const Status& why);
  [[noreturn]] void end_job(PeerId peer, transport::LostBy by, const Status& why);

  bootstrap::Job& job_;
  p2p::PointToPoint& p2p_;
  IsLetGo is_let_go_;
  std::vector<PeerId> lost_;
};

}  // namespace starling::world
