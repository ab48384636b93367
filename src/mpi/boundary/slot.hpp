// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Slot: an object of a chapter's class that hangs off a Context, or off an object behind a handle. The holder knows the
// class by name only; the chapter, which sees its body, makes the object on first use.
// Thread safety: the holder of the world's lock. Invariants: the object is destroyed with its slot.
#pragma once

#include <utility>

namespace starling::mpi {

template <typename T>
class Slot {
 public:
  Slot() noexcept = default;
  Slot(Slot&& other) noexcept { swap(other); }
  Slot& operator=(Slot&& other) noexcept {
    Slot(std::move(other)).swap(*this);
    return *this;
  }
  ~Slot() { reset(); }

  /// Null before the first use.
  [[nodiscard]] T* get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

  /// The object, which is made when there is none.
  T& operator*() { return object_ != nullptr ? *object_ : make(); }
  T* operator->() { return &**this; }

  /// Makes the object, in the place of the one that is there.
  template <typename... Arguments>
  T& make(Arguments&&... arguments) {
    reset();
    object_ = new T(std::forward<Arguments>(arguments)...);
    destroy_ = [](T* object) { delete object; };
    return *object_;
  }
  void reset() noexcept {
    if (T* object = std::exchange(object_, nullptr)) destroy_(object);
  }

 private:
  void swap(Slot& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(destroy_, other.destroy_);
  }

  T* object_ = nullptr;
  void (*destroy_)(T*) = nullptr;
};

}  // namespace starling::mpi
