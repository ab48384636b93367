// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ReceiveRequest: a receive in flight: its pattern while it waits, then where the message goes
// (p2p/protocol/receiver.hpp moves it).
#pragma once

#include <optional>

#include "datatype/pack/pack.hpp"
#include "p2p/matching/posted_queue.hpp"
#include "p2p/request/message.hpp"
#include "p2p/request/request.hpp"
#include "transport/single_copy.hpp"

namespace starling::p2p {

class Receiver;

class ReceiveRequest final : public Request, public PostedEntry {
 public:
  ReceiveRequest() noexcept : Request(RequestKind::kReceive) {}

  void dispose() override;
  void cancel() override;
  [[nodiscard]] observe::Awaited awaited() const override {
    observe::Awaited awaited = awaited_message(observe::AwaitedAs::kReceive, peer, pattern.tag, pattern.context_id);
    awaited.under_way = !queued;
    return awaited;
  }
  void give_up(const Status& why) override;

  Receiver* receiver = nullptr;
  bool disposed = false;
  bool orphaned = false;           ///< complete for its owner by a failure; what still arrives is dropped
  bool is_operand = false;         ///< see Message
  std::int64_t capacity = 0;       ///< bytes of data that the buffer takes
  std::int64_t message_bytes = 0;  ///< of the message that matched
  std::int64_t arrived = 0;        ///< of it, so far
  PeerId peer;                     ///< its sender, or none before any may match
  transport::CopyOffer offer;      ///< of the single copy under way
  std::uint64_t sender_cookie = 0;
  std::optional<datatype::UnpackCursor> cursor;
  Ref<const datatype::Datatype> type;

  using Request::reset;
};

}  // namespace starling::p2p
