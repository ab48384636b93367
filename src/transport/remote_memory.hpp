// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RemoteMemory: reading and writing another process's memory without its help, for whoever knows its addresses
// (one-sided communication).
// Thread safety: the caller holds its world's lock. Invariants: gather and scatter only where permitted.
#pragma once

#include <cstdint>
#include <span>

#include "transport/address.hpp"

namespace starling::transport {

/// A stretch of another process's memory.
struct RemoteRun {
  std::uint64_t address;
  std::uint64_t bytes;
};

class RemoteMemory {
 public:
  virtual ~RemoteMemory() = default;

  /// Whether the machine lets this process copy from and to the peer's memory. Probed once for each peer.
  virtual bool permitted(Address peer) = 0;

  // Both are false when the kernel refuses, as it does for addresses where the peer has no memory.
  /// Reads the runs one after the other into `to`.
  virtual bool gather(Address peer, std::span<const RemoteRun> from, void* to) = 0;
  /// Writes what lies at `from` to the runs.
  virtual bool scatter(Address peer, const void* from, std::span<const RemoteRun> to) = 0;
};

}  // namespace starling::transport
