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
    if (is_busy_ && carried >= carried_) {
      bytes_ += carried - carried_;
      ns_ += now_ns - looked_ns_;
      if (waiting == 0) {
        // It was idle at the end: it is as fast as that, or faster.
        take(std::max(measured(), bytes_per_ns_));
      } else if (bytes_ >= kEnoughBytes || ns_ >= kEnoughNs) {
        take(bytes_per_ns_ == 0 ? measured() : (measured() + bytes_per_ns_) / 2);
      }
    }
    carried_ = carried;
    looked_ns_ = now_ns;
    is_busy_ = waiting != 0;
  }
  /// Something was handed to it after the look.
  void note_handed() noexcept { is_busy_ = true; }

  [[nodiscard]] double bytes_per_ns() const noexcept { return bytes_per_ns_ == 0 ? kUnknown : bytes_per_ns_; }

 private:
  static constexpr std::uint64_t kEnoughBytes = 64 * 1024;
  static constexpr std::int64_t kEnoughNs = 1'000'000;
  static constexpr double kSlowest = 1e-4;  ///< 100 kB/s: a link that is slower is as good as none

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
  bool is_busy_ = false;
  std::uint64_t bytes_ = 0;  ///< of the measurement that is under way
  std::int64_t ns_ = 0;
};

}  // namespace starling::transport::tcp
