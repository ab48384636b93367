// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Entry: what a process keeps of one element: where it is (directory.hpp), its object if that is here, and what moves
// with it. EntryTable: entries by index.
//
// **Thread safety**: none. **Invariants**: entries do not move in memory; one is dropped only when nothing waits for
// it, no queued message points to it, and no other process may count on it (Location::may_forget); is_here and object
// are set together. Source: O. Lawlor, L. Kalé, Supporting Dynamic Parallel Object Arrays, ISCOPE 2001, section 4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <starling/array/core.hpp>
#include <string>
#include <vector>

#include "directory/directory.hpp"
#include "extras.hpp"
#include "message.hpp"

namespace starling::array::detail {

class Elements;

struct Entry : Location {
  explicit Entry(const Index& name) : index(name) {}
  Extras& extra() {
    if (!extras) extras = std::make_unique<Extras>();
    return *extras;
  }

  static constexpr float kUnmeasured = -1;  // has not worked since it was made
  /// A process's number has as many bits as the entry has left.
  static constexpr int kMostProcesses = 1 << 22;
  /// Throws Error where a session has more.
  static void must_have_room_for(int processes) {
    if (processes <= kMostProcesses) return;
    throw Error("a session of " + std::to_string(processes) +
                " processes: an element can only be sent to one of the first " + std::to_string(kMostProcesses) +
                ", so make the session of a part of them");
  }
  int bound_for() const { return static_cast<int>(bound_for_high << 16 | bound_for_low); }
  void leave_for(int process) {
    bound_for_high = static_cast<std::uint32_t>(process) >> 16 & 0x3f;
    bound_for_low = static_cast<std::uint16_t>(process & 0xffff);
  }
  void add_load(double seconds) { load_us = std::max(load_us, 0.0f) + static_cast<float>(seconds * 1e6); }

  bool is_leaving : 1 = false;
  bool is_dying : 1 = false;
  bool was_used : 1 = false;          // since the cache was swept
  bool is_marked : 1 = false;         // by a collection, where it is as Marks::value
  bool is_fixed : 1 = false;          // may not be moved by a restless session again before it worked
  std::uint32_t tombstones : 13 = 0;  // how often it is among the deleted ones that are kept
  std::uint32_t bound_for_high : 6 = 0;
  Index index;
  Elements* array = nullptr;
  void* object = nullptr;           // where it is here
  std::unique_ptr<Extras> extras;   // of few
  MessageList waiting;              // for the element to come
  std::uint32_t number = 0;         // of its place in the table
  std::uint32_t broadcast = 0;      // the last broadcast that the element has had
  std::uint32_t reduction = 0;      // the next one that it contributes to
  std::int32_t births = 0;          // elements that it made since it contributed last
  std::uint64_t birth_names = 0;    // the sum of their birth names
  std::uint64_t birth_name = 0;     // its own, until it contributes for the first time; 0 where no element made it
  std::uint32_t position = 0;       // among those here
  std::uint32_t references = 0;     // of queued messages
  std::uint16_t suspended = 0;      // coroutines that wait
  std::uint16_t bound_for_low = 0;  // where it goes, if leaving, with bound_for_high
  float load_us = kUnmeasured;
};
static_assert(sizeof(Entry) == 136);

/// Entries by index: open addressing, linear probing. A slot has the number of an entry, which is half as large as its
/// address: looking for an element is mostly waiting for the slot to come from memory.
class EntryTable {
 public:
  EntryTable() : slots_(16) {}
  ~EntryTable();
  EntryTable(const EntryTable&) = delete;
  EntryTable& operator=(const EntryTable&) = delete;
  Entry* find(const Index& index) const {
    for (std::size_t at = place(index.hash());; at = (at + 1) & mask()) {
      const Slot slot = slots_[at];
      if (slot.number == 0) return nullptr;
      if (slot.hash != index.hash()) continue;
      Entry* entry = numbered(slot.number);
      if (entry->index == index) return entry;
    }
  }
  /// Begins to bring an entry's slot nearer, for a remove() that comes soon.
  void expect(const Entry& entry) const { __builtin_prefetch(&slots_[place(entry.index.hash())]); }
  /// There must be none yet.
  Entry* add(const Index& index);
  void remove(Entry* entry);
  std::size_t size() const { return used_; }
  template <class F>
  void each(F&& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.number != 0) visit(*numbered(slot.number));
    }
  }

 private:
  struct Slot {
    std::uint32_t number = 0;  // from 1 on; 0 for none
    std::uint32_t hash = 0;
  };
  static constexpr std::uint32_t kSlab = 64;  // entries that are allocated together
  struct Slab {
    alignas(Entry) char bytes[kSlab * sizeof(Entry)];
  };
  Entry* numbered(std::uint32_t number) const {
    return reinterpret_cast<Entry*>(slabs_[(number - 1) / kSlab]->bytes) + (number - 1) % kSlab;
  }
  std::size_t mask() const { return slots_.size() - 1; }
  /// By all bits of the hash: of those whose home is here the lowest are alike, as the home is the hash modulo the
  /// processes.
  std::size_t place(std::uint32_t hash) const { return hash * 0x9e3779b97f4a7c15u >> shift_; }
  std::uint32_t take_number();
  void grow();
  std::vector<Slot> slots_;
  int shift_ = 60;  // 64 less the logarithm of the slots
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Slab>> slabs_;
  std::uint32_t numbers_ = 0;                // that have been in use
  std::vector<std::uint32_t> free_numbers_;  // of those, not in use now
};

}  // namespace starling::array::detail
