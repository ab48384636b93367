// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Numbers for places in a program that are the same in all its processes, wherever they were loaded.
//
// Thread safety: one owner at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace starling::collective {

class SiteIds {
 public:
  /// Of an address in the program: its distance from where its file was loaded, mixed with the file's name. 0 for none.
  [[nodiscard]] std::uint64_t of(const void* address) noexcept {
    if (address == nullptr) return 0;
    Known& known = known_[(reinterpret_cast<std::uintptr_t>(address) * kMix >> kShift) % known_.size()];
    if (known.address != address) known = {address, look_up(address)};
    return known.id;
  }

 private:
  static constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
  static constexpr int kShift = 40;

  struct Known {
    const void* address = nullptr;
    std::uint64_t id = 0;
  };
  static std::uint64_t look_up(const void* address) noexcept;

  std::array<Known, 64> known_;
};

}  // namespace starling::collective
