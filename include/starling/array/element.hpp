// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Element<T, Index>: what a class of elements derives from. It is a class as others are, with a default constructor
// and, if it moves, a serialize; what it does for itself as an element are the functions here.
//
//     struct Cell : starling::array::Element<Cell> { ... };                       indices are int
//     struct Node : starling::array::Element<Node, starling::array::BitString> { ... };
//
// **Thread safety**: used by the thread of their session. **Invariants**: an object is made and destroyed by the
// library only, and is neither copied nor moved.
#pragma once

#include <starling/array/proxy.hpp>
#include <starling/array/reduction.hpp>
#include <starling/array/section.hpp>
#include <utility>

namespace starling::array {

template <class T, class I = int>
class Element {
 public:
  using IndexType = I;

  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  I index() const { return detail::IndexBytes<I>::unpack(detail::index_of(*entry_)); }
  /// The array that it is an element of.
  Array<T> array() const { return array_named<T>(detail::array_of(*entry_)); }
  Session& session() const { return detail::session_of(detail::array_of(*entry_)); }
  /// The process where it is now.
  int rank() const { return session().rank(); }

  /// Gives its value to the array's next reduction: the n-th that each element contributes makes the n-th result. All
  /// contribute with one operator; the result goes to `to`.
  template <class V, class Op, class W>
  void contribute(V value, Op, const Callback<W>& to) {
    const W converted(std::move(value));
    detail::contribute(*entry_, detail::Reducer<W, Op>::kNumber, &converted, to);
  }
  template <class V, class Op, class W>
  void contribute(V value, Op op, const Future<W>& to) {
    contribute(std::move(value), op, Callback<W>(to));
  }
  /// Says that it is there: the result comes once all have.
  void contribute(const Future<void>& to) { contribute(Callback<void>(to)); }
  void contribute(const Callback<void>& to) {
    const Nothing nothing;
    detail::contribute(*entry_, detail::Reducer<Nothing, Ignore>::kNumber, &nothing, to);
  }
  /// Gives its value to the next reduction of a section that it is a member of; otherwise as above.
  template <class V, class Op, class W>
  void contribute(const Section<T>& section, V value, Op, const Callback<W>& to) {
    const W converted(std::move(value));
    detail::contribute_to(*entry_, section.name(), detail::Reducer<W, Op>::kNumber, &converted, to);
  }
  template <class V, class Op, class W>
  void contribute(const Section<T>& section, V value, Op op, const Future<W>& to) {
    contribute(section, std::move(value), op, Callback<W>(to));
  }
  void contribute(const Section<T>& section, const Callback<void>& to) {
    const Nothing nothing;
    detail::contribute_to(*entry_, section.name(), detail::Reducer<Nothing, Ignore>::kNumber, &nothing, to);
  }

  /// Moves to a process when the method that runs is over.
  void migrate_to(int rank) { detail::leave(*entry_, rank); }
  /// Is deleted when the method that runs is over.
  void destroy() { detail::die(*entry_); }

 protected:
  Element() : entry_(detail::entry_being_built()) {}
  ~Element() = default;

 private:
  detail::Entry* entry_;
};

}  // namespace starling::array
