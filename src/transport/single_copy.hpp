// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SingleCopy: long messages copied once, straight from the sender's memory to the receiver's, by both ends at once.
//
// The sender offers its memory and announces the message; the receiver opens the copy when it has matched it; then each
// end, whenever it is in the library, takes the next piece, so that two waiting cores share one copy.
// Thread safety: the caller holds its world's lock. Invariants: the memory of both ends stays valid until kDone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling::transport {

enum class CopyState : std::uint8_t {
  kWaiting,  ///< nothing to do for this end now
  kMoved,    ///< this end copied a piece
  kDone,     ///< all bytes have arrived
  kRefused,  ///< the kernel does not let this pair copy; send the message another way
  kGone,     ///< the sender has taken the message back
};

class SingleCopy {
 public:
  static constexpr std::uint32_t kNoDescriptor = ~std::uint32_t{0};

  virtual ~SingleCopy() = default;

  /// Sender: offers `source`; the number of a descriptor for the announcement, or kNoDescriptor when all are in use.
  virtual std::uint32_t offer(std::int32_t peer, const void* source) = 0;
  /// Sender: takes part once the receiver has opened the descriptor.
  virtual CopyState help(std::int32_t peer, std::uint32_t descriptor) = 0;
  /// Sender: takes the offer back. Only when the receiver has said that it wants the message another way.
  virtual void withdraw(std::int32_t peer, std::uint32_t descriptor) = 0;

  /// Sender: gives the message up. kGone: the receiver will not copy it, and the descriptor is free again.
  /// kWaiting: it has begun to copy; call help() until that ends. Else as help().
  virtual CopyState take_back(std::int32_t peer, std::uint32_t descriptor) = 0;

  /// Receiver: whether the kernel lets this process read the peer's memory. Probed once for each peer.
  virtual bool permitted(std::int32_t peer) = 0;
  /// Receiver: opens the sender's descriptor for `bytes` bytes into `destination`. False when the sender has taken the
  /// message back; the descriptor is closed then.
  virtual bool open(std::int32_t peer, std::uint32_t descriptor, void* destination, std::uint64_t bytes) = 0;
  /// Receiver: takes part.
  virtual CopyState advance(std::int32_t peer, std::uint32_t descriptor) = 0;
  /// Receiver: wants what is offered another way. False when the sender has taken the message back; the descriptor is
  /// closed then.
  virtual bool refuse(std::int32_t peer, std::uint32_t descriptor) = 0;
  /// Receiver: has dropped the message and will never ask for what is offered.
  virtual void decline(std::int32_t peer, std::uint32_t descriptor) = 0;
  /// Receiver: is through with the descriptor, after kDone.
  virtual void close(std::int32_t peer, std::uint32_t descriptor) = 0;

  /// Receiver without a descriptor: reads all bytes now, alone. False when the kernel refuses.
  virtual bool read(std::int32_t peer, std::uint64_t source, void* destination, std::uint64_t bytes) = 0;
};

}  // namespace starling::transport
