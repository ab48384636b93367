// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How the core calls what it does not know the types of: tables of functions for each method, constructor and function
// that a program uses, and for its classes of elements.
//
// **Thread safety**: read only once main runs. **Invariants**: whatever is used anywhere is registered before main, on
// all processes in the order of their one binary.
#pragma once

#include <new>
#include <starling/array/core.hpp>
#include <starling/array/future.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace starling::array {
namespace detail {

template <class M>
struct MethodTraits;
template <class T, class R, class... P>
struct MethodTraits<R (T::*)(P...)> {
  using Class = T;
  using Result = R;
  using Arguments = std::tuple<std::decay_t<P>...>;
  template <class... A>
  static constexpr bool kTakes = sizeof...(A) == sizeof...(P) && (std::is_convertible_v<A, std::decay_t<P>> && ...);
  static constexpr bool kReferences = (std::is_reference_v<P> || ...);
};
template <class T, class R, class... P>
struct MethodTraits<R (T::*)(P...) const> : MethodTraits<R (T::*)(P...)> {};
template <class T, class R, class... P>
struct MethodTraits<R (T::*)(P...) noexcept> : MethodTraits<R (T::*)(P...)> {};
template <class T, class R, class... P>
struct MethodTraits<R (T::*)(P...) const noexcept> : MethodTraits<R (T::*)(P...)> {};

template <class Tuple>
struct IsBytes;
template <class... P>
struct IsBytes<std::tuple<P...>> : std::bool_constant<((PlainBytes<P> && !HasSerialize<P>)&&...)> {};

/// What an argument is kept as: texts as strings.
template <class A>
using Stored = std::conditional_t<std::is_convertible_v<A, const char*>, std::string, std::decay_t<A>>;

/// The places of a tuple one after another; a tuple as such could be taken for plain bytes.
template <class Tuple>
void each_item(Archive& archive, Tuple& items) {
  std::apply([&archive](auto&... each) { archive(each...); }, items);
}

/// The functions through which the core calls method M of elements T.
template <class T, auto M>
struct Method {
  using Traits = MethodTraits<decltype(M)>;
  using Arguments = typename Traits::Arguments;
  using Result = typename Traits::Result;
  static constexpr bool kBytes = IsBytes<Arguments>::value;
  static_assert(!IsTask<Result>::value || !Traits::kReferences,
                "a coroutine takes its arguments by value: what they refer to is gone when it goes on");

  static void apply(void* object, Arguments& arguments, const ReplyTo& reply) {
    T& element = *static_cast<T*>(object);
    const auto call = [&]() -> Result {
      return std::apply([&](auto&... each) -> Result { return (element.*M)(std::move(each)...); }, arguments);
    };
    if constexpr (IsTask<Result>::value) {
      call().reply_to(reply);
    } else if constexpr (std::is_void_v<Result>) {
      call();
      if (reply.slot != 0) set_future(reply, nullptr, 0);
    } else {
      Result result = call();
      if (reply.slot != 0) reply_with(reply, result);
    }
  }
  static void invoke(void* object, Archive& in, const ReplyTo& reply) {
    Arguments arguments{};
    each_item(in, arguments);
    finish_reading(in);
    apply(object, arguments, reply);
  }
  static void invoke_held(void* object, void* held, const ReplyTo& reply) {
    apply(object, *static_cast<Arguments*>(held), reply);
  }
  static void pack_held(void* held, Archive& into) { each_item(into, *static_cast<Arguments*>(held)); }
  static void drop_held(void* held) { static_cast<Arguments*>(held)->~Arguments(); }
  static constexpr MethodInfo kInfo{name_of_value<M>(), invoke, kBytes ? nullptr : invoke_held,
                                    kBytes ? nullptr : pack_held, kBytes ? nullptr : drop_held};
  inline static const std::uint32_t kNumber = register_method(&kInfo);
};

/// The constructor of T that takes these arguments.
template <class T, class... A>
struct Constructor {
  static void invoke(void* where, Archive& in, const ReplyTo&) {
    std::tuple<A...> arguments{};
    each_item(in, arguments);
    finish_reading(in);
    std::apply([where](auto&... each) { new (where) T(std::move(each)...); }, arguments);
  }
  static constexpr MethodInfo kInfo{name_of_type<Constructor>(), invoke, nullptr, nullptr, nullptr};
  inline static const std::uint32_t kNumber = register_method(&kInfo);
};

/// A free function or static member that runs on a process: void f(Session&, V).
template <auto F, class V>
struct Function {
  static void invoke(void* session, Archive& in, const ReplyTo&) {
    std::tuple<V> argument{};
    each_item(in, argument);
    finish_reading(in);
    F(*static_cast<Session*>(session), std::move(std::get<0>(argument)));
  }
  static constexpr MethodInfo kInfo{name_of_value<F>(), invoke, nullptr, nullptr, nullptr};
  inline static const std::uint32_t kNumber = register_method(&kInfo);
};

template <class T>
constexpr auto references_of() -> void (*)(const void*, References&) {
  if constexpr (requires(const T& object, References& holds) { object.references(holds); }) {
    return [](const void* object, References& holds) { static_cast<const T*>(object)->references(holds); };
  } else {
    return nullptr;
  }
}

template <class T>
inline constexpr ElementType kElementType{name_of_type<T>(),
                                          sizeof(T),
                                          alignof(T),
                                          [](void* where) { new (where) T(); },
                                          [](void* object) { static_cast<T*>(object)->~T(); },
                                          [](void* object, Archive& archive) {
                                            if constexpr (HasSerialize<T>) static_cast<T*>(object)->serialize(archive);
                                          },
                                          &IndexBytes<typename T::IndexType>::describe,
                                          references_of<T>()};

template <class P, class A>
decltype(auto) as(A&& argument) {
  if constexpr (std::is_same_v<std::decay_t<A>, P>) {
    return static_cast<const P&>(argument);
  } else {
    return P(argument);
  }
}

template <class... P, class... A>
void pack(Archive& archive, const std::tuple<P...>*, A&... arguments) {
  (archive(as<P>(arguments)), ...);
}
template <class Tuple, class... A>
std::size_t packed_size(A&... arguments) {
  Archive count = Archive::counting();
  pack(count, static_cast<const Tuple*>(nullptr), arguments...);
  return count.used();
}
/// Of arguments that stay objects, the bytes of the message that they would be.
template <class Method>
std::size_t held_size(void* held) {
  Archive count = Archive::counting();
  Method::pack_held(held, count);
  return count.used();
}
template <class Tuple, class... A>
Packed pack_now(A&... arguments) {
  Packed packed(packed_size<Tuple>(arguments...));
  Archive write = Archive::writing(packed.data(), packed.size());
  pack(write, static_cast<const Tuple*>(nullptr), arguments...);
  return packed;
}

}  // namespace detail
}  // namespace starling::array
