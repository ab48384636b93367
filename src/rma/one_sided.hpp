// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OneSided: makes and frees the windows of one rank, runs their fences, and keeps what they share: the target handler
// and its agent.
//
// Thread safety: every call needs the world's lock (progress::Engine::lock); blocking calls give it up while they wait.
// Invariants: a window's communicator is its own, so that its collective calls mix with no others. Collective calls
// that fail on one rank fail on all.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.hpp"
#include "config/config.hpp"
#include "memory/placement.hpp"
#include "p2p/point_to_point.hpp"
#include "rma/target/put_streams.hpp"
#include "rma/target/target_service.hpp"
#include "rma/window/window.hpp"
#include "rma/window_collectives.hpp"

namespace starling::rma {

/// Ranks that run as threads of one process reach the memory of all on their node by loads and stores.
enum class RanksAre : std::uint8_t { kProcesses, kThreads };

/// How the parts of a window lie that is allocated here.
enum class PartLayout : std::uint8_t {
  kTogether,  ///< each behind the one before, without a gap
  kApart,     ///< each on its own pages
};

struct WindowSpec {
  Flavor flavor = Flavor::kCreate;
  void* base = nullptr;  ///< kCreate only
  std::int64_t bytes = 0;
  std::int64_t disp_unit = 1;
  PartLayout layout = PartLayout::kTogether;
};

class OneSided {
 public:
  /// `p2p`, `collectives` and `placement`, which names the ranks of this node, outlive it.
  static Result<std::unique_ptr<OneSided>> create(p2p::PointToPoint& p2p, WindowCollectives& collectives,
                                                  const memory::Placement& placement, RanksAre ranks_are,
                                                  const config::Store& config);

  /// Collective over comm, which is for this window only. Where its ranks are on several nodes kShared is refused on
  /// all of them.
  Result<std::unique_ptr<Window>> create_window(Ref<comm::Communicator> comm, const WindowSpec& spec);
  /// Collective. The window must be idle (Epochs::check_idle).
  Status free_window(std::unique_ptr<Window> window);
  /// Collective.
  Status fence(Window& window, Fence fence);

  [[nodiscard]] TargetService& target_service() noexcept { return *target_service_; }
  /// Whether ranks of other nodes are to be served: a window that spans nodes is there.
  [[nodiscard]] bool has_far_windows() const noexcept { return far_windows_ != 0; }

 private:
  struct PartFacts;
  class Creation;

  OneSided(p2p::PointToPoint& p2p, WindowCollectives& collectives, const memory::Placement& placement,
           RanksAre ranks_are, std::unique_ptr<TargetService> target_service, bool always_by_handler);
  [[nodiscard]] Reach reach(PeerId peer, RanksAre ranks_are) const;

  p2p::PointToPoint& p2p_;
  WindowCollectives& collectives_;
  const memory::Placement& placement_;
  RanksAre ranks_are_;
  std::unique_ptr<TargetService> target_service_;
  PutStreams puts_;
  bool always_by_handler_;
  std::int64_t far_windows_ = 0;
};

}  // namespace starling::rma
