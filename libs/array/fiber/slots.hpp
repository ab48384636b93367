// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Slots: a range of addresses that is divided among the ranks of a job, the same in every process, though each process
// uses only the slots of the ranks that it has. So a rank's stack and heap have one place in all processes, and what
// points into them stays right when they move (G. Antoniu, L. Bougé, R. Namyst, An Efficient and Transparent Thread
// Migration Scheme in the PM2 Runtime System, 1999: isomalloc).
//
//     a slot: | guard | stack, from its end downwards | heap, upwards |
//
// Where several processes of the job are threads of one, they share the range, and a slot is handed over: it belongs
// to the last one that took it, and only that one gives its memory back.
//
// **Thread safety**: any thread. **Invariants**: what nobody has taken can be neither read nor written; a slot that was
// given back is zero when it is taken again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace starling::array::detail {

class Slots {
 public:
  struct Layout {
    std::size_t count = 0;
    std::size_t stack = 0;  // bytes, as is the next; whole pages
    std::size_t heap = 0;
    std::size_t slot() const { return guard() + stack + heap; }
    static std::size_t page();
    /// Whole pages: more than one, as a function with large variables may step over some.
    static std::size_t guard();
  };

  /// At this address, or anywhere where it is 0. Null where that cannot be. Those of one process with the same `key`
  /// are one, unless it is 0.
  static std::shared_ptr<Slots> reserve(std::uintptr_t where, const Layout& layout, std::uint64_t key);
  /// Addresses that are usually free, the best first.
  static const std::vector<std::uintptr_t>& usual_places();
  Slots(char* begin, const Layout& layout, std::uint64_t key);
  ~Slots();
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  const Layout& layout() const { return layout_; }
  char* begin() const { return begin_; }
  char* stack(std::size_t slot) const { return begin_ + slot * layout_.slot() + Layout::guard(); }
  char* heap(std::size_t slot) const { return stack(slot) + layout_.stack; }

  /// From now on it belongs to `owner`, with `heap_bytes` of its heap; false where the system has no memory.
  bool take(std::size_t slot, const void* owner, std::size_t heap_bytes);
  /// Gives its memory back, unless another one has taken it meanwhile.
  void give(std::size_t slot, const void* owner);
  /// The slot whose guard has this address, or -1; may be called by a signal handler.
  std::ptrdiff_t guarded_by(const void* address) const;

  /// Makes more of a slot usable.
  static bool commit(char* from, char* to);

 private:
  char* begin_;
  Layout layout_;
  std::uint64_t key_;
  std::mutex mutex_;
  std::vector<const void*> owners_;
};

}  // namespace starling::array::detail
