// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Chooses how a rank exchanges messages: as a traced one or not.
#include <utility>

#include "p2p/point_to_point.hpp"
#include "p2p/rank_point_to_point.hpp"
#include "p2p/traced_point_to_point.hpp"

namespace starling::p2p {

Result<std::unique_ptr<PointToPoint>> PointToPoint::create(progress::Engine& progress,
                                                           const transport::Surroundings& surroundings) {
  auto peers = Peers::create(surroundings);
  if (!peers.ok()) return std::move(peers).status();
  std::unique_ptr<PointToPoint> made;
  if (observe::Tracer* tracer = progress.listeners().tracer) {
    made = std::make_unique<TracedPointToPoint>(progress, std::move(peers).value(), surroundings.config, *tracer);
  } else {
    made = std::make_unique<RankPointToPoint>(progress, std::move(peers).value(), surroundings.config);
  }
  return made;
}

}  // namespace starling::p2p
