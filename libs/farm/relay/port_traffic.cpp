// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "port_traffic.hpp"

#include <stdexcept>

#include "base/format.hpp"
#include "upstream.hpp"

namespace starling::farm {
namespace {

[[noreturn]] void refuse_message_of(int peer) {
  throw std::runtime_error(formatted("farm: rank {} sent a message that is not the farm's", peer));
}

}  // namespace

void NoPorts::on_message(MessageKind, int peer, const std::shared_ptr<const Buffer>&) { refuse_message_of(peer); }

LocalPort::LocalPort(const RelayContext& context, Port& port)
    : neighbors_(context.neighbors), depot_(context.depot), port_(port), server_rank_(context.tree.root()) {
  neighbors_.listen_to(server_rank_, Neighbors::kServer);
}

void LocalPort::on_message(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) {
  switch (kind) {
    case MessageKind::kRoom: return port_.allow(list_of<std::uint64_t>(*message).at(0));
    case MessageKind::kEnough: return port_.end_input();
    case MessageKind::kDeliver: return port_.take(message, depot_);
    case MessageKind::kNoMore: return depot_.part();
    case MessageKind::kClose:
      port_.close();
      port_.send(neighbors_, depot_, peer);
      neighbors_.send(peer, make_word(MessageKind::kClosed));
      closed_ = true;
      return neighbors_.forget(peer, Neighbors::kServer);
    default: refuse_message_of(peer);
  }
}

void LocalPort::on_death(int) { throw_server_is_dead(); }

bool LocalPort::send() {
  // What comes while the last message is under way goes together.
  return !closed_ && neighbors_.idle(server_rank_) && port_.send(neighbors_, depot_, server_rank_);
}

RemotePorts::RemotePorts(const RelayContext& context, Server& server) : context_(context), server_(server) {
  for (const auto& ranks : {context.tree.inputs(), context.tree.outputs()}) {
    for (const int rank : ranks) {
      if (rank == context.neighbors.rank()) continue;
      ports_[rank].has_input = context.tree.input_place(rank).has_value();
      context.neighbors.listen_to(rank, Neighbors::kPort);
    }
  }
}

void RemotePorts::on_message(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) {
  switch (kind) {
    case MessageKind::kReady: return server_.port_is_ready(peer, list_of<TaskName>(*message));
    case MessageKind::kPieces: {
      Tasks pieces = tasks_of(message);
      return server_.new_pieces(peer, pieces);
    }
    case MessageKind::kInputEnd: return server_.port_input_has_ended(peer);
    case MessageKind::kTaken: return server_.hear(TaskState::kTaken, list_of<std::uint64_t>(*message));
    case MessageKind::kMissing: return server_.hear(TaskState::kMissing, list_of<std::uint64_t>(*message));
    case MessageKind::kTrouble:
      return server_.trouble(formatted("farm: Input or Output of rank {}: {}", peer, text_of(*message)));
    case MessageKind::kClosed: ports_.erase(peer); return context_.neighbors.forget(peer, Neighbors::kPort);
    default: refuse_message_of(peer);
  }
}

void RemotePorts::on_death(int peer) {
  if (ports_.erase(peer) > 0) server_.port_has_died(peer);
}

bool RemotePorts::send() {
  if (server_.finished()) return false;
  bool busy = send_releases();
  for (auto& [rank, port] : ports_) {
    if (Deliveries* deliveries = server_.deliveries_for(rank)) busy |= send_deliveries(rank, *deliveries);
    if (!port.has_input) continue;
    if (!server_.input_shall_end()) {
      busy |= send_room(rank, port);
    } else if (!std::exchange(port.told_to_end, true)) {
      context_.neighbors.send(rank, make_word(MessageKind::kEnough));
    }
  }
  return busy;
}

bool RemotePorts::send_deliveries(int peer, Deliveries& deliveries) {
  if (!context_.neighbors.idle(peer)) return false;
  const std::vector<Delivery> all = deliveries.try_take();
  Message message(MessageKind::kDeliver);
  for (const Delivery& delivery : all) {
    if (delivery.result.away) {
      context_.depot.introduce(parcel_of(delivery.result.value.as<Slice>()), peer, Depot::What::kResult);
    }
    add(message, delivery);
    if (message.size() < kLargeMessage) continue;
    context_.neighbors.send(peer, message.finish());
    message = Message(MessageKind::kDeliver);
  }
  if (message.count() > 0) context_.neighbors.send(peer, message.finish());
  return !all.empty();
}

void RemotePorts::add(Message& message, const Delivery& delivery) {
  message.add(delivery.result, [&](Buffer& bytes) {
    const Value& value = delivery.result.value;
    bytes.append(&delivery.name, sizeof delivery.name);
    if (!value.holds<Slice>()) return context_.program.pack_out(value, bytes);
    const Slice& packed = value.as<Slice>();
    bytes.append(packed.data(), packed.size);
  });
}

/// Not for every piece: when a good part of the room is new, or the Input has used all that it knew of.
bool RemotePorts::send_room(int peer, RemotePort& port) {
  const Server::Room room = server_.room_for(peer);
  if (room.allowed <= port.told_room) return false;
  if (room.allowed - port.told_room < room.much && room.seen < port.told_room) return false;
  port.told_room = room.allowed;
  context_.neighbors.send(peer, make_list(MessageKind::kRoom, std::vector<std::uint64_t>{room.allowed}));
  return true;
}

/// Who is in a place by now has not what another one had there.
bool RemotePorts::send_releases() {
  const Releases::All all = server_.releases().take();
  for (const auto& [who, keys] : all) {
    const auto& [place, deaths] = who;
    if (context_.neighbors.deaths(place) == deaths)
      context_.neighbors.send(place, make_list(MessageKind::kRelease, keys));
  }
  return !all.empty();
}

void RemotePorts::add_peers(std::set<int>& all) const {
  for (const auto& [rank, port] : ports_) all.insert(rank);
}

void RemotePorts::end() {
  for (auto& [rank, port] : ports_) {
    if (!std::exchange(port.told_no_more, true)) context_.neighbors.send(rank, make_word(MessageKind::kNoMore));
  }
}

void RemotePorts::close() {
  for (auto& [rank, port] : ports_) {
    if (!std::exchange(port.told_to_close, true)) context_.neighbors.send(rank, make_word(MessageKind::kClose));
  }
}

}  // namespace starling::farm
