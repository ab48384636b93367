// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The memory of the own process, for long messages of a rank to itself and for its one-sided communication with itself:
// plain copies, always alone and at once. Thread safety: the world's lock.
#pragma once

#include "transport/remote_memory.hpp"
#include "transport/single_copy.hpp"

namespace starling::transport::self {

class SelfCopy final : public SingleCopy {
 public:
  /// The receiver reads whenever it has matched the message, so a message that may be withdrawn is not offered.
  CopyOffer offer(Address to, const void* source, std::uint64_t bytes, Withdrawal withdrawal) override;
  [[nodiscard]] bool is_joint(const CopyOffer&) const noexcept override { return false; }
  bool permitted(Address) override { return true; }
  bool read(Address from, const CopyOffer& offer, void* destination, std::uint64_t bytes) override;

  // Of joint offers only.
  CopyState help(Address, const CopyOffer&) override { return CopyState::kWaiting; }
  void withdraw(Address, const CopyOffer&) override {}
  CopyState take_back(Address, const CopyOffer&) override { return CopyState::kGone; }
  bool open(Address, const CopyOffer&, void*, std::uint64_t) override { return true; }
  CopyState advance(Address, const CopyOffer&) override { return CopyState::kRefused; }
  bool refuse(Address, const CopyOffer&) override { return true; }
  void decline(Address, const CopyOffer&) override {}
  void close(Address, const CopyOffer&) override {}
};

class SelfMemory final : public RemoteMemory {
 public:
  bool permitted(Address) override { return true; }
  bool gather(Address peer, std::span<const RemoteRun> from, void* to) override;
  bool scatter(Address peer, const void* from, std::span<const RemoteRun> to) override;
};

}  // namespace starling::transport::self
