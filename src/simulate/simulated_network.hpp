// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SimulatedNetwork: packets between simulated ranks. Those of one rank to another take the links one after the other
// and arrive in their order, as over TCP: each is a flow of its size from host to host, whose time SimGrid computes
// from the links of the platform and from what else is under way; when its last byte has left, the next one begins, and
// the route's latency later it arrives. (So SimGrid itself must count no latency: kNoLatency.) To send and to take a
// packet costs the processor a fixed time.
//
// Thread safety: SimGrid runs one rank at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memory/doorbell.hpp"
#include "transport/transport.hpp"

namespace starling::simulate {

/// The setting of SimGrid that leaves the latency of links to this network.
inline constexpr const char* kNoLatency = "network/latency-factor:0";

/// What a packet costs beside the links.
struct Overheads {
  double send_ns = 500;
  double receive_ns = 500;
  std::uint64_t header_bytes = 64;  ///< that each packet has on the links beside its payload
};

/// A packet on its way.
struct Frame {
  transport::PacketHeader header;
  std::uint64_t words[2] = {0, 0};
  std::vector<std::byte> payload;
  std::uint64_t held = 0;  ///< bytes of the receiver's messages that the sender keeps
  bool is_packet = true;   ///< else it tells `held` alone
};

struct Arrival {
  WorldRank from;
  Frame frame;
};

/// What has arrived for one rank and is not taken yet.
class Inbox {
 public:
  explicit Inbox(memory::Doorbell& bell) noexcept : bell_(bell) {}

  void put(Arrival arrival) {
    arrivals_.push_back(std::move(arrival));
    ring();
  }
  [[nodiscard]] std::deque<Arrival> take() noexcept { return std::exchange(arrivals_, {}); }
  [[nodiscard]] bool empty() const noexcept { return arrivals_.empty(); }
  void ring() noexcept { memory::ring(bell_, true); }

 private:
  memory::Doorbell& bell_;
  std::deque<Arrival> arrivals_;
};

class SimulatedNetwork {
 public:
  /// hosts: of each rank. They outlive the network, which outlives the ranks.
  SimulatedNetwork(std::vector<simgrid::s4u::Host*> hosts, const Overheads& overheads);

  void enter(WorldRank rank, Inbox& inbox) { inboxes_[rank.index()] = &inbox; }
  /// What arrives for it from now on is dropped.
  void leave(WorldRank rank) { inboxes_[rank.index()] = nullptr; }

  void send(WorldRank from, WorldRank to, Frame frame);
  /// Nothing is sent any more; what is under way still goes to its end. The last call.
  void close();

  /// Packets that the receiver has not taken. Its taking one rings the sender if this was asked.
  [[nodiscard]] std::uint64_t under_way(WorldRank from, WorldRank to);
  /// The receiver has taken a packet.
  void note_taken(WorldRank from, WorldRank to);

  [[nodiscard]] const Overheads& overheads() const noexcept { return overheads_; }
  [[nodiscard]] std::int32_t ranks() const noexcept { return static_cast<std::int32_t>(hosts_.size()); }
  /// Packets that all ranks have sent.
  [[nodiscard]] std::uint64_t packets() const noexcept { return packets_; }
  /// Ranks that the rank with most of them has sent something to or got something from.
  [[nodiscard]] std::size_t most_peers() const;

 private:
  /// From one rank to another.
  struct Lane {
    simgrid::s4u::MutexPtr turn = simgrid::s4u::Mutex::create();  ///< of the packet whose bytes are on the links
    double latency_s = -1;                                        ///< below 0: not asked yet
    std::uint64_t sent = 0;
    std::uint64_t arrived = 0;  ///< those that have arrived in their order
    std::uint64_t taken = 0;
    bool sender_waits = false;
    std::map<std::uint64_t, Frame> early;  ///< of several that arrive at one time
  };
  struct Packet {
    WorldRank from;
    WorldRank to;
    std::uint64_t number;
    Frame frame;
  };
  /// Who takes flows to their end, one after the other. An actor is a thread, so there are only as many as flows, and
  /// of more packets than threads can be the last ones wait for a courier.
  struct Courier {
    simgrid::s4u::ActorPtr actor;
    simgrid::s4u::SemaphorePtr go = simgrid::s4u::Semaphore::create(0);
    std::optional<Packet> packet;  ///< none: the courier's work is done
  };
  static constexpr std::size_t kMostCouriers = 16'000;

  [[nodiscard]] Lane& lane(WorldRank from, WorldRank to) {
    return lanes_[(std::uint64_t{static_cast<std::uint32_t>(from.value)} << 32) | static_cast<std::uint32_t>(to.value)];
  }
  /// Null: there are as many as can be, and all have something to carry.
  [[nodiscard]] Courier* idle_courier();
  void carry(Packet& packet);
  /// Lets packets arrive when their latency is over, until the network closes.
  void deliver();
  void arrive(Packet departed);

  const std::vector<simgrid::s4u::Host*> hosts_;
  const Overheads overheads_;
  std::vector<Inbox*> inboxes_;  ///< by rank; null: it is not there
  std::unordered_map<std::uint64_t, Lane> lanes_;
  std::deque<Courier> couriers_;
  std::vector<Courier*> idle_;
  std::deque<Packet> waiting_;      ///< for a courier
  simgrid::s4u::ActorPtr postman_;  ///< delivers
  simgrid::s4u::MutexPtr due_mutex_ = simgrid::s4u::Mutex::create();
  simgrid::s4u::ConditionVariablePtr due_changed_ = simgrid::s4u::ConditionVariable::create();
  std::multimap<double, Packet> due_;  ///< those whose last byte has left, by the time of arrival, those of one time in
                                       ///< the order of their departure
  bool closed_ = false;
  std::uint64_t packets_ = 0;
};

}  // namespace starling::simulate
