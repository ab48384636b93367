// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A doubly linked list whose links live in the elements: no allocation, O(1) removal from the middle.
// The list does not own its elements. Thread safety: none.
// Invariants: an element is on at most one list for each hook it has; a hook that is on no list has next == nullptr.
#pragma once

#include <cstddef>

namespace starling {

struct ListHook {
  ListHook* next = nullptr;
  ListHook* prev = nullptr;

  [[nodiscard]] bool linked() const noexcept { return next != nullptr; }
  void unlink() noexcept {
    prev->next = next;
    next->prev = prev;
    next = prev = nullptr;
  }
};

/// A list of T through the hook that T derives from: `struct Node : ListHook`, or, for several lists,
/// `struct Node : HookA, HookB` with HookA and HookB derived from ListHook.
template <typename T, typename Hook = ListHook>
class IntrusiveList {
 public:
  IntrusiveList() noexcept { head_.next = head_.prev = &head_; }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  [[nodiscard]] bool empty() const noexcept { return head_.next == &head_; }
  [[nodiscard]] T* front() noexcept { return empty() ? nullptr : owner(head_.next); }
  [[nodiscard]] T* next(T& element) noexcept {
    ListHook* hook = static_cast<Hook&>(element).next;
    return hook == &head_ ? nullptr : owner(hook);
  }

  void push_back(T& element) noexcept { insert(head_.prev, &head_, static_cast<Hook&>(element)); }
  void push_front(T& element) noexcept { insert(&head_, head_.next, static_cast<Hook&>(element)); }
  void remove(T& element) noexcept { static_cast<Hook&>(element).unlink(); }
  T* pop_front() noexcept {
    T* first = front();
    if (first) remove(*first);
    return first;
  }

 private:
  static T* owner(ListHook* hook) noexcept { return static_cast<T*>(static_cast<Hook*>(hook)); }
  static void insert(ListHook* before, ListHook* after, ListHook& hook) noexcept {
    hook.prev = before;
    hook.next = after;
    before->next = &hook;
    after->prev = &hook;
  }

  ListHook head_;
};

}  // namespace starling
