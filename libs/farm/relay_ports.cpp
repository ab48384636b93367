// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a relay carries between the server and the Inputs and Outputs of other processes.
#include <stdexcept>

#include "relay.hpp"

namespace starling::farm {

void Relay::on_port_message(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) {
  const auto wrong = [&] {
    throw std::runtime_error("farm: rank " + std::to_string(peer) + " sent something that is not the farm's");
  };
  if (parts_.server != nullptr) {
    Server& server = *parts_.server;
    switch (kind) {
      case MessageKind::kReady: return server.port_is_ready(peer, list_of<TaskName>(*message));
      case MessageKind::kPieces: {
        Tasks pieces = tasks_of(message);
        return server.new_pieces(peer, pieces);
      }
      case MessageKind::kInputEnd: return server.port_input_has_ended(peer);
      case MessageKind::kTaken: return server.taken(list_of<std::uint64_t>(*message));
      case MessageKind::kTrouble:
        return server.trouble("farm: Input or Output of rank " + std::to_string(peer) + ": " + text_of(*message));
      case MessageKind::kClosed: ports_.erase(peer); return forget(peer, kPort);
      default: return wrong();
    }
  }
  if (parts_.port == nullptr) wrong();
  switch (kind) {
    case MessageKind::kRoom: return parts_.port->allow(list_of<std::uint64_t>(*message).at(0));
    case MessageKind::kEnough: return parts_.port->end_input();
    case MessageKind::kDeliver: return parts_.port->take(message);
    case MessageKind::kClose:
      parts_.port->close();
      parts_.port->send(parts_.link, peer);
      send(peer, make_word(MessageKind::kClosed));
      port_closed_ = true;
      return forget(peer, kServer);
    default: return wrong();
  }
}

bool Relay::step_ports() {
  const int root = parts_.tree.root();
  if (parts_.port != nullptr && !port_closed_) {
    return parts_.link.idle(root) && parts_.port->send(parts_.link, root);  // what comes meanwhile goes together
  }
  if (parts_.server == nullptr || parts_.server->finished()) return false;
  bool busy = false;
  for (auto& [rank, port] : ports_) {
    if (Deliveries* deliveries = parts_.server->deliveries_for(rank)) busy |= send_deliveries(rank, *deliveries);
    if (!port.has_input) continue;
    if (!parts_.server->input_shall_end()) {
      busy |= send_room(rank, port);
    } else if (!std::exchange(port.told_to_end, true)) {
      send(rank, make_word(MessageKind::kEnough));
    }
  }
  return busy;
}

bool Relay::send_deliveries(int peer, Deliveries& deliveries) {
  if (!parts_.link.idle(peer)) return false;
  std::vector<Delivery> all = deliveries.try_take();
  Message message(MessageKind::kDeliver);
  for (const auto& [result, name] : all) {
    message.add(result, [&, &task = result, &called = name](Buffer& bytes) {
      bytes.append(&called, sizeof called);
      if (!task.value.holds<Slice>()) return parts_.program.pack_out(task.value, bytes);
      const Slice& packed = task.value.as<Slice>();
      bytes.append(packed.data(), packed.size);
    });
    if (message.size() < kLargeMessage) continue;
    send(peer, message.finish());
    message = Message(MessageKind::kDeliver);
  }
  if (message.count() > 0) send(peer, message.finish());
  return !all.empty();
}

/// Not for every piece: when a good part of the room is new, or the Input has used all that it knew of.
bool Relay::send_room(int peer, OtherPort& port) {
  const Server::Room room = parts_.server->room_for(peer);
  if (room.allowed <= port.told_room) return false;
  if (room.allowed - port.told_room < room.much && room.seen < port.told_room) return false;
  port.told_room = room.allowed;
  send(peer, make_list(MessageKind::kRoom, std::vector<std::uint64_t>{room.allowed}));
  return true;
}

void Relay::close_ports() {
  for (auto& [rank, port] : ports_) {
    if (!std::exchange(port.told_to_close, true)) send(rank, make_word(MessageKind::kClose));
  }
}

void Relay::on_port_death(int peer) {
  if (parts_.server == nullptr) server_is_dead();
  ports_.erase(peer);
  parts_.server->trouble("farm: rank " + std::to_string(peer) +
                         ", where an Input or Output ran, is dead; with a journal, --resume goes on from there");
}

}  // namespace starling::farm
