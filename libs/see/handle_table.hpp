// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HandleTable: what is known of the handles of one kind, found without a lock and without a call of MPI.
//
// **Thread safety**: any thread may find; who inserts and erases holds the caller's lock. MPI forbids to use a handle
// while it is freed, so nobody reads what is erased. **Invariants**: a full table takes nothing more; what is not
// found is not known.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace starling::see {

template <typename Value, std::size_t kSlots>
class HandleTable {
 public:
  /// bits: of the handle. Null: nothing is known of it.
  [[nodiscard]] Value* find(std::uintptr_t bits) noexcept {
    for (std::size_t step = 0; step < kReach; ++step) {
      Slot& slot = at(bits, step);
      const std::uintptr_t key = slot.key.load(std::memory_order_acquire);
      if (key == bits) return &slot.value;
      if (key == kNever) return nullptr;
    }
    return nullptr;
  }

  /// Null: there is no room near.
  Value* insert(std::uintptr_t bits, const Value& value) {
    for (std::size_t step = 0; step < kReach; ++step) {
      Slot& slot = at(bits, step);
      const std::uintptr_t key = slot.key.load(std::memory_order_relaxed);
      if (key != kNever && key != kErased && key != bits) continue;
      slot.value = value;
      // release: who finds the key reads the value.
      slot.key.store(bits, std::memory_order_release);
      return &slot.value;
    }
    return nullptr;
  }

  void erase(std::uintptr_t bits) noexcept {
    for (std::size_t step = 0; step < kReach; ++step) {
      std::atomic<std::uintptr_t>& key = at(bits, step).key;
      if (key.load(std::memory_order_relaxed) == bits) key.store(kErased, std::memory_order_relaxed);
    }
  }

 private:
  // Neither is a handle: the lowest bits of pointers and of MPICH's integers differ.
  static constexpr std::uintptr_t kNever = 0;
  static constexpr std::uintptr_t kErased = ~std::uintptr_t{0};
  static constexpr std::size_t kReach = 32;
  static_assert((kSlots & (kSlots - 1)) == 0 && kReach <= kSlots);

  struct Slot {
    std::atomic<std::uintptr_t> key{kNever};
    Value value{};
  };

  [[nodiscard]] Slot& at(std::uintptr_t bits, std::size_t step) noexcept {
    const std::uint64_t mixed = std::uint64_t{bits} * 0x9e3779b97f4a7c15;
    return slots_[((mixed >> 40) + step) & (kSlots - 1)];
  }

  std::array<Slot, kSlots> slots_{};
};

}  // namespace starling::see
