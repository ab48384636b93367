// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "heap.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace starling::array::detail {

namespace {

constexpr std::size_t kStep = std::size_t{1} << 20;  // that the memory grows by
constexpr int kLooks = 16;                           // at blocks of one list that might be too small

std::size_t rounded(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

}  // namespace

Heap::Heap(std::size_t bytes, std::size_t committed, Commit commit)
    : bytes_(bytes),
      committed_(reinterpret_cast<char*>(this) + committed),
      end_(reinterpret_cast<char*>(first())),
      commit_(commit) {}

/// So that the memory of a block, behind its word, is aligned.
Heap::Block* Heap::first() const {
  return at(const_cast<char*>(begin()) + rounded(sizeof(Heap) + sizeof(std::size_t), kAlignment) - sizeof(std::size_t));
}

int Heap::bin_of(std::size_t size) { return std::min(static_cast<int>(std::bit_width(size)) - 1, kBins - 1); }

void* Heap::take(std::size_t bytes, std::size_t alignment) {
  if (bytes > bytes_) return nullptr;
  const std::size_t size = std::max(kLeast, rounded(bytes + sizeof(std::size_t), kAlignment));
  const std::size_t more = alignment > kAlignment ? alignment + kLeast : 0;
  Block* block = find(size + more);
  if (block == nullptr) block = extend(size + more);
  if (block == nullptr) return nullptr;
  if (more != 0) {
    // What lies before the first good place becomes a block of its own.
    auto address = reinterpret_cast<std::uintptr_t>(block) + sizeof(std::size_t);
    std::uintptr_t good = rounded(address, alignment);
    if (good != address && good - address < kLeast) good += alignment;
    if (const std::size_t front = good - address; front != 0) {
      Block* rest = at(reinterpret_cast<char*>(block) + front);
      rest->word = (block->size() - front) | kInUse;
      block->word = front | (block->word & kBeforeInUse);
      put(block);
      block = rest;
    }
  }
  block = use(block, size);
  used_ += block->size();
  return reinterpret_cast<char*>(block) + sizeof(std::size_t);
}

void Heap::give(void* memory) {
  if (memory == nullptr) return;
  Block* block = block_of(memory);
  used_ -= block->size();
  std::size_t size = block->size();
  Block* next = after(block);
  if (next != end() && !next->in_use()) {
    pull(next);
    size += next->size();
  }
  if (!block->before_in_use()) {
    std::size_t before = 0;
    std::memcpy(&before, reinterpret_cast<char*>(block) - sizeof before, sizeof before);
    block = at(reinterpret_cast<char*>(block) - before);
    pull(block);
    size += before;
  }
  block->word = size | (block->word & kBeforeInUse);
  put(block);
}

/// Of those that are large enough one of the smallest, in use from now on.
Heap::Block* Heap::find(std::size_t size) {
  int looks = kLooks;
  for (int bin = bin_of(size); bin < kBins; ++bin) {
    for (Block* each = bins_[bin]; each != nullptr && looks > 0; each = each->next, --looks) {
      if (each->size() < size) continue;
      pull(each);
      each->word |= kInUse;
      note_before(each, true);
      return each;
    }
    looks = kLooks;
  }
  return nullptr;
}

/// A new block behind all others; one that is free there becomes part of it.
Heap::Block* Heap::extend(std::size_t size) {
  char* from = end_;
  bool before_in_use = last_in_use_;
  if (!last_in_use_) {
    std::size_t last = 0;
    std::memcpy(&last, end_ - sizeof last, sizeof last);
    from -= last;
    before_in_use = true;  // two free blocks are never neighbours
  }
  if (size > bytes_ - static_cast<std::size_t>(from - begin())) return nullptr;
  char* to = from + size;
  if (to > committed_) {
    const std::size_t wanted = rounded(static_cast<std::size_t>(to - begin()), kStep);
    char* until = const_cast<char*>(begin()) + std::min(wanted, bytes_);
    if (!commit_(committed_, until)) return nullptr;
    committed_ = until;
  }
  if (from != end_) pull(at(from));
  Block* block = at(from);
  block->word = size | kInUse | (before_in_use ? kBeforeInUse : 0);
  end_ = to;
  last_in_use_ = true;
  return block;
}

/// A block in use gives back what is more than `size`.
Heap::Block* Heap::use(Block* block, std::size_t size) {
  const std::size_t rest = block->size() - size;
  if (rest >= kLeast) {
    block->word = size | (block->word & (kInUse | kBeforeInUse));
    Block* left = after(block);
    left->word = rest | kBeforeInUse;
    Block* next = after(left);
    if (next != end() && !next->in_use()) {
      pull(next);
      left->word = (rest + next->size()) | kBeforeInUse;
    }
    put(left);
  }
  return block;
}

/// Into the lists of those that are not in use.
void Heap::put(Block* block) {
  const std::size_t size = block->size();
  block->word &= ~kInUse;
  std::memcpy(reinterpret_cast<char*>(block) + size - sizeof size, &size, sizeof size);
  Block*& head = bins_[bin_of(size)];
  block->next = head;
  block->previous = nullptr;
  if (head != nullptr) head->previous = block;
  head = block;
  note_before(block, false);
}

void Heap::pull(Block* block) {
  if (block->next != nullptr) block->next->previous = block->previous;
  if (block->previous != nullptr) {
    block->previous->next = block->next;
  } else {
    bins_[bin_of(block->size())] = block->next;
  }
}

/// What the block behind this one knows of it.
void Heap::note_before(Block* block, bool in_use) {
  Block* next = after(block);
  if (next == end()) {
    last_in_use_ = in_use;
  } else {
    next->word = (next->word & ~kBeforeInUse) | (in_use ? kBeforeInUse : 0);
  }
}

void* Heap::do_allocate(std::size_t bytes, std::size_t alignment) {
  void* memory = take(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace starling::array::detail
