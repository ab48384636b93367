// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/self/self_transport.hpp"

#include "datatype/pack/pack.hpp"

namespace starling::transport::self {

bool SelfTransport::try_send(std::int32_t peer, const PacketHeader& header, const void* payload, std::size_t bytes) {
  return try_send_words(peer, header, {0, 0}, payload, bytes);
}

bool SelfTransport::try_send_words(std::int32_t, const PacketHeader& header, const std::uint64_t (&words)[2],
                                   const void* payload, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(payload);
  return queue({header, {words[0], words[1]}, std::vector<std::byte>(first, first + bytes)});
}

bool SelfTransport::try_send_packed(std::int32_t, const PacketHeader& header, const std::uint64_t (&words)[2],
                                    datatype::PackCursor& cursor, std::size_t bytes) {
  Queued packet{header, {words[0], words[1]}, std::vector<std::byte>(bytes)};
  packet.payload.resize(cursor.pack(packet.payload.data(), bytes));
  return queue(std::move(packet));
}

bool SelfTransport::queue(Queued packet) {
  queue_.push_back(std::move(packet));
  memory::ring(bell_, false);  // no fence: sleeper and sender both hold the rank's lock when they look
  return true;
}

bool SelfTransport::poll(Sink& sink) {
  const std::size_t waiting = queue_.size();  // what deliveries add is for the next poll
  for (std::size_t i = 0; i < waiting; ++i) {
    const Queued packet = std::move(queue_.front());
    queue_.pop_front();
    sink.on_packet(rank_, {packet.header, {packet.words[0], packet.words[1]}, packet.payload});
  }
  return waiting != 0;
}

bool SelfTransport::LocalCopy::read(std::int32_t, std::uint64_t source, void* destination, std::uint64_t bytes) {
  std::memmove(destination, reinterpret_cast<const void*>(source), bytes);  // NOLINT(performance-no-int-to-ptr)
  return true;
}

}  // namespace starling::transport::self
