// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobNetwork: what joins the nodes of a job, made from the card that the process has found: where all ranks can be
// reached over TCP, and the sockets at which this one listens. A job on one node has none, and opens nothing.
// Thread safety: constant while transports use it, but for the listeners, which belong to the transport.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "bootstrap/job.hpp"
#include "transport/surroundings.hpp"
#include "transport/tcp/listener.hpp"
#include "transport/tcp/roster.hpp"
#include "world/network/card_roster.hpp"

namespace starling::world {

class JobNetwork {
 public:
  /// Null when all ranks are on one node. Afterwards the job has no card any more.
  /// alike: the settings that all ranks need alike, as text.
  static Result<std::unique_ptr<JobNetwork>> create(bootstrap::Job& job, std::string_view alike);
  /// Of processes that no launcher has brought together. listeners: descriptors, at the entrances of `own` in the card.
  static Result<std::unique_ptr<JobNetwork>> create(bootstrap::JobCardView card, WorldRank own,
                                                    const std::vector<int>& listeners, std::string_view alike);
  JobNetwork(const JobNetwork&) = delete;
  JobNetwork& operator=(const JobNetwork&) = delete;

  /// What transports are made from.
  [[nodiscard]] transport::Networks networks() const noexcept { return {nullptr, &endpoint_}; }
  /// What all that it joins know, and nobody else.
  [[nodiscard]] const transport::tcp::Secret& secret() const noexcept { return roster_.secret; }

 private:
  struct Ranks {
    WorldRank own;
    WorldRank watched;  ///< none: nobody
  };
  static Result<std::unique_ptr<JobNetwork>> make(bootstrap::JobCardView card, const Ranks& ranks,
                                                  const std::vector<int>& descriptors, std::string_view alike);
  JobNetwork(CardRoster roster, std::vector<transport::tcp::Listener> listeners, WorldRank watched)
      : roster_(std::move(roster)), listeners_(std::move(listeners)), endpoint_{roster_, listeners_, watched} {}

  CardRoster roster_;
  std::vector<transport::tcp::Listener> listeners_;
  transport::tcp::Endpoint endpoint_;
};

}  // namespace starling::world
