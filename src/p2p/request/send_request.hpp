// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SendRequest: a send in flight and the state of its protocol (p2p/protocol/sender.hpp moves it).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "datatype/pack/pack.hpp"
#include "p2p/request/message.hpp"
#include "p2p/request/request.hpp"
#include "transport/transport.hpp"

namespace starling::p2p {

class Sender;

/// How an eager message of more than 4 KiB goes.
enum class CopyWay : std::uint8_t {
  kThroughBuffers,  ///< of the transport, copied by both ends
  kOnce,            ///< copied by the receiver, straight from the sender's memory
};

class SendRequest final : public Request {
 public:
  enum class Phase : std::uint8_t {
    kFresh,      ///< nothing has left; the protocol is not chosen yet
    kStreaming,  ///< eager packets leave one by one
    kAnnounced,  ///< the receiver knows; it will fetch, ask for data, or open the offer to copy
    kData,       ///< asked for: packets leave one by one
    kSync,       ///< all has left; waits for the match
    kDone,
  };

  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

  SendRequest() noexcept : Request(RequestKind::kSend) {}

  void dispose() override;
  void cancel() override;
  [[nodiscard]] observe::Awaited awaited() const override {
    observe::Awaited awaited = awaited_message(observe::AwaitedAs::kSend, peer, header.tag, header.context_id);
    awaited.under_way = phase == Phase::kStreaming || phase == Phase::kData;
    return awaited;
  }
  void give_up(const Status& why) override;

  [[nodiscard]] std::uint64_t cookie() const noexcept { return std::uint64_t{use} << 32 | slot; }

  Sender* sender = nullptr;
  Phase phase = Phase::kDone;
  bool synchronous = false;
  bool copied_once = false;  ///< nobody chooses the way
  bool disposed = false;     ///< the handle was given back early; recycle on completion
  bool orphaned = false;     ///< complete for its owner by a failure; the receiver's protocol has not come to its end
  std::uint32_t slot = kNoSlot;  ///< its place in the sender's pool
  std::uint32_t use = 0;         ///< how often it has been begun: cookies name one use
  PeerId peer;
  transport::CopyOffer offer;  ///< that both ends copy, while that may be; else none
  std::optional<CopyWay> way;  ///< once chosen
  transport::PacketHeader header;
  std::int64_t bytes = 0;
  std::uint64_t receiver_cookie = 0;
  std::int64_t packet_left = 0;  ///< bytes of a packet that has begun
  std::optional<datatype::PackCursor> cursor;
  std::unique_ptr<std::byte[]> unsent;  ///< of an orphaned one: what is still to be sent
  Ref<const datatype::Datatype> type;   ///< held while packing needs it

  using Request::reset;
};

}  // namespace starling::p2p
