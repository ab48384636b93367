// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulated_network.hpp"

#include <utility>

namespace starling::simulate {

namespace s4u = simgrid::s4u;

SimulatedNetwork::Courier& SimulatedNetwork::idle_courier() {
  if (!idle_.empty()) {
    Courier& courier = *idle_.back();
    idle_.pop_back();
    return courier;
  }
  Courier& courier = couriers_.emplace_back();
  courier.actor = s4u::Actor::create("courier", hosts_.front(), [this, &courier] {
    for (courier.go->acquire(); courier.frame; courier.go->acquire()) {
      carry(courier);
      courier.frame.reset();
      idle_.push_back(&courier);
    }
  });
  return courier;
}

void SimulatedNetwork::carry(Courier& courier) {
  s4u::Host* const from = hosts_[courier.from.index()];
  s4u::Host* const to = hosts_[courier.to.index()];
  Lane& lane = this->lane(courier.from, courier.to);
  if (lane.latency_s < 0) {
    std::vector<s4u::Link*> links;
    lane.latency_s = 0;
    from->route_to(to, links, &lane.latency_s);
  }
  lane.turn->lock();
  s4u::Comm::sendto(from, to, overheads_.header_bytes + courier.frame->payload.size());
  lane.turn->unlock();
  s4u::this_actor::sleep_for(lane.latency_s);
  arrive(courier.from, courier.to, courier.number, std::move(*courier.frame));
}

void SimulatedNetwork::close() {
  for (Courier& courier : couriers_) {
    courier.go->release();
    courier.actor->join();
  }
}

void SimulatedNetwork::send(WorldRank from, WorldRank to, Frame frame) {
  ++packets_;
  Courier& courier = idle_courier();
  courier.from = from;
  courier.to = to;
  courier.number = lane(from, to).sent++;
  courier.frame = std::move(frame);
  courier.go->release();
}

void SimulatedNetwork::arrive(WorldRank from, WorldRank to, std::uint64_t number, Frame frame) {
  Lane& lane = this->lane(from, to);
  lane.early.emplace(number, std::move(frame));
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
