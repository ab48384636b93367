// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Roster: where the ranks of a job can be reached over TCP, and the secret by which they know each other. The same in
// every process of the job. Endpoint: the roster and this rank's own listeners.
// Thread safety: a Roster is constant while transports use it; an Endpoint belongs to one rank.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "base/id.hpp"
#include "transport/tcp/listener.hpp"
#include "transport/tcp/proofs.hpp"
#include "transport/tcp/socket_address.hpp"

namespace starling::transport::tcp {

/// What two ranks must have alike in order to understand each other, as fingerprints.
struct Alike {
  std::uint32_t library = 0;   ///< how it lays out and means what it sends
  std::uint32_t settings = 0;  ///< those that all ranks need alike

  friend bool operator==(const Alike&, const Alike&) = default;
};

struct Roster {
  std::uint64_t job = 0;  ///< its id
  Secret secret{};
  Alike alike;                                    ///< of this rank; the others should have the same
  std::vector<std::vector<SocketAddress>> ranks;  ///< the addresses of each world rank, the best first
  std::vector<std::string> hosts;                 ///< of each world rank, for messages; empty: not known

  [[nodiscard]] const std::vector<SocketAddress>& addresses(WorldRank rank) const noexcept {
    return ranks[rank.index()];
  }
  /// For messages: "rank 3 on b".
  [[nodiscard]] std::string text_of(WorldRank rank) const {
    const bool is_known = rank.index() < hosts.size();
    return formatted("rank {} on {}", rank.value, is_known ? hosts[rank.index()] : "another node");
  }
};

struct Endpoint {
  const Roster& roster;
  std::span<Listener> listeners;  ///< at the addresses that the roster has for this rank; closed with the transport
  WorldRank watched{};            ///< is called at once: the connection tells when it dies; none: nobody
};

}  // namespace starling::transport::tcp
