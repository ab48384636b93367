// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HandleTable: the objects behind the handles of one kind (communicators, requests, ...) of one rank.
//
// A handle is a number, not an address: a freed or invented one is found out by one comparison and never followed.
// Layout of a handle: bit 30 set | 8 bits of generation | 22 bits of index. It is therefore larger than every
// predefined handle of the ABI (below 0x1000), fits a positive int (MPI_Comm_toint) and is never zero.
//
// Thread safety: the holder of the world's lock. Objects stay where they are until they are erased.
// Invariants: a slot's handle is 0 while it is free; each reuse of a slot has another generation than the 255 before
// it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace starling::mpi {

template <typename T>
class HandleTable {
 public:
  using Value = std::uintptr_t;
  static constexpr Value kMark = Value{1} << 30;
  static constexpr std::uint32_t kIndexBits = 22;
  static constexpr std::uint32_t kCapacity = 1U << kIndexBits;

  /// The object behind a handle, or null when there is none.
  [[nodiscard]] T* find(Value handle) noexcept {
    const std::uint32_t index = static_cast<std::uint32_t>(handle) & (kCapacity - 1);
    if (index >= slots_ || handle == 0) [[unlikely]]
      return nullptr;
    Slot& slot = at(index);
    return slot.handle == handle ? &slot.object : nullptr;
  }
  template <typename Handle>
  [[nodiscard]] T* find(Handle* handle) noexcept {
    return find(reinterpret_cast<Value>(handle));
  }

  /// Keeps an object and returns its handle; 0 when kCapacity objects are alive.
  [[nodiscard]] Value insert(T object) {
    if (free_ == kNone && !grow()) return 0;
    const std::uint32_t index = free_;
    Slot& slot = at(index);
    free_ = slot.next_free;
    slot.object = std::move(object);
    slot.handle = kMark | (Value{slot.generation} << kIndexBits) | index;
    ++alive_;
    return slot.handle;
  }

  /// Forgets a handle that find() has just found; what its object owns is let go.
  void erase(Value handle) noexcept {
    const std::uint32_t index = static_cast<std::uint32_t>(handle) & (kCapacity - 1);
    Slot& slot = at(index);
    slot.handle = 0;
    ++slot.generation;
    slot.next_free = free_;
    free_ = index;
    --alive_;
    // Last: what the object's destructor calls may look at this table.
    if constexpr (!std::is_trivially_destructible_v<T>) {
      [[maybe_unused]] const T dropped = std::exchange(slot.object, T{});
    }
  }
  template <typename Handle>
  void erase(Handle* handle) noexcept {
    erase(reinterpret_cast<Value>(handle));
  }

  [[nodiscard]] std::uint32_t alive() const noexcept { return alive_; }

  /// Calls visit(handle, object) for each object; visit may erase the object it is given.
  template <typename Visit>
  void for_each(Visit&& visit) {
    for (std::uint32_t index = 0; index < slots_; ++index) {
      if (Slot& slot = at(index); slot.handle != 0) visit(slot.handle, slot.object);
    }
  }

 private:
  static constexpr std::uint32_t kChunkBits = 7;
  static constexpr std::uint32_t kChunk = 1U << kChunkBits;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Slot {
    T object{};
    Value handle = 0;
    std::uint32_t next_free = kNone;
    std::uint8_t generation = 0;
  };

  Slot& at(std::uint32_t index) noexcept { return (*chunks_[index >> kChunkBits])[index & (kChunk - 1)]; }

  bool grow() {
    if (slots_ == kCapacity) return false;
    chunks_.push_back(std::make_unique<std::array<Slot, kChunk>>());
    for (std::uint32_t index = slots_ + kChunk; index-- > slots_;) {
      Slot& slot = (*chunks_.back())[index & (kChunk - 1)];
      slot.next_free = free_;
      free_ = index;
    }
    slots_ += kChunk;
    return true;
  }

  std::vector<std::unique_ptr<std::array<Slot, kChunk>>> chunks_;
  std::uint32_t slots_ = 0;
  std::uint32_t free_ = kNone;
  std::uint32_t alive_ = 0;
};

/// The number behind a handle.
template <typename Handle>
[[nodiscard]] std::uintptr_t value_of(Handle* handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// The handle with this number.
template <typename Handle>
[[nodiscard]] Handle to_handle(std::uintptr_t value) noexcept {
  return reinterpret_cast<Handle>(value);
}

}  // namespace starling::mpi
