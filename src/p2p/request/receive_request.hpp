// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ReceiveRequest: a receive in flight: its pattern while it waits, then where the message goes
// (p2p/protocol/receiver.hpp moves it).
#pragma once

#include <optional>

#include "datatype/pack.hpp"
#include "p2p/matching/posted_queue.hpp"
#include "p2p/request/request.hpp"

namespace starling::p2p {

class Receiver;

class ReceiveRequest final : public Request, public Posted {
 public:
  ReceiveRequest() noexcept : Request(RequestKind::kReceive) {}

  void dispose() override;
  void cancel() override;

  Receiver* receiver = nullptr;
  bool disposed = false;
  std::int64_t capacity = 0;       ///< bytes of data that the buffer takes
  std::int64_t message_bytes = 0;  ///< of the message that matched
  std::int64_t arrived = 0;        ///< of it, so far
  std::int32_t peer = -1;          ///< world rank of its sender
  std::uint32_t ticket = 0;        ///< of the long copy under way
  std::uint64_t sender_cookie = 0;
  std::optional<datatype::UnpackCursor> cursor;
  datatype::Ref<const datatype::Datatype> type;

  using Request::reset;
};

}  // namespace starling::p2p
