// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Heap: memory for a program in a range of addresses of its own, with all that it knows of itself in that range. So its
// bytes can be taken to the same addresses of another process, where the heap goes on.
//
// Layout: the Heap, then blocks without gaps up to the end of what was ever used. A block begins with a word that has
// its size, whether it is in use and whether the block before it is; one that is not in use has its size in its last
// word as well, so neighbours that are free become one (D. Knuth, The Art of Computer Programming, 2.5: boundary tags).
// Free blocks are in lists by the logarithm of their size.
//
// **Thread safety**: none; one rank uses it at a time. **Invariants**: what it gives is aligned to 16 at least; the
// memory from its end on has never been written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

namespace starling::array::detail {

class Heap final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t kAlignment = 16;
  static constexpr std::uint64_t kVersion = 1;  // of the layout, which moves between processes
  /// Makes `[from, to)`, whole pages, usable; false where that cannot be.
  using Commit = bool (*)(char* from, char* to);

  /// Lies at the begin of its own memory of `bytes`, of which `committed` can be used so far.
  Heap(std::size_t bytes, std::size_t committed, Commit commit);

  /// Null where there is no room. `alignment` is a power of 2.
  void* take(std::size_t bytes, std::size_t alignment = kAlignment);
  void give(void* memory);

  /// Bytes from its begin that were ever used, and that can be used.
  std::size_t high() const { return static_cast<std::size_t>(end_ - begin()); }
  std::size_t committed() const { return static_cast<std::size_t>(committed_ - begin()); }
  /// Bytes that blocks in use have.
  std::size_t used() const { return used_; }
  /// Calls visit(from, to) for each part whose bytes matter, in the order of addresses.
  template <class Visit>
  void each_part(Visit&& visit) const {
    const char* from = begin();
    for (const Block* each = first(); each != end(); each = after(each)) {
      if (each->in_use()) continue;
      visit(from, reinterpret_cast<const char*>(each) + sizeof(Block));
      from = reinterpret_cast<const char*>(after(each)) - sizeof(std::size_t);
    }
    visit(from, end_);
  }

 private:
  static constexpr int kBins = 48;
  static constexpr std::size_t kInUse = 1;
  static constexpr std::size_t kBeforeInUse = 2;
  struct Block {
    std::size_t word;  // size and flags; what follows is the memory, or where it is not in use:
    Block* next;
    Block* previous;
    std::size_t size() const { return word & ~std::size_t{15}; }
    bool in_use() const { return (word & kInUse) != 0; }
    bool before_in_use() const { return (word & kBeforeInUse) != 0; }
  };
  static_assert(sizeof(Block) == 24);
  static constexpr std::size_t kLeast = 32;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t, std::size_t) override { give(memory); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  static int bin_of(std::size_t size);
  static Block* block_of(void* memory) {
    return reinterpret_cast<Block*>(static_cast<char*>(memory) - sizeof(std::size_t));
  }
  static Block* at(char* where) { return reinterpret_cast<Block*>(where); }
  static Block* after(Block* block) { return at(reinterpret_cast<char*>(block) + block->size()); }
  static const Block* after(const Block* block) { return after(const_cast<Block*>(block)); }
  const char* begin() const { return reinterpret_cast<const char*>(this); }
  Block* first() const;
  const Block* end() const { return reinterpret_cast<const Block*>(end_); }

  Block* find(std::size_t size);
  Block* extend(std::size_t size);
  Block* use(Block* block, std::size_t size);
  void put(Block* block);
  void pull(Block* block);
  void note_before(Block* block, bool in_use);

  std::size_t bytes_;
  char* committed_;
  char* end_;
  Commit commit_;
  std::size_t used_ = 0;
  bool last_in_use_ = true;  // the block before the end
  Block* bins_[kBins] = {};
};

}  // namespace starling::array::detail
