// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Blocks: memory for many objects of one size, which come and go one by one. What is given back is kept for the next;
// AddressSanitizer still tells if it is used meanwhile.
//
// **Thread safety**: none. **Invariants**: blocks do not move; their memory goes back to the system with the Blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) (static_cast<void>(address), static_cast<void>(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (static_cast<void>(address), static_cast<void>(size))
#endif

namespace starling::array::detail {

class Blocks {
 public:
  Blocks(std::size_t bytes, std::size_t alignment)
      : alignment_(std::max(alignment, alignof(void*))),
        bytes_((std::max(bytes, sizeof(void*)) + alignment_ - 1) / alignment_ * alignment_) {}
  ~Blocks() {
    for (void* slab : slabs_) ::operator delete(slab, std::align_val_t(alignment_));
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  void* take() {
    if (bytes_ > kLargest) return ::operator new(bytes_, std::align_val_t(alignment_));
    void* block = free_;
    if (block != nullptr) {
      ASAN_UNPOISON_MEMORY_REGION(block, bytes_);
      free_ = *static_cast<void**>(block);
      return block;
    }
    if (next_ == end_) add_slab();
    return std::exchange(next_, next_ + bytes_);
  }
  void give(void* block) {
    if (bytes_ > kLargest) return ::operator delete(block, std::align_val_t(alignment_));
    *static_cast<void**>(block) = free_;
    free_ = block;
    ASAN_POISON_MEMORY_REGION(block, bytes_);
  }

 private:
  static constexpr std::size_t kLargest = 1024;  // larger ones go back to the system one by one
  static constexpr std::size_t kSlab = 65536;

  /// As large as all before it, within limits.
  void add_slab() {
    const std::size_t size = std::clamp(slabs_bytes_, 16 * bytes_, kSlab) / bytes_ * bytes_;
    slabs_.push_back(::operator new(size, std::align_val_t(alignment_)));
    slabs_bytes_ += size;
    next_ = static_cast<char*>(slabs_.back());
    end_ = next_ + size;
  }

  std::size_t alignment_;
  std::size_t bytes_;
  std::vector<void*> slabs_;
  std::size_t slabs_bytes_ = 0;
  char* next_ = nullptr;
  char* end_ = nullptr;
  void* free_ = nullptr;
};

}  // namespace starling::array::detail
