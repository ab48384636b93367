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

#include "transport/address.hpp"

namespace starling::transport {

enum class CopyState : std::uint8_t {
  kWaiting,  ///< nothing to do for this end now
  kMoved,    ///< this end copied a piece
  kDone,     ///< all bytes have arrived
  kRefused,  ///< the kernel does not let this pair copy; send the message another way
  kGone,     ///< the sender has taken the message back
};

/// What the sender announces, so that the receiver can copy. Opaque: only the transport that made it reads it.
struct CopyOffer {
  std::uint64_t words[2] = {0, 0};

  /// There is nothing to copy directly.
  [[nodiscard]] bool is_none() const noexcept { return words[0] == 0 && words[1] == 0; }
  friend bool operator==(const CopyOffer&, const CopyOffer&) = default;
};
static_assert(sizeof(CopyOffer) == 16, "offers travel between processes");

class SingleCopy {
 public:
  /// What a sender needs of its offer.
  enum class Withdrawal : std::uint8_t {
    kNever,     ///< it never takes the message back, so that the receiver may copy alone
    kPossible,  ///< the job goes on when processes die
  };

  virtual ~SingleCopy() = default;

  /// Sender: offers so many bytes of `source`. None when no offer of this kind can be made now.
  virtual CopyOffer offer(Address to, const void* source, std::uint64_t bytes, Withdrawal withdrawal) = 0;
  /// Either end: whether both ends take part until the copy is over. Otherwise the receiver reads alone (read) and says
  /// by a packet that it is through.
  [[nodiscard]] virtual bool is_joint(const CopyOffer& offer) const noexcept = 0;

  // Of joint offers only.
  /// Sender: takes part once the receiver has opened the offer.
  virtual CopyState help(Address to, const CopyOffer& offer) = 0;
  /// Sender: takes the offer back. Only when the receiver has said that it wants the message another way.
  virtual void withdraw(Address to, const CopyOffer& offer) = 0;
  /// Sender: gives the message up. kGone: the receiver will not copy it, and the offer is over. kWaiting: it has begun
  /// to copy; call help() until that ends. Else as help().
  virtual CopyState take_back(Address to, const CopyOffer& offer) = 0;
  /// Receiver: opens the offer for `bytes` bytes into `destination`. False when the sender has taken the message back;
  /// the offer is over then.
  virtual bool open(Address from, const CopyOffer& offer, void* destination, std::uint64_t bytes) = 0;
  /// Receiver: takes part.
  virtual CopyState advance(Address from, const CopyOffer& offer) = 0;
  /// Receiver: wants what is offered another way. False when the sender has taken the message back; the offer is over
  /// then.
  virtual bool refuse(Address from, const CopyOffer& offer) = 0;
  /// Receiver: has dropped the message and will never ask for what is offered.
  virtual void decline(Address from, const CopyOffer& offer) = 0;
  /// Receiver: is through with the offer, after kDone.
  virtual void close(Address from, const CopyOffer& offer) = 0;

  /// Whether take() is there.
  [[nodiscard]] virtual bool can_take() const noexcept { return false; }
  /// Receiver: opens the offer, copies all of it at once, alone, and closes it: kDone, kGone or kRefused. Only where
  /// permitted().
  virtual CopyState take(Address /*from*/, const CopyOffer& /*offer*/, void* /*destination*/, std::uint64_t /*bytes*/) {
    return CopyState::kRefused;
  }

  /// Receiver: whether the machine lets this process read the peer's memory. Probed once for each peer.
  virtual bool permitted(Address from) = 0;
  /// Receiver, of an offer that is not joint: reads all bytes now, alone. False when the kernel refuses.
  virtual bool read(Address from, const CopyOffer& offer, void* destination, std::uint64_t bytes) = 0;
};

}  // namespace starling::transport
