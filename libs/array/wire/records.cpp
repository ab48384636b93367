// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "records.hpp"

#include <memory>
#include <utility>

namespace starling::array::detail {

Wire::Room Records::open_own(RecordKind kind, const char* index, std::size_t index_bytes, std::size_t payload) {
  KeptRecord& own = own_.emplace_back();
  own.header.kind = kind;
  own.header.index = static_cast<std::uint32_t>(index_bytes);
  own.header.payload = static_cast<std::uint32_t>(payload);
  own.from = rank();
  own.bytes.resize(padded(index_bytes) + padded(payload));
  if (index != nullptr && index_bytes != 0) std::memcpy(own.bytes.data(), index, index_bytes);
  return {own.header, own.bytes.data() + padded(index_bytes)};
}

char* Records::post(int to, const RecordHeader& header, const char* index) {
  const Wire::Room room = open(to, header.kind, index, header.index, header.payload);
  const std::uint32_t bytes = room.header.bytes;
  room.header = header;
  room.header.bytes = bytes;
  return room.payload;
}

void Records::post_bytes(int to, const RecordHeader& header, const char* bytes, std::size_t size) {
  const Wire::Room room = open(to, header.kind, nullptr, 0, size);
  const std::uint32_t all_bytes = room.header.bytes;
  room.header = header;
  room.header.bytes = all_bytes;
  room.header.payload = static_cast<std::uint32_t>(size);
  if (size != 0) std::memcpy(room.payload, bytes, size);
}

bool Records::handle_own() {
  const std::size_t count = own_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const KeptRecord own = std::move(own_.front());
    own_.pop_front();
    sink_.handle(own.record());
  }
  return count != 0;
}

void Records::change_comm(Communicator comm) {
  sent_before_ += wire_.sent();
  received_before_ += wire_.handled();
  std::destroy_at(&wire_);
  std::construct_at(&wire_, comm, sink_);
}

Communicator Records::exchange_comm(Communicator comm) {
  const Communicator before = wire_.release();
  change_comm(comm);
  return before;
}

}  // namespace starling::array::detail
