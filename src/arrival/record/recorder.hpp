// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the program's collective calls cost this process: a table by communicator, operation, size class and call site,
// cheap enough to be always on.
//
// Thread safety: any thread may note.
// Invariants: kSites is a power of two; where a table is full it drops new sites, never old ones. Sites are told apart
// by 64 bits that are mixed from all of what makes them, so that one comparison finds them.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace starling::arrival {

/// A call as it begins.
struct Noticed {
  const void* address;     ///< where the program goes on after it
  std::uint64_t comm;      ///< whatever tells communicators apart
  const char* operation;   ///< a constant: the same pointer for the same operation
  std::uint64_t elements;  ///< up to twice as many are of one size class
};

struct Site {
  std::atomic<std::uint64_t> key{0};
  std::atomic<const void*> address{nullptr};
  std::atomic<const char*> operation{""};
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
  static constexpr std::size_t kSites = 512;

  /// Notes a call as it begins; nullptr if there is no room. The site says whether this call is to be timed.
  Site* begin(const Noticed& call) noexcept {
    const std::uint64_t key = key_of(call);
    std::size_t at = static_cast<std::size_t>(key >> 40) % kSites;
    for (std::size_t tries = 0; tries < kTries; ++tries, at = (at + 1) % kSites) {
      Site& site = sites_[at];
      std::uint64_t there = site.key.load(std::memory_order_relaxed);
      if (there == 0 && site.key.compare_exchange_strong(there, key, std::memory_order_relaxed)) {
        site.address.store(call.address, std::memory_order_relaxed);
        site.operation.store(call.operation, std::memory_order_relaxed);
        there = key;
      }
      if (there != key) continue;
      add(site.calls, 1);
      add(site.elements, call.elements);
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
  /// Never 0.
  static std::uint64_t key_of(const Noticed& call) noexcept {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
    const auto size_class = static_cast<std::uint64_t>(std::bit_width(call.elements));
    std::uint64_t key = reinterpret_cast<std::uintptr_t>(call.address) * kMix;
    key = (key ^ (key >> 32) ^ reinterpret_cast<std::uintptr_t>(call.operation)) * kMix;
    key = (key ^ (key >> 32) ^ (call.comm << 6) ^ size_class) * kMix;
    return key | 1;
  }

  static constexpr std::size_t kTries = 32;
  static constexpr std::uint64_t kAllTimed = 64;
  static constexpr std::uint64_t kOneIn = 8;

  std::array<Site, kSites> sites_{};
};

/// A noted call, from its begin to its end, by the caller's clock; of a null site nothing is noted.
template <auto kClock>
class Timed {
 public:
  explicit Timed(Site* site) noexcept : site_(site != nullptr && Recorder::is_timed(*site) ? site : nullptr) {
    if (site_ != nullptr) begin_ = kClock();
  }
  ~Timed() {
    if (site_ != nullptr) Recorder::end(site_, kClock() - begin_);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Site* site_;
  std::uint64_t begin_ = 0;
};

}  // namespace starling::arrival
