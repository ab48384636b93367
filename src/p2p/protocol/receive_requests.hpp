// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ReceiveRequests: the receives of one rank from their making to their end: how data come into their buffers, and how
// they complete, fail or are orphaned.
//
// Thread safety: the world's lock.
// Invariants: a request goes back to the pool once its owner has given it back and no protocol uses it any more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/small_copy.hpp"
#include "p2p/request/message.hpp"
#include "p2p/request/receive_request.hpp"
#include "p2p/request/request_pool.hpp"

namespace starling::p2p {

class ReceiveRequests {
 public:
  ReceiveRequest& make(Receiver& receiver, const Message& message);

  /// Binds a receive to a message of that many bytes.
  static void bind(ReceiveRequest& request, const Envelope& message, PeerId peer, std::int64_t bytes);
  /// Takes the next data of the message.
  static void store(ReceiveRequest& request, std::span<const std::byte> data);
  void store_and_check(ReceiveRequest& request, std::span<const std::byte> data);

  /// The next data of the message are in the buffer already, or the request is orphaned.
  void take_placed(ReceiveRequest& request, std::int64_t bytes);

  void complete(ReceiveRequest& request);
  void fail(ReceiveRequest& request, const Status& why);
  /// Completes it for its owner while the sender's protocol still uses it: nothing is written into its buffer any more.
  void orphan(ReceiveRequest& request, const Status& why);
  /// The sender's protocol has come to its end.
  void end_orphan(ReceiveRequest& request);
  void dispose(ReceiveRequest& request);

  [[nodiscard]] bool busy_in(std::uint32_t context_id);
  /// All requests, also those that are not in use.
  template <typename Function>
  void for_each(Function&& function) {
    pool_.for_each(function);
  }

  /// What names the request in packets; the sender only carries it.
  static std::uint64_t cookie_of(const ReceiveRequest& request) noexcept {
    return reinterpret_cast<std::uint64_t>(static_cast<const Request*>(&request));
  }
  static ReceiveRequest& request_of(std::uint64_t cookie) noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): our own address come back
    return static_cast<ReceiveRequest&>(*reinterpret_cast<Request*>(cookie));
  }

 private:
  [[nodiscard]] static Status truncated(const ReceiveRequest& request);

  RequestPool<ReceiveRequest> pool_;
};

// The path of a short message that is expected: here, so that the calls of PointToPoint have it in one piece.

inline ReceiveRequest& ReceiveRequests::make(Receiver& receiver, const Message& message) {
  ReceiveRequest& request = *pool_.take();
  request.reset();
  request.receiver = &receiver;
  request.disposed = false;
  request.orphaned = false;
  request.pattern = pattern_of(message);
  request.capacity = message.count * message.type->size();
  request.arrived = 0;
  request.is_operand = message.is_operand;
  request.cursor.emplace(*message.type, message.buffer, message.count);
  if (!request.cursor->is_contiguous()) request.type = Ref<const datatype::Datatype>::share(message.type);
  return request;
}

inline void ReceiveRequests::bind(ReceiveRequest& request, const Envelope& message, PeerId peer, std::int64_t bytes) {
  request.peer = peer;
  request.message_bytes = bytes;
  request.completion.source = message.source;
  request.completion.tag = message.tag;
  request.completion.bytes = std::min(bytes, request.capacity);
}

inline void ReceiveRequests::store(ReceiveRequest& request, std::span<const std::byte> data) {
  const auto bytes = static_cast<std::int64_t>(data.size());
  request.arrived += bytes;
  if (request.orphaned) [[unlikely]]
    return;
  datatype::UnpackCursor& cursor = *request.cursor;
  if (cursor.is_contiguous() && bytes <= cursor.remaining()) [[likely]] {
    small_copy(cursor.memory(), data.data(), data.size());
    cursor.skip(bytes);
  } else {
    cursor.unpack(data.data(), data.size());  // takes what fits and drops what does not
  }
}

inline void ReceiveRequests::store_and_check(ReceiveRequest& request, std::span<const std::byte> data) {
  store(request, data);
  if (request.arrived == request.message_bytes) complete(request);
}

inline void ReceiveRequests::take_placed(ReceiveRequest& request, std::int64_t bytes) {
  request.arrived += bytes;
  if (!request.orphaned) request.cursor->skip(bytes);
  if (request.arrived == request.message_bytes) complete(request);
}

inline void ReceiveRequests::complete(ReceiveRequest& request) {
  if (request.orphaned) [[unlikely]]
    return end_orphan(request);
  if (request.message_bytes > request.capacity) [[unlikely]]
    request.failure = truncated(request);
  request.type = {};
  request.finish();
  if (request.disposed) [[unlikely]]
    pool_.give(&request);
}

}  // namespace starling::p2p
