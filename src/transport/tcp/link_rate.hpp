// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LinkRate: how fast a link carries what is handed to it, measured while it is busy. Thread safety: a value.
#pragma once

#include <algorithm>
#include <cstdint>

namespace starling::transport::tcp {

class LinkRate {
 public:
  /// Of one that has not been measured: it is tried.
  static constexpr double kUnknown = 10.0;

  /// waiting: bytes that were handed to it and that the other machine has not acknowledged.
  void look(std::uint64_t handed, std::uint64_t waiting, std::int64_t now_ns) noexcept {
    const std::uint64_t carried = handed - std::min(handed, waiting);
    if (was_busy_ && carried >= carried_) {
      bytes_ += carried - carried_;
      ns_ += now_ns - looked_ns_;
      if (waiting < kRest) {
        // It may have been idle at the end: it is as fast as that, or faster.
        take(std::max(measured(), bytes_per_ns_));
      } else if (bytes_ >= kEnoughBytes || ns_ >= kEnoughNs) {
        take(bytes_per_ns_ == 0 ? measured() : (measured() + bytes_per_ns_) / 2);
      }
    } else {
      bytes_ = 0;
      ns_ = 0;
    }
    carried_ = carried;
    looked_ns_ = now_ns;
    was_busy_ = waiting >= kEnoughBytes;
    if (was_busy_) used_ns_ = now_ns;
  }
  /// A piece was handed to it after the look.
  void note_handed() noexcept { was_busy_ = true; }

  /// As it was when it was used last; what has not been used for long may have become faster.
  [[nodiscard]] double bytes_per_ns() const noexcept {
    if (bytes_per_ns_ == 0) return kUnknown;
    return bytes_per_ns_ * (1 + kGrowth * static_cast<double>(looked_ns_ - used_ns_));
  }

 private:
  /// With so much that waits a link is busy. Less may be what the other machine has not acknowledged for it waits for
  /// more.
  static constexpr std::uint64_t kEnoughBytes = 64 * 1024;
  static constexpr std::uint64_t kRest = 32 * 1024;
  static constexpr std::int64_t kEnoughNs = 1'000'000;
  static constexpr double kSlowest = 1e-3;  ///< 1 MB/s
  static constexpr double kGrowth = 2e-9;   ///< three times in a second

  [[nodiscard]] double measured() const noexcept {
    return static_cast<double>(bytes_) / static_cast<double>(std::max<std::int64_t>(ns_, 1));
  }
  void take(double bytes_per_ns) noexcept {
    if (bytes_ != 0 || ns_ >= kEnoughNs) bytes_per_ns_ = std::max(bytes_per_ns, kSlowest);
    bytes_ = 0;
    ns_ = 0;
  }

  double bytes_per_ns_ = 0;
  std::uint64_t carried_ = 0;
  std::int64_t looked_ns_ = 0;
  std::int64_t used_ns_ = 0;  ///< the last look that found it busy
  bool was_busy_ = false;
  std::uint64_t bytes_ = 0;  ///< of the measurement that is under way
  std::int64_t ns_ = 0;
};

}  // namespace starling::transport::tcp
