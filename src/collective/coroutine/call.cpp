// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/coroutine/call.hpp"

#include "collective/coroutine/part_of_whole.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {

observe::Awaited Call::awaited() const {
  observe::Awaited awaited = p2p_.awaited_in(arguments_.comm->collective_context_id());
  awaited.as = observe::AwaitedAs::kCollective;
  awaited.tag = static_cast<std::int32_t>(number_);
  return awaited;
}

std::int32_t Call::told_rank(std::int32_t rank) const {
  if ((tag_ & kLevelTags) == 0) return rank;
  return static_cast<const PartOfWhole&>(*arguments_.comm->collective_state).rank_in_whole(rank);
}

Transfer Call::send(const void* buffer, std::int64_t count, const datatype::Datatype& type, std::int32_t to) {
  const p2p::Message message{const_cast<void*>(buffer), count, &type, to, tag_, arguments_.comm,
                             p2p::Channel::kCollective};
  return Transfer(*this, Flight{p2p_.isend(message, send_mode_), Flight::kSend, to});
}

Transfer Call::receive(void* buffer, std::int64_t count, const datatype::Datatype& type, std::int32_t from) {
  const p2p::Message message{
      buffer, count, &type, from, tag_, arguments_.comm, p2p::Channel::kCollective, reduces(arguments_.operation)};
  return Transfer(*this, Flight{p2p_.ireceive(message), count * type.size(), from});
}

Transfer Call::send_bytes(const void* buffer, std::int64_t bytes, std::int32_t to) {
  return send(buffer, bytes, byte_type(), to);
}

Transfer Call::receive_bytes(void* buffer, std::int64_t bytes, std::int32_t from) {
  return receive(buffer, bytes, byte_type(), from);
}

void Call::reduce(const void* in, void* inout, std::int64_t count, const datatype::Datatype& type) {
  if (count > 0) note(arguments_.op->apply(in, inout, count, type));
}

void Call::copy(const void* source, std::int64_t source_count, const datatype::Datatype& source_type, void* destination,
                std::int64_t destination_count, const datatype::Datatype& destination_type) {
  auto moved = datatype::copy(source, source_count, source_type, destination, destination_count, destination_type);
  if (!moved.ok()) note(std::move(moved).status());
}

}  // namespace starling::collective
