// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Intrusive reference counting for objects that operations in flight keep alive after the user has freed the handle.
// Thread safety: counts are atomic; one Ref object belongs to one thread at a time.
// Invariants: a heap object starts with one reference, owned by the Ref that adopts it; a constant object (predefined
// datatypes and operators) has the count kImmortal for ever, so its cache line is never written.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace starling::datatype {

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
    // acq_rel: whoever drops the last reference must see all that the others did with the object before it deletes.
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

/// An owning pointer. Ref<T> converts to Ref<const T>.
template <typename T>
class Ref {
 public:
  constexpr Ref() noexcept = default;
  /// Shares the object.
  explicit Ref(T& object) noexcept : object_(&object) { object_->retain(); }
  Ref(const Ref& other) noexcept : object_(other.object_) {
    if (object_) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(other.detach()) {}
  template <typename U>
  requires(!std::is_same_v<U, T> && std::is_convertible_v<U*, T*>) Ref(Ref<U> other)
  noexcept : object_(other.detach()) {}  // NOLINT(google-explicit-constructor)
  ~Ref() {
    if (object_) object_->release();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  /// Takes over a reference that the caller owns.
  [[nodiscard]] static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// Gives the reference to the caller, who must adopt() it again or release() the object.
  [[nodiscard]] T* detach() noexcept { return std::exchange(object_, nullptr); }

  [[nodiscard]] T* get() const noexcept { return object_; }
  [[nodiscard]] T& operator*() const noexcept { return *object_; }
  [[nodiscard]] T* operator->() const noexcept { return object_; }
  [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace starling::datatype
