// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/coroutine/frame_pool.hpp"

#include <bit>
#include <cstdlib>

namespace starling::collective {

FramePool::~FramePool() {
  for (Head* head : free_) {
    while (head) {
      Head* next = head->next;
      std::free(head);
      head = next;
    }
  }
}

void* FramePool::allocate(std::size_t bytes) noexcept {
  const std::size_t needed = bytes + sizeof(Head);
  const std::size_t width = static_cast<std::size_t>(std::bit_width(needed - 1));
  const std::size_t index = width > kSmallestShift ? width - kSmallestShift : 0;
  Head* head = nullptr;
  if (index >= kClasses) {
    head = static_cast<Head*>(std::malloc(needed));
    if (!head) return nullptr;
    head->index = kClasses;
  } else {
    head = free_[index];
    if (head) {
      free_[index] = head->next;
      --waiting_[index];
    } else {
      head = static_cast<Head*>(std::malloc(std::size_t{1} << (index + kSmallestShift)));
      if (!head) return nullptr;
    }
    head->index = index;
  }
  head->pool = this;
  return head + 1;
}

void FramePool::release(void* block) noexcept {
  if (!block) return;
  Head* head = static_cast<Head*>(block) - 1;
  const std::size_t index = head->index;
  FramePool* pool = head->pool;
  if (index >= kClasses || (index >= kSmallClasses && pool->waiting_[index] == kLargeKept)) {
    std::free(head);
    return;
  }
  head->next = pool->free_[index];
  pool->free_[index] = head;
  ++pool->waiting_[index];
}

}  // namespace starling::collective
