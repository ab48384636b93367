// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Introductions: how a rank comes to its connections, by its own calls and by those of others. Of two calls that cross
// each other that of the lower rank stays: it lets the other's wait, which ends when the two are connected; the higher
// rank answers and lets its own call go.
// Thread safety: the world's lock. Invariants: join() is called once at most for each rank that may join, at both ends
// for the same connection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "transport/tcp/calls.hpp"
#include "transport/tcp/visitors.hpp"

namespace starling::transport::tcp {

class Introductions final : private Visitors::Host, private Calls::Host {
 public:
  class Host {
   public:
    /// There is no connection to the rank yet, and there may be one.
    [[nodiscard]] virtual bool may_join(WorldRank rank) const = 0;
    /// The rank is connected by a socket on which nothing but its packets follows.
    virtual void join(WorldRank rank, Descriptor socket) = 0;
    /// The rank cannot be reached.
    virtual void give_up(WorldRank rank, Status why) = 0;

   protected:
    ~Host() = default;
  };

  /// All outlive it.
  Introductions(const Endpoint& endpoint, const Settings& settings, WorldRank own, Proofs proofs, EventSet& events,
                Host& host) noexcept
      : roster_(endpoint.roster),
        own_(own),
        host_(host),
        handshake_(endpoint.roster, own, proofs),
        visitors_(settings, handshake_, endpoint.listeners, events, *this),
        calls_(endpoint.roster, settings, own, handshake_, events, *this) {}
  Introductions(const Introductions&) = delete;
  Introductions& operator=(const Introductions&) = delete;

  [[nodiscard]] bool open() noexcept { return visitors_.open(); }
  /// Calls a rank that is not connected, unless it is being called or answered.
  void call(WorldRank rank, std::int64_t now_ns) {
    if (!visitors_.has_answered(rank)) calls_.begin(rank, now_ns);
  }
  void on_event(EventOf event, std::int64_t now_ns);
  /// Does what is due.
  void look(std::int64_t now_ns) {
    calls_.look(now_ns);
    visitors_.look(now_ns);
  }
  /// Nothing is under way.
  [[nodiscard]] bool are_none() const noexcept { return calls_.are_none() && visitors_.are_none(); }
  [[nodiscard]] std::int64_t due_ns() const noexcept { return std::min(calls_.due_ns(), visitors_.due_ns()); }
  [[nodiscard]] std::uint64_t strangers() const noexcept { return visitors_.strangers(); }

 private:
  [[nodiscard]] bool may_join(WorldRank rank) const override { return host_.may_join(rank); }
  [[nodiscard]] bool calls_first(WorldRank rank) const override { return own_ < rank && calls_.has(rank); }
  void join(WorldRank rank, Descriptor socket, const Alike& alike) override;
  void give_up(WorldRank rank, Status why) override;

  const Roster& roster_;
  WorldRank own_;
  Introductions::Host& host_;
  Handshake handshake_;
  Visitors visitors_;
  Calls calls_;
};

}  // namespace starling::transport::tcp
