// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/self/self_transport.hpp"

#include <utility>

#include "datatype/pack/pack.hpp"

namespace starling::transport::self {

std::optional<Address> SelfTransport::reaches(const Surroundings& surroundings, WorldRank rank) {
  if (rank != surroundings.rank) return std::nullopt;
  return Address(0);
}

Result<std::unique_ptr<Transport>> SelfTransport::create(const Surroundings& surroundings) {
  memory::Doorbell& bell = surroundings.segment.rank(surroundings.local_rank()).doorbell;
  return std::unique_ptr<Transport>(std::make_unique<SelfTransport>(peer_of(surroundings.rank), bell));
}

bool SelfTransport::try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) {
  return try_send_words(to, header, {0, 0}, payload, bytes);
}

bool SelfTransport::try_send_words(Address /*to*/, const PacketHeader& header, const std::uint64_t (&words)[2],
                                   const void* payload, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(payload);
  return queue({header, {words[0], words[1]}, std::vector<std::byte>(first, first + bytes)});
}

bool SelfTransport::try_send_packed(Address /*to*/, const PacketHeader& header, const std::uint64_t (&words)[2],
                                    datatype::PackCursor& cursor, std::size_t bytes) {
  Queued packet{header, {words[0], words[1]}, std::vector<std::byte>(bytes)};
  packet.payload.resize(cursor.pack(packet.payload.data(), bytes));
  return queue(std::move(packet));
}

bool SelfTransport::queue(Queued packet) {
  queue_.push_back(std::move(packet));
  set_idle(false);
  memory::ring(bell_, false);  // no fence: sleeper and sender both hold the rank's lock when they look
  return true;
}

bool SelfTransport::poll(Sink& sink) {
  const std::size_t waiting = queue_.size();  // what deliveries add is for the next poll
  for (std::size_t i = 0; i < waiting; ++i) {
    const Queued packet = std::move(queue_.front());
    queue_.pop_front();
    sink.on_packet(self_, {packet.header, {packet.words[0], packet.words[1]}, packet.payload});
  }
  set_idle(queue_.empty());
  return waiting != 0;
}

}  // namespace starling::transport::self
