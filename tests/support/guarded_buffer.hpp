// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// GuardedBuffer: a receive buffer that knows when something was written before or behind it.
#pragma once

#include <cstddef>
#include <vector>

#include "support/pattern.hpp"

namespace starling::tests {

class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t bytes) : bytes_(bytes), storage_(bytes + 2 * kGuard, kUntouched) {}

  [[nodiscard]] unsigned char* data() { return storage_.data() + kGuard; }
  [[nodiscard]] std::size_t size() const { return bytes_; }

  /// Whether the first `bytes` hold the pattern of the key and nothing else was touched.
  [[nodiscard]] bool holds(std::uint64_t key, std::size_t bytes) const {
    return first_wrong_byte(storage_.data() + kGuard, bytes, key) < 0 && untouched(0, kGuard) &&
           untouched(kGuard + bytes, storage_.size());
  }
  [[nodiscard]] bool holds(std::uint64_t key) const { return holds(key, bytes_); }

  void clear() { storage_.assign(storage_.size(), kUntouched); }

 private:
  static constexpr std::size_t kGuard = 64;
  static constexpr unsigned char kUntouched = 0xa5;

  [[nodiscard]] bool untouched(std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i) {
      if (storage_[i] != kUntouched) return false;
    }
    return true;
  }

  std::size_t bytes_;
  std::vector<unsigned char> storage_;
};

}  // namespace starling::tests
