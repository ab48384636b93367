// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulated_network.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

namespace starling::simulate {

namespace s4u = simgrid::s4u;

SimulatedNetwork::SimulatedNetwork(std::vector<s4u::Host*> hosts, const Overheads& overheads)
    : hosts_(std::move(hosts)), overheads_(overheads), inboxes_(hosts_.size()) {
  postman_ = s4u::Actor::create("postman", hosts_.front(), [this] { deliver(); });
}

SimulatedNetwork::Courier* SimulatedNetwork::idle_courier() {
  if (!idle_.empty()) {
    Courier* const courier = idle_.back();
    idle_.pop_back();
    return courier;
  }
  if (couriers_.size() >= kMostCouriers) return nullptr;
  Courier& courier = couriers_.emplace_back();
  courier.actor = s4u::Actor::create("courier", hosts_.front(), [this, &courier] {
    for (courier.go->acquire(); courier.packet; courier.go->acquire()) {
      while (courier.packet) {
        carry(*courier.packet);
        courier.packet.reset();
        if (waiting_.empty()) break;
        courier.packet = std::move(waiting_.front());
        waiting_.pop_front();
      }
      idle_.push_back(&courier);
    }
  });
  return &courier;
}

void SimulatedNetwork::carry(Packet& packet) {
  s4u::Host* const from = hosts_[packet.from.index()];
  s4u::Host* const to = hosts_[packet.to.index()];
  Lane& lane = this->lane(packet.from, packet.to);
  if (lane.latency_s < 0) {
    std::vector<s4u::Link*> links;
    lane.latency_s = 0;
    from->route_to(to, links, &lane.latency_s);
  }
  lane.turn->lock();
  s4u::Comm::sendto(from, to, overheads_.header_bytes + packet.frame.payload.size());
  lane.turn->unlock();
  const double arrival_s = s4u::Engine::get_clock() + lane.latency_s;
  const std::scoped_lock lock(*due_mutex_);
  const auto added = due_.emplace(arrival_s, std::move(packet));
  if (added == due_.begin()) due_changed_->notify_one();
}

void SimulatedNetwork::deliver() {
  std::unique_lock lock(*due_mutex_);
  while (!closed_ || !due_.empty()) {
    if (due_.empty()) {
      due_changed_->wait(lock);
    } else if (due_.begin()->first > s4u::Engine::get_clock()) {
      due_changed_->wait_until(lock, due_.begin()->first);
    } else {
      arrive(std::move(due_.extract(due_.begin()).mapped()));
    }
  }
}

void SimulatedNetwork::close() {
  for (Courier& courier : couriers_) {
    courier.go->release();
    courier.actor->join();
  }
  {
    const std::scoped_lock lock(*due_mutex_);
    closed_ = true;
    due_changed_->notify_one();
  }
  postman_->join();
}

void SimulatedNetwork::send(WorldRank from, WorldRank to, Frame frame) {
  ++packets_;
  Packet packet{from, to, lane(from, to).sent++, std::move(frame)};
  Courier* const courier = idle_courier();
  if (courier == nullptr) {
    waiting_.push_back(std::move(packet));
    return;
  }
  courier->packet = std::move(packet);
  courier->go->release();
}

void SimulatedNetwork::arrive(Packet departed) {
  const auto [from, to] = std::pair(departed.from, departed.to);
  Lane& lane = this->lane(from, to);
  lane.early.emplace(departed.number, std::move(departed.frame));
  while (!lane.early.empty() && lane.early.begin()->first == lane.arrived) {
    Arrival arrival{from, std::move(lane.early.extract(lane.early.begin()).mapped())};
    ++lane.arrived;
    if (Inbox* const inbox = inboxes_[to.index()]) {
      inbox->put(std::move(arrival));
    } else {
      note_taken(from, to);
    }
  }
}

std::size_t SimulatedNetwork::most_peers() const {
  std::vector<std::set<std::uint32_t>> peers(hosts_.size());
  for (const auto& [ends, lane] : lanes_) {
    const auto from = static_cast<std::uint32_t>(ends >> 32);
    const auto to = static_cast<std::uint32_t>(ends);
    if (lane.sent == 0) continue;
    peers[from].insert(to);
    peers[to].insert(from);
  }
  return std::ranges::max(peers, {}, &std::set<std::uint32_t>::size).size();
}

std::uint64_t SimulatedNetwork::under_way(WorldRank from, WorldRank to) {
  Lane& lane = this->lane(from, to);
  lane.sender_waits = lane.sent != lane.taken;
  return lane.sent - lane.taken;
}

void SimulatedNetwork::note_taken(WorldRank from, WorldRank to) {
  Lane& lane = this->lane(from, to);
  ++lane.taken;
  if (std::exchange(lane.sender_waits, false) && inboxes_[from.index()] != nullptr) inboxes_[from.index()]->ring();
}

}  // namespace starling::simulate
