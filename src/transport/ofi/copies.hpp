// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Copies: long messages that the receiver reads from the sender's memory, by the provider (FI_RMA). The sender
// registers the memory and offers its address and key; the receiver reads it in the background, and tells the sender
// when it has all of it (FrameType::kCopied).
//
// An offer is taken back by an end of the registration, by which reads that are under way fail too.
//
// Thread safety: the world's lock. Invariants: no two offers to a peer are equal while it may tell of one; none is made
// where the job goes on when processes die; memory that is read into stays valid until the read is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/ofi/fabric.hpp"
#include "transport/single_copy.hpp"

namespace starling::transport::ofi {

class Copies final : public SingleCopy {
 public:
  class Host {
   public:
    /// Where the provider knows the peer.
    [[nodiscard]] virtual Place place_of(Address peer) const = 0;
    /// Whether the peer can be told of an offer now.
    [[nodiscard]] virtual bool has_room(Address peer) const = 0;
    /// What the peer has offered has been read.
    virtual void tell_copied(Address peer, const CopyOffer& offer) = 0;
    /// Looks for completions.
    virtual void look() = 0;

   protected:
    ~Host() = default;
  };

  Copies(Fabric& fabric, Host& host) noexcept : fabric_(fabric), host_(host) {}

  CopyOffer offer(Address to, const void* source, std::uint64_t bytes, Withdrawal withdrawal) override;
  [[nodiscard]] bool is_joint(const CopyOffer& /*offer*/) const noexcept override { return true; }
  CopyState help(Address to, const CopyOffer& offer) override;
  void withdraw(Address to, const CopyOffer& offer) override;
  CopyState take_back(Address to, const CopyOffer& offer) override;
  bool open(Address from, const CopyOffer& offer, void* destination, std::uint64_t bytes) override;
  CopyState advance(Address from, const CopyOffer& offer) override;
  bool refuse(Address /*from*/, const CopyOffer& /*offer*/) override { return true; }
  void decline(Address /*from*/, const CopyOffer& /*offer*/) override {}
  void close(Address /*from*/, const CopyOffer& /*offer*/) override {}
  bool permitted(Address /*from*/) override { return fabric_.longest_read() != 0; }
  bool read(Address /*from*/, const CopyOffer& /*offer*/, void* /*destination*/, std::uint64_t /*bytes*/) override {
    return false;
  }

  /// The peer has read what was offered to it.
  void note_copied(Address by, const CopyOffer& offer);
  /// A read is complete.
  void note_read(Buffer& buffer, bool failed) noexcept;
  /// Whether anything is being read.
  [[nodiscard]] bool is_reading() const noexcept { return !incoming_.empty(); }

 private:
  struct Outgoing {
    Address to;
    CopyOffer offer;
    std::unique_ptr<Registration> memory;
    bool copied = false;
    bool taken_back = false;  ///< it is kept until the peer tells of it, if it does
  };
  struct Incoming {
    Buffer buffer;  ///< of the reads
    Address from;
    CopyOffer offer;
    std::byte* destination = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t asked = 0;  ///< how many of them the provider reads or has read
    std::uint32_t under_way = 0;
    bool failed = false;
    std::unique_ptr<Registration> memory;
  };

  [[nodiscard]] Outgoing* outgoing(Address to, const CopyOffer& offer) noexcept;
  [[nodiscard]] Incoming* incoming(Address from, const CopyOffer& offer) noexcept;
  /// Reads as much as the provider takes now.
  void ask(Incoming& copy);

  Fabric& fabric_;
  Host& host_;
  std::vector<Outgoing> outgoing_;
  std::vector<std::unique_ptr<Incoming>> incoming_;
  std::uint32_t in_vain_ = 0;
};

}  // namespace starling::transport::ofi
