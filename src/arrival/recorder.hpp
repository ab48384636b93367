// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the program's collective calls cost this process: a table by call site, cheap enough to be always on.
//
// Thread safety: any thread may note.
// Invariants: kSites is a power of two; a full table drops new sites, never old ones.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace starling::arrival {

struct Site {
  std::atomic<const void*> address{nullptr};  ///< where the program goes on after the call
  const char* operation = "";
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> timed{0};   ///< calls
  std::atomic<std::uint64_t> cycles{0};  ///< of the timed calls
  std::atomic<std::uint64_t> elements{0};

  /// Of all calls, from those that were timed.
  [[nodiscard]] double estimated_cycles() const noexcept {
    return timed == 0 ? 0 : static_cast<double>(cycles) * static_cast<double>(calls) / static_cast<double>(timed);
  }
};

class Recorder {
 public:
  static constexpr std::size_t kSites = 256;

  /// Notes a call as it begins; nullptr if the table is full. The site says whether this call is to be timed. The
  /// operation is a constant.
  Site* begin(const void* address, const char* operation, std::uint64_t elements) noexcept {
    std::size_t at = place(address);
    for (std::size_t tries = 0; tries < kSites; ++tries, at = (at + 1) % kSites) {
      Site& site = sites_[at];
      const void* there = site.address.load(std::memory_order_relaxed);
      if (there == nullptr && site.address.compare_exchange_strong(there, address, std::memory_order_relaxed)) {
        site.operation = operation;
        there = address;
      }
      if (there != address) continue;
      add(site.calls, 1);
      add(site.elements, elements);
      return &site;
    }
    return nullptr;
  }

  /// The first calls of a site are all timed, then one in eight, for a look at the clock costs more than all the rest.
  static bool is_timed(const Site& site) noexcept {
    const std::uint64_t calls = site.calls.load(std::memory_order_relaxed);
    return calls <= kAllTimed || calls % kOneIn == 0;
  }
  static void end(Site* site, std::uint64_t cycles) noexcept {
    add(site->cycles, cycles);
    add(site->timed, 1);
  }

  [[nodiscard]] const std::array<Site, kSites>& sites() const noexcept { return sites_; }

 private:
  /// Not an atomic addition, which would cost more than all the rest: threads that note the same site at once lose a
  /// count.
  static void add(std::atomic<std::uint64_t>& sum, std::uint64_t value) noexcept {
    sum.store(sum.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  static std::size_t place(const void* address) noexcept {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15) >> 56) % kSites;
  }

  static constexpr std::uint64_t kAllTimed = 64;
  static constexpr std::uint64_t kOneIn = 8;

  std::array<Site, kSites> sites_{};
};

}  // namespace starling::arrival
