// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// EventRing: the ring of a traced rank in the job segment. The rank writes its latest events, and never waits for the
// one that reads them; who comes late finds some overwritten, and their number.
//
// Thread safety: written by the owning rank only, under the world's lock; read by one reader, who keeps his place
// himself (EventReader). An event is eight relaxed atomic words. written grows behind an event with release; a reader
// copies and then looks at written again, behind an acquire fence: what may have been overwritten meanwhile counts as
// lost. The rank's release fence is the other end: who sees a word of an event sees that all before it were told. All
// orders that C++ permits are tried in tests/weak_memory/records_test.cpp.
// Layout: EventRingHead | counts | modules | events, the same in every process of a job. Modules: ModuleRecords, which
// only become more; module_bytes grows behind one with release.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/cpu.hpp"
#include "observe/event.hpp"

namespace starling::observe {

/// Which calls are timed.
enum class TraceMode : std::uint32_t {
  kOff = 0,
  kLong = 1,  ///< collectives, and calls that wait or move more than 1 KiB
  kAll = 2
};

struct alignas(kCacheLine) EventRingHead {
  std::atomic<std::uint64_t> written{0};           ///< events, so far
  std::atomic<std::uint64_t> open_begin_ticks{0};  ///< of the call that the rank is in, where that is known; else 0
  std::atomic<std::uint32_t> open_call{0};         ///< the timed call that the rank is in; 0: none
  std::atomic<std::uint32_t> module_bytes{0};      ///< written so far
  std::atomic<std::uint64_t> open_site{0};         ///< of open_call: Event::site
  std::uint64_t reserved[4] = {};
};
static_assert(sizeof(EventRingHead) == kCacheLine);

class EventRing {
 public:
  /// Calls are counted by function; there are fewer functions.
  static constexpr std::size_t kFunctions = 1024;
  /// Some 80 modules.
  static constexpr std::size_t kModuleBytes = 8192;
  static constexpr std::size_t kWords = sizeof(Event) / sizeof(std::uint64_t);

  /// Of a ring of so many events, a power of two.
  [[nodiscard]] static constexpr std::uint64_t bytes(std::uint32_t events) noexcept {
    return sizeof(EventRingHead) + kFunctions * sizeof(std::uint64_t) + kModuleBytes +
           std::uint64_t{events} * sizeof(Event);
  }

  EventRing() = default;
  /// memory: of bytes(events), zero at first.
  EventRing(std::byte* memory, std::uint32_t events) noexcept
      : head_(reinterpret_cast<EventRingHead*>(memory)),
        counts_(reinterpret_cast<std::atomic<std::uint64_t>*>(memory + sizeof(EventRingHead))),
        modules_(reinterpret_cast<std::byte*>(counts_ + kFunctions)),
        words_(reinterpret_cast<std::atomic<std::uint64_t>*>(modules_ + kModuleBytes)),
        events_(events) {}

  [[nodiscard]] bool exists() const noexcept { return head_ != nullptr; }
  [[nodiscard]] std::uint32_t capacity() const noexcept { return events_; }
  [[nodiscard]] EventRingHead& head() const noexcept { return *head_; }
  /// How often the rank has called a function.
  [[nodiscard]] std::atomic<std::uint64_t>& count(std::size_t function) const noexcept { return counts_[function]; }

  /// By the owner.
  [[gnu::always_inline]] void put(const Event& event) noexcept {
    const std::array<std::uint64_t, kWords> from = words_of(event);
    const std::uint64_t number = head_->written.load(std::memory_order_relaxed);
    std::atomic<std::uint64_t>* to = words_ + (number & (events_ - 1)) * kWords;
    // release: no word before the number of those that were told.
    std::atomic_thread_fence(std::memory_order_release);
    // One by one, so that the words go from registers to the ring.
    [&]<std::size_t... i>(std::index_sequence<i...> /*all*/) { (to[i].store(from[i], std::memory_order_relaxed), ...); }
    (std::make_index_sequence<kWords>());
    head_->written.store(number + 1, std::memory_order_release);
  }
  void count_call(std::size_t function) noexcept {
    std::atomic<std::uint64_t>& calls = counts_[function];
    calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// By the owner: a ModuleRecord with its path. False: there is no room for it.
  bool add_module(std::span<const std::byte> record) noexcept {
    const std::uint32_t before = head_->module_bytes.load(std::memory_order_relaxed);
    if (record.size() > kModuleBytes - before) return false;
    std::memcpy(modules_ + before, record.data(), record.size());
    head_->module_bytes.store(before + static_cast<std::uint32_t>(record.size()), std::memory_order_release);
    return true;
  }
  /// All modules that have been told.
  [[nodiscard]] std::span<const std::byte> modules() const noexcept {
    return {modules_, std::min<std::size_t>(head_->module_bytes.load(std::memory_order_acquire), kModuleBytes)};
  }

  /// What lies in memory. The words are put together in registers: to write the fields and to read them as words makes
  /// the processor wait for its own stores.
  [[nodiscard]] static constexpr std::array<std::uint64_t, kWords> words_of(const Event& event) noexcept {
    if constexpr (std::endian::native != std::endian::little)
      return std::bit_cast<std::array<std::uint64_t, kWords>>(event);
    const auto word = [](auto value, unsigned shift) {
      return std::uint64_t{static_cast<std::make_unsigned_t<decltype(value)>>(value)} << shift;
    };
    return {event.begin_ticks,
            event.end_ticks,
            word(static_cast<std::uint8_t>(event.kind), 0) | word(event.flags, 8) | word(event.call, 16) |
                word(event.context_id, 32),
            word(event.peer, 0) | word(event.tag, 32),
            event.bytes,
            event.sequence,
            event.site,
            word(event.skipped, 0) | word(event.thread, 32) | word(event.wait_kind, 48) | word(event.awaited_as, 56)};
  }

  /// The event of this number, whether or not it is still whole.
  [[nodiscard]] Event at(std::uint64_t number) const noexcept {
    std::array<std::uint64_t, kWords> copy{};
    const std::atomic<std::uint64_t>* from = words_ + (number & (events_ - 1)) * kWords;
    for (std::size_t i = 0; i < kWords; ++i) copy[i] = from[i].load(std::memory_order_relaxed);
    return std::bit_cast<Event>(copy);
  }

 private:
  EventRingHead* head_ = nullptr;
  std::atomic<std::uint64_t>* counts_ = nullptr;
  std::byte* modules_ = nullptr;
  std::atomic<std::uint64_t>* words_ = nullptr;
  std::uint32_t events_ = 0;
};
static_assert(sizeof(std::atomic<std::uint64_t>) == sizeof(std::uint64_t));
static_assert([] {
  constexpr Event kEach{1, 2, EventKind::kOpenCall, 3, 4, 5, -6, -7, 8, 9, 10, 11, 12, 13, 14};
  return EventRing::words_of(kEach) == std::bit_cast<std::array<std::uint64_t, EventRing::kWords>>(kEach);
}());

/// Reads a ring, from its first event on.
class EventReader {
 public:
  explicit EventReader(EventRing ring) noexcept : ring_(ring) {}

  /// What has come since the last time, at most so many; appended. The number of those that were overwritten before.
  std::uint64_t read(std::vector<Event>* events, std::size_t most);

 private:
  EventRing ring_;
  std::uint64_t next_ = 0;
};

}  // namespace starling::observe
