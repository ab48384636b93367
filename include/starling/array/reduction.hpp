// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Operators of reductions. An operator is a class without data whose call combines one value into another:
//     struct Longest { void operator()(std::string& into, const std::string& value) const { ... } };
// It must be associative and commutative, and return nothing. Those here take numbers, and vectors and arrays of
// numbers element by element.
//
// **Thread safety**: stateless. **Invariants**: values are combined in any order and grouping.
#pragma once

#include <cstddef>
#include <memory>
#include <starling/array/core.hpp>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

namespace starling::array {

/// The value of a contribution that has none.
struct Nothing {
  void serialize(Archive&) {}
};
struct Ignore {
  void operator()(Nothing&, const Nothing&) const {}
};

namespace detail {

/// Whether a call operator changes what it gets first. Of one that is overloaded or a template nothing can be said.
template <class F>
struct ChangesFirst : std::true_type {};
template <class R, class C, class First, class... Rest>
struct ChangesFirst<R (C::*)(First, Rest...)>
    : std::bool_constant<std::is_lvalue_reference_v<First> && !std::is_const_v<std::remove_reference_t<First>>> {};
template <class R, class C, class First, class... Rest>
struct ChangesFirst<R (C::*)(First, Rest...) const> : ChangesFirst<R (C::*)(First, Rest...)> {};
template <class R, class C, class First, class... Rest>
struct ChangesFirst<R (C::*)(First, Rest...) noexcept> : ChangesFirst<R (C::*)(First, Rest...)> {};
template <class R, class C, class First, class... Rest>
struct ChangesFirst<R (C::*)(First, Rest...) const noexcept> : ChangesFirst<R (C::*)(First, Rest...)> {};

template <class Op>
constexpr bool changes_first() {
  if constexpr (requires { &Op::operator(); }) return ChangesFirst<decltype(&Op::operator())>::value;
  return true;
}

template <class V, class Op>
constexpr void check_operator() {
  static_assert(std::is_class_v<Op> && std::is_empty_v<Op> && std::is_default_constructible_v<Op>,
                "the operator of a reduction is a class without data, or a lambda that captures nothing");
  if constexpr (std::is_class_v<Op>) {
    static_assert(std::is_invocable_v<Op, V&, const V&>,
                  "the operator of a reduction is called as op(into, value) with values of the result's type");
    if constexpr (std::is_invocable_v<Op, V&, const V&>) {
      static_assert(std::is_void_v<std::invoke_result_t<Op, V&, const V&>>,
                    "the operator of a reduction returns nothing: it combines the second value into the first, as in "
                    "void operator()(V& into, const V& value) const");
      static_assert(changes_first<Op>(), "the operator of a reduction takes the first value as V&, to change it");
    }
  }
}

/// One operator on numbers, and on everything that consists of them, place by place.
template <class Step>
struct ByPlace {
  template <class V>
  void operator()(V& into, const V& value) const {
    if constexpr (requires { into.begin(); }) {
      if (into.size() != value.size()) throw Error("contributions to a reduction have different lengths");
      auto from = value.begin();
      for (auto& each : into) (*this)(each, *from++);
    } else {
      Step::combine(into, value);
    }
  }
};

struct AddStep {
  template <class V>
  static void combine(V& into, const V& value) {
    into = static_cast<V>(into + value);
  }
};
struct MultiplyStep {
  template <class V>
  static void combine(V& into, const V& value) {
    into = static_cast<V>(into * value);
  }
};
struct MinStep {
  template <class V>
  static void combine(V& into, const V& value) {
    if (value < into) into = value;
  }
};
struct MaxStep {
  template <class V>
  static void combine(V& into, const V& value) {
    if (into < value) into = value;
  }
};
struct AndStep {
  template <class V>
  static void combine(V& into, const V& value) {
    into = static_cast<V>(into && value);
  }
};
struct OrStep {
  template <class V>
  static void combine(V& into, const V& value) {
    into = static_cast<V>(into || value);
  }
};
struct BitAndStep {
  template <class V>
  static void combine(V& into, const V& value) {
    into = static_cast<V>(into & value);
  }
};
struct BitOrStep {
  template <class V>
  static void combine(V& into, const V& value) {
    into = static_cast<V>(into | value);
  }
};
struct BitXorStep {
  template <class V>
  static void combine(V& into, const V& value) {
    into = static_cast<V>(into ^ value);
  }
};

}  // namespace detail

using Sum = detail::ByPlace<detail::AddStep>;
using Product = detail::ByPlace<detail::MultiplyStep>;
/// Of pairs (value, place) as well: the place that belongs to the smallest value.
using Min = detail::ByPlace<detail::MinStep>;
using Max = detail::ByPlace<detail::MaxStep>;
using And = detail::ByPlace<detail::AndStep>;
using Or = detail::ByPlace<detail::OrStep>;
using BitAnd = detail::ByPlace<detail::BitAndStep>;
using BitOr = detail::ByPlace<detail::BitOrStep>;
using BitXor = detail::ByPlace<detail::BitXorStep>;

/// All values behind one another, in any order.
struct Concat {
  template <class V>
  void operator()(V& into, const V& value) const {
    into.insert(into.end(), value.begin(), value.end());
  }
};

/// An operator for each place of a tuple: EachOf<Sum, Max> on std::tuple<long, double>.
template <class... Ops>
struct EachOf {
  template <class... V>
  void operator()(std::tuple<V...>& into, const std::tuple<V...>& value) const {
    static_assert(sizeof...(V) == sizeof...(Ops), "an operator for each place of the tuple");
    combine(into, value, std::index_sequence_for<V...>());
  }

 private:
  template <class Tuple, std::size_t... I>
  static void combine(Tuple& into, const Tuple& value, std::index_sequence<I...>) {
    (detail::check_operator<std::tuple_element_t<I, Tuple>, Ops>(), ...);
    (Ops{}(std::get<I>(into), std::get<I>(value)), ...);
  }
};

namespace detail {

template <class V, class Op>
struct Reducer {
  static void* make(const void* value) { return new V(*static_cast<const V*>(value)); }
  static void add(void* into, const void* value) {
    check_operator<V, Op>();
    Op{}(*static_cast<V*>(into), *static_cast<const V*>(value));
  }
  static void serialize(void* value, Archive& archive) { archive(*static_cast<V*>(value)); }
  static void* unpack(Archive& archive) {
    auto value = std::make_unique<V>();
    archive(*value);
    return value.release();
  }
  static void drop(void* value) { delete static_cast<V*>(value); }
  static constexpr ReducerInfo kInfo{name_of_type<Reducer>(), make, add, serialize, unpack, drop};
  inline static const std::uint32_t kNumber = register_reducer(&kInfo);
};

}  // namespace detail
}  // namespace starling::array
