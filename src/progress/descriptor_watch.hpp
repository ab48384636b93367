// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// DescriptorWatch: what a thread sleeps on until a descriptor is readable, or until another thread stirs it. A
// descriptor counts once for each arm() (EPOLLONESHOT), so a thread that does not sleep is not woken either.
// Thread safety: wait() and stir() by any thread; the rest: the world's lock. Invariant: in a forked child, which has
// the same epoll object as its parent, forget() leaves that alone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "transport/wake_source.hpp"

namespace starling::progress {

class DescriptorWatch {
 public:
  enum class Woken : std::uint8_t { kByDescriptor, kStirred, kFailed };

  DescriptorWatch() = default;
  ~DescriptorWatch();
  DescriptorWatch(const DescriptorWatch&) = delete;
  DescriptorWatch& operator=(const DescriptorWatch&) = delete;

  /// Must be called before the rest. False when the system has no descriptor left; may be called again.
  [[nodiscard]] bool open();
  /// From now on wait() returns when a source has something. False: one has something already, or cannot be watched.
  [[nodiscard]] bool arm(std::span<transport::WakeSource* const> sources);
  void forget(const transport::WakeSource& source) noexcept;
  Woken wait() noexcept;
  /// Ends the wait() that is under way, or else the next; until calm().
  void stir() noexcept;
  void calm() noexcept;

 private:
  [[nodiscard]] bool watch(int descriptor) const noexcept;

  int epoll_ = -1;
  int stirred_ = -1;  ///< an event
  pid_t process_ = 0;
};

}  // namespace starling::progress
