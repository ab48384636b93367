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

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <ctime>
#endif

namespace starling::pap {

enum class Operation : std::uint8_t { kReduce, kAllreduce, kBcast, kGather, kScatter, kAllgather, kBarrier, kAlltoall };
inline constexpr const char* kOperationNames[] = {"Reduce",  "Allreduce", "Bcast",   "Gather",
                                                  "Scatter", "Allgather", "Barrier", "Alltoall"};

/// Some cycles instead of the twenty nanoseconds of clock_gettime.
inline std::uint64_t cycles() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
#endif
}

struct Site {
  std::atomic<const void*> address{nullptr};  ///< where the program goes on after the call
  Operation operation{};
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> cycles{0};
  std::atomic<std::uint64_t> elements{0};
};

class Recorder {
 public:
  static constexpr std::size_t kSites = 1024;

  void note(const void* address, Operation operation, std::uint64_t elements, std::uint64_t cycles) noexcept {
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
      add(site.cycles, cycles);
      add(site.elements, elements);
      return;
    }
  }

  [[nodiscard]] const std::array<Site, kSites>& sites() const noexcept { return sites_; }

 private:
  /// Not an atomic addition, which would cost more than all the rest: threads that note the same site at once lose a
  /// count.
  static void add(std::atomic<std::uint64_t>& sum, std::uint64_t value) noexcept {
    sum.store(sum.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  static std::size_t place(const void* address) noexcept {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15) >> 54) % kSites;
  }

  std::array<Site, kSites> sites_{};
};

}  // namespace starling::pap
