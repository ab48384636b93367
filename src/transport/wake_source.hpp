// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WakeSource: how a transport whose peers cannot ring a doorbell in shared memory wakes a rank that sleeps: by a
// descriptor that becomes readable. progress/ watches it while the rank sleeps.
// Thread safety: the holder of the world's lock, but the descriptor may be polled by any thread.
#pragma once

namespace starling::transport {

class WakeSource {
 public:
  /// Readable when a poll of the transport may find something. The same for as long as the transport lives.
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
  /// The rank is about to sleep: from now on the descriptor must become readable when anything arrives or room is made.
  /// False: something is there already, so the rank must poll again.
  virtual bool arm() = 0;

 protected:
  ~WakeSource() = default;
};

}  // namespace starling::transport
