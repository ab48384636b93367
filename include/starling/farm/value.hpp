// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Value: one object of any movable type. Small ones lie in the Value itself, so a task costs no allocation.
//
// Thread safety: as the object that it holds.
// Invariants: moved, never copied; whoever takes the object out knows its type.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace starling::farm {

class Value {
 public:
  Value() = default;
  template <class T>
  requires(!std::is_same_v<std::decay_t<T>, Value>) explicit Value(T&& object) {
    using Object = std::decay_t<T>;
    if constexpr (kInside<Object>) {
      new (&place_) Object(std::forward<T>(object));
    } else {
      new (&place_) Object*(new Object(std::forward<T>(object)));
    }
    type_ = &kType<Object>;
  }
  Value(Value&& other) noexcept { take(other); }
  Value& operator=(Value&& other) noexcept {
    if (this != &other) reset(), take(other);
    return *this;
  }
  ~Value() { reset(); }

  template <class T>
  bool holds() const {
    return type_ == &kType<T>;
  }
  bool empty() const { return type_ == nullptr; }

  /// The object, whose type the caller knows.
  template <class T>
  T& as() {
    if constexpr (kInside<T>) {
      return *std::launder(reinterpret_cast<T*>(&place_));
    } else {
      return **std::launder(reinterpret_cast<T**>(&place_));
    }
  }
  template <class T>
  const T& as() const {
    return const_cast<Value*>(this)->as<T>();
  }

  void reset() {
    if (type_ != nullptr && type_->destroy != nullptr) type_->destroy(*this);
    type_ = nullptr;
  }

 private:
  static constexpr std::size_t kRoom = 40;
  template <class T>
  static constexpr bool kInside = sizeof(T) <= kRoom &&
                                  alignof(T) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<T>;

  struct Type {
    void (*destroy)(Value&);
    void (*move)(Value& from, void* to);  ///< nullptr: the bytes are the object.
  };
  template <class T>
  static void destroy(Value& value) {
    if constexpr (kInside<T>) {
      value.as<T>().~T();
    } else {
      delete &value.as<T>();
    }
  }
  template <class T>
  static void move(Value& from, void* to) {
    if constexpr (!kBytes<T>) {
      new (to) T(std::move(from.as<T>()));
      from.as<T>().~T();
    }
  }
  template <class T>
  static constexpr bool kBytes = !kInside<T> || std::is_trivially_copyable_v<T>;
  template <class T>
  static constexpr Type kType{kInside<T> && std::is_trivially_destructible_v<T> ? nullptr : &destroy<T>,
                              kBytes<T> ? nullptr : &move<T>};

  void take(Value& other) {
    type_ = other.type_;
    if (type_ == nullptr) return;
    if (type_->move == nullptr) {
      std::memcpy(&place_, &other.place_, sizeof place_);
    } else {
      type_->move(other, &place_);
    }
    other.type_ = nullptr;
  }

  alignas(std::max_align_t) std::byte place_[kRoom];
  const Type* type_ = nullptr;
};

}  // namespace starling::farm
