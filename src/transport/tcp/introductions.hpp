// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Introductions: how a rank comes to its connections, by its own calls and by those of others. Of two calls that cross
// each other that of the lower rank goes first: it lets the other's wait, which ends when the two are connected; the
// higher rank answers and lets its own call go. But a call of the lower rank that reaches nobody, as behind a firewall,
// gives way after a while: it ends, and the other's is answered. A rank whose call is refused has some time to call,
// too. So a connection is made whichever of the two gets through.
// Thread safety: the world's lock. Invariants: join() is called once at most for each rank that may join, at both ends
// for the same connection: a lower rank never answers while the higher one may welcome it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

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
  /// Of further connections.
  class LaneHost {
   public:
    /// There is a connection to the rank, which may open further ones.
    [[nodiscard]] virtual bool may_join_lane(WorldRank rank) const = 0;
    /// The rank has opened one.
    virtual void join_lane(WorldRank rank, std::uint8_t lane, Descriptor socket) = 0;

   protected:
    ~LaneHost() = default;
  };

  /// All outlive it.
  Introductions(const Endpoint& endpoint, const Settings& settings, WorldRank own, EventSet& events, Host& host,
                LaneHost& lane_host) noexcept
      : to_call_ns_(settings.to_call_ms * 1'000'000),
        roster_(endpoint.roster),
        own_(own),
        host_(host),
        lane_host_(lane_host),
        handshake_(endpoint.roster, own),
        visitors_(settings, handshake_, endpoint.listeners, events, *this),
        calls_(endpoint.roster, settings, own, handshake_, events, *this) {}
  Introductions(const Introductions&) = delete;
  Introductions& operator=(const Introductions&) = delete;

  [[nodiscard]] bool open() noexcept { return visitors_.open(); }
  /// Calls a rank that is not connected, unless it is being called or answered.
  void call(WorldRank rank, std::int64_t now_ns) {
    if (!visitors_.has_answered(rank) && !is_expected(rank)) calls_.begin(rank, now_ns);
  }
  /// The same for a rank that is expected to call this one: it has some time to do so.
  void call_if_it_does_not(WorldRank rank, std::int64_t now_ns);
  void on_event(EventOf event, std::int64_t now_ns);
  /// Does what is due.
  void look(std::int64_t now_ns);
  /// Nothing is under way.
  [[nodiscard]] bool are_none() const noexcept {
    return calls_.are_none() && visitors_.are_none() && expected_.empty();
  }
  [[nodiscard]] std::int64_t due_ns() const noexcept;
  [[nodiscard]] Handshake& handshake() noexcept { return handshake_; }
  [[nodiscard]] int take_shortage() noexcept { return visitors_.take_shortage(); }
  [[nodiscard]] std::uint64_t strangers() const noexcept { return visitors_.strangers(); }

 private:
  /// A rank whose own call is to make the connection.
  struct Expected {
    WorldRank rank;
    std::int64_t until_ns = 0;  ///< when it should have called
    Status failure;             ///< why this rank cannot call it; ok: it has not tried for long
    bool has_called = false;
  };

  [[nodiscard]] bool is_expected(WorldRank rank) const noexcept;
  /// Those that have not called are given up; those that have called in vain are called again.
  void look_for_expected(std::int64_t now_ns);

  [[nodiscard]] bool may_join(WorldRank rank) const override { return host_.may_join(rank); }
  [[nodiscard]] bool may_join_lane(WorldRank rank) const override { return lane_host_.may_join_lane(rank); }
  void join_lane(WorldRank rank, std::uint8_t lane, Descriptor socket) override {
    lane_host_.join_lane(rank, lane, std::move(socket));
  }
  [[nodiscard]] bool gives_way(WorldRank rank, std::int64_t now_ns) override;
  void join(WorldRank rank, Descriptor socket, const Likeness& peers) override;
  void give_up(WorldRank rank, Status why, std::int64_t now_ns) override;

  const std::int64_t to_call_ns_;
  const Roster& roster_;
  WorldRank own_;
  Introductions::Host& host_;
  LaneHost& lane_host_;
  Handshake handshake_;
  Visitors visitors_;
  Calls calls_;
  std::vector<Expected> expected_;
};

}  // namespace starling::transport::tcp
