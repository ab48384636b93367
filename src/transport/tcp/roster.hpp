// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Roster: where the ranks of a job can be reached over TCP, and the secret by which they know each other. The same in
// every process of the job; a job has many ranks, so whoever has one keeps it once a node
// (world/network/card_roster.hpp). Endpoint: the roster and this rank's own listeners. Thread safety: a Roster is
// constant while transports use it; an Endpoint belongs to one rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/id.hpp"
#include "transport/tcp/interfaces.hpp"
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

class Roster {
 public:
  virtual ~Roster() = default;

  /// How many ranks the job has.
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// Of a rank, the best first.
  [[nodiscard]] virtual std::vector<SocketAddress> addresses(WorldRank rank) const = 0;
  /// Of a rank, for messages; empty: not known.
  [[nodiscard]] virtual std::string_view host(WorldRank rank) const noexcept = 0;

  /// For messages: "rank 3 on b".
  [[nodiscard]] std::string text_of(WorldRank rank) const {
    const std::string_view known = host(rank);
    return formatted("rank {} on {}", rank.value, known.empty() ? "another node" : known);
  }

  std::uint64_t job = 0;  ///< its id
  Secret secret{};
  Alike alike;           ///< of this rank; the others should have the same
  std::string settings;  ///< those of Alike that are not as by default, for messages: lines "COLL_BCAST=chain"
};

struct Endpoint {
  const Roster& roster;
  std::span<Listener> listeners;  ///< at the addresses that the roster has for this rank; closed with the transport
  WorldRank watched{};            ///< is called at once: the connection tells when it dies; none: nobody
  std::span<const InterfaceAddress> addresses{};  ///< of this host, where tests say them; else the system does
};

}  // namespace starling::transport::tcp
