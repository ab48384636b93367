// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PutStream: the puts that one origin has on their way to a rank's private memory, in a ring of cache lines.
//
// An origin owns the stream from its first put until it has seen that all are done. It fills an entry and says kFull;
// the serving thread, whoever that is at the moment, copies one entry after the other to its place. So an origin does
// not wait for a put before it makes the next, and a short one is one line that travels. An origin that finds the
// stream owned by another rank goes another way, and none ever waits for it: a stream whose owner dies stays unused.
//
// Layout: an entry is a line with a state, the bytes and the address, and behind these the data where they fit, else in
// the lines that follow. Positions count lines, without end. The owner's line, the servant's and the line that the
// origin watches lie apart, so that a put and the sight of its end are two transfers of a line.
// All orders that C++ permits are tried in tests/weak_memory/put_streams_test.cpp.
// Thread safety: owner, any origin; entries and head, the owner; taken, whoever serves or has the kernel do it;
// done and what an entry holds, whoever has taken it.
// Invariants: the state of the line at head is kEmpty before the entry in front of it is kFull, so what a past entry
// has left there is never taken for one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"
#include "memory/job_segment.hpp"

namespace starling::rma {

struct PutStream {
  static constexpr std::uint32_t kLines = 512;
  /// A longer put goes another way, so that some fit.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{8} * 1024;
  enum State : std::uint32_t { kEmpty, kFull };

  struct alignas(kCacheLine) Entry {
    static constexpr std::uint32_t kInline = 48;
    std::atomic<std::uint32_t> state{kEmpty};
    std::uint32_t bytes = 0;
    std::uint64_t address = 0;
    std::byte data[kInline] = {};
  };
  static_assert(sizeof(Entry) == kCacheLine);

  alignas(kCacheLine) std::atomic<std::uint32_t> owner{0};  ///< local rank + 1; 0: nobody
  std::uint32_t head = 0;                                   ///< when it was given back last
  std::atomic<std::uint32_t> asker{0};                      ///< local rank + 1 of an owner that may sleep
  alignas(kCacheLine) std::atomic<std::uint32_t> taken{0};  ///< 1: somebody carries entries out
  alignas(kCacheLine) std::atomic<std::uint32_t> done{0};   ///< the position behind the last entry that is carried out
  Entry lines[kLines];

  static constexpr std::uint32_t lines_of(std::uint64_t bytes) noexcept {
    if (bytes <= Entry::kInline) return 1;
    return 1 + static_cast<std::uint32_t>((bytes + kCacheLine - 1) / kCacheLine);
  }
  [[nodiscard]] Entry& at(std::uint32_t position) noexcept { return lines[position % kLines]; }

  /// How data go into lines that the servant has read before: a store through the cache first asks its core for each.
  enum class Filling : std::uint8_t { kThroughCache, kPastCaches };
  /// By the owner, where lines_of(bytes) and one more are free from `position` on. Returns the next position.
  std::uint32_t add(std::uint32_t position, std::uint64_t address, const void* from, std::uint64_t bytes,
                    Filling filling) noexcept;
  /// Copies the data of an entry.
  void take_out(std::uint32_t position, void* to) noexcept;

  /// The rank's side, from any of its threads: carries out what there is. False: nothing. The first look may be at a
  /// line that others have carried out meanwhile and that holds data now; the next, with the right to serve, is not.
  bool serve(const memory::JobSegment& segment) noexcept {
    const Entry& next = at(done.load(std::memory_order_relaxed));
    return next.state.load(std::memory_order_relaxed) == kFull && take_and_serve(segment);
  }
  /// The right to carry out entries. acquire: what whoever had it before has done.
  [[nodiscard]] bool try_take() noexcept { return taken.exchange(1, std::memory_order_acquire) == 0; }
  void give_back() noexcept { taken.store(0, std::memory_order_release); }

 private:
  bool take_and_serve(const memory::JobSegment& segment) noexcept;
  std::uint32_t serve_some(std::uint32_t position) noexcept;
};

}  // namespace starling::rma
