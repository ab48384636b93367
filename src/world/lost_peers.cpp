// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/lost_peers.hpp"

#include <chrono>
#include <thread>

#include "memory/losses.hpp"

namespace starling::world {
namespace {

/// For the launcher to end the job by itself: all shall have ended a second after a connection has ended, or a host has
/// been silent for too long. The launcher counts a host's silence, too.
constexpr std::chrono::milliseconds kAfterEnd{800};
constexpr std::chrono::milliseconds kAfterSilence{300};
/// As for a rank that has vanished.
constexpr int kExitCode = 1;

}  // namespace

LostPeers::LostPeers(bootstrap::Job& job, p2p::PointToPoint& p2p, Loss loss) : job_(job), p2p_(p2p) {
  p2p_.set_on_lost_peer(
      [this, loss](PeerId peer, transport::LostBy by, const Status& why) { lose(peer, loss, by, why); });
}

void LostPeers::lose(PeerId peer, Loss loss, transport::LostBy by, const Status& why) {
  if (is_let_go_ && is_let_go_(peer)) return;
  const bool survives = job_.segment->header().survives != 0;
  if (loss == Loss::kEndsJob && !survives) end_job(peer, by, why);
  if (loss == Loss::kEndsJob && peer.value < job_.size()) {
    using How = memory::Losses::How;
    losses_of(*job_.segment).note(WorldRank(peer.value), by == transport::LostBy::kSilence ? How::kSilence : How::kEnd);
    return bootstrap::notify_launcher(job_);
  }
  lost_.push_back(peer);
  p2p_.progress().announce_event();
}

void LostPeers::end_job(PeerId peer, transport::LostBy by, const Status& why) {
  // The connections of a rank that is killed end before its launcher can tell what has happened. What the launcher
  // says of the rank is what the user has to read, and the launcher ends this process while it waits here.
  std::this_thread::sleep_for(by == transport::LostBy::kSilence ? kAfterSilence : kAfterEnd);
  const bool is_ours = peer.value < job_.size();
  bootstrap::abort(job_, kExitCode,
                   is_ours ? why.message() : "a process of several connected jobs is lost: " + why.message());
}

}  // namespace starling::world
