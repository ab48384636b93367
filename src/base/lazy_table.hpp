// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LazyTable: a table with a place for each of very many elements, of which few are ever made. A place without an
// element costs a null pointer, and in a large table nothing: the system gives memory to the pages that are written.
// Thread safety: none. Invariants: an element stays where it is until it is removed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace starling {

template <typename T>
class LazyTable {
 public:
  explicit LazyTable(std::size_t size) : size_(size), places_(allocate(size)) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Null where none has been made.
  [[nodiscard]] T* find(std::size_t index) const noexcept { return places_[index]; }
  /// Where none is yet.
  T& make(std::size_t index) {
    made_.push_back(std::make_unique<T>());
    return *(places_[index] = made_.back().get());
  }
  void remove(std::size_t index) noexcept {
    const T* const element = places_[index];
    places_[index] = nullptr;
    std::erase_if(made_, [element](const std::unique_ptr<T>& made) { return made.get() == element; });
  }
  /// All elements, in the order in which they were made. More may be made while one goes through them by index.
  [[nodiscard]] const std::vector<std::unique_ptr<T>>& made() const noexcept { return made_; }

  /// Adds places at the end.
  void grow(std::size_t size) {
    Places grown = allocate(size);
    std::copy_n(places_.get(), size_, grown.get());
    places_ = std::move(grown);
    size_ = size;
  }

 private:
  struct Free {
    void operator()(T** places) const noexcept { std::free(places); }
  };
  using Places = std::unique_ptr<T*[], Free>;

  static Places allocate(std::size_t size) {
    // Not new: that would write every place. Null pointers are zeros.
    Places places(static_cast<T**>(std::calloc(std::max<std::size_t>(size, 1), sizeof(T*))));
    if (!places) throw std::bad_alloc();
    return places;
  }

  std::size_t size_;
  Places places_;
  std::vector<std::unique_ptr<T>> made_;
};

}  // namespace starling
