// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ref<T>: shared ownership by a count inside the object, for objects that the user may free while operations still use
// them (communicators, groups, files, datatypes, operators).
// Thread safety: counts are atomic; one Ref belongs to one thread at a time.
// Invariants: an object on the heap is born with one reference, owned by the Ref that adopts it; a constant one
// (predefined datatypes and operators) is immortal: its count is never written, nor is its cache line.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace starling {

struct ImmortalTag {};

template <typename Derived>
class RefCounted {
 public:
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const noexcept {
    if (references_.load(std::memory_order_relaxed) != kImmortal) references_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() const noexcept {
    if (references_.load(std::memory_order_relaxed) == kImmortal) return;
    // acq_rel: the last owner must see what the others did with the object before it destroys it.
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete static_cast<const Derived*>(this);
  }

 protected:
  constexpr RefCounted() noexcept : references_(1) {}
  constexpr explicit RefCounted(ImmortalTag /*tag*/) noexcept : references_(kImmortal) {}
  ~RefCounted() = default;

 private:
  static constexpr std::uint32_t kImmortal = 0;
  mutable std::atomic<std::uint32_t> references_;
};

/// An owning pointer, or none. Ref<T> converts to Ref<const T>.
template <typename T>
class Ref {
 public:
  constexpr Ref() noexcept = default;
  /// Takes over a reference that the caller owns, such as the one that a new object is born with.
  [[nodiscard]] static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// Adds a reference to an object that has another owner.
  [[nodiscard]] static Ref share(T* object) noexcept {
    if (object) object->retain();
    return adopt(object);
  }
  Ref(const Ref& other) noexcept : object_(other.object_) {
    if (object_) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(other.detach()) {}
  template <typename U>
  requires(!std::is_same_v<U, T> && std::is_convertible_v<U*, T*>) Ref(Ref<U> other)
  noexcept : object_(other.detach()) {}  // NOLINT(google-explicit-constructor)
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->release();
  }

  [[nodiscard]] T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  /// Gives the reference to the caller, which must adopt() it again or release() the object.
  [[nodiscard]] T* detach() noexcept { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

}  // namespace starling
