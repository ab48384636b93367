// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How data become bytes between processes: trivially copyable types as they are; strings, vectors, arrays, pairs,
// tuples, optionals, variants and maps of what can be packed; classes with a cereal-like serialize(archive).
// <starling/farm/cereal.hpp> adds whatever cereal can do. All processes run the same program on the same kind of
// machine: nothing is converted.
//
// Thread safety: a Writer or Reader belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "starling/farm/buffer.hpp"

namespace starling::farm {

class Writer;
class Reader;

/// Specialise it with `static void write(Writer&, const T&)` and `static void read(Reader&, T&)` to pack a type your
/// way.
template <class T>
struct Pack;

template <class T>
concept OwnPack = requires(Writer& to, Reader& from, const T& given, T& wanted) {
  Pack<T>::write(to, given);
  Pack<T>::read(from, wanted);
};
template <class T>
concept PlainBytes = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_reference_v<T>;
template <class T>
concept Serializes = requires(Writer& to, Reader& from, T& object) {
  object.serialize(to);
  object.serialize(from);
};
template <class T>
concept Packable = OwnPack<T> || PlainBytes<T> || Serializes<T>;

/// Packs at the end of a buffer.
class Writer {
 public:
  explicit Writer(Buffer& to) : to_(to) {}
  void raw(const void* from, std::size_t size) { to_.append(from, size); }

  template <class... Ts>
  void operator()(const Ts&... objects) {
    (write(objects), ...);
  }

 private:
  template <class T>
  void write(const T& object) {
    static_assert(Packable<T>, "starling::farm cannot pack this type: see docs/howto/farm.md, 'Data'");
    if constexpr (OwnPack<T>) {
      Pack<T>::write(*this, object);
    } else if constexpr (PlainBytes<T>) {
      raw(&object, sizeof object);
    } else if constexpr (Serializes<T>) {
      const_cast<T&>(object).serialize(*this);  // as in cereal, one member for both ways
    }
  }

  Buffer& to_;
};

/// Unpacks; throws std::runtime_error where bytes are missing.
class Reader {
 public:
  Reader(const void* from, std::size_t size) : at_(static_cast<const std::byte*>(from)), left_(size) {}
  void raw(void* to, std::size_t size) {
    if (size > 0) std::memcpy(to, skip(size), size);
  }
  const std::byte* skip(std::size_t size) {
    if (size > left_)
      throw std::runtime_error("farm: packed data end too early; do all processes run the same program?");
    const std::byte* here = at_;
    at_ += size;
    left_ -= size;
    return here;
  }
  std::size_t left() const { return left_; }

  template <class... Ts>
  void operator()(Ts&... objects) {
    (read(objects), ...);
  }

 private:
  template <class T>
  void read(T& object) {
    if constexpr (OwnPack<T>) {
      Pack<T>::read(*this, object);
    } else if constexpr (PlainBytes<T>) {
      raw(&object, sizeof object);
    } else {
      object.serialize(*this);
    }
  }

  const std::byte* at_;
  std::size_t left_;
};

/// A length, then the elements; what every container below does.
template <class Container, class Element>
struct PackElements {
  static void write(Writer& to, const Container& all) {
    to(std::uint64_t{all.size()});
    if constexpr (PlainBytes<Element> && requires { all.data(); }) {
      to.raw(all.data(), all.size() * sizeof(Element));
    } else {
      for (const auto& element : all) to(element);
    }
  }
  static void read(Reader& from, Container& all) {
    std::uint64_t count = 0;
    from(count);
    all.clear();
    if constexpr (PlainBytes<Element> && requires { all.resize(count); }) {
      if (count > from.left() / sizeof(Element)) from.skip(from.left() + 1);
      all.resize(count);
      from.raw(all.data(), count * sizeof(Element));
    } else {
      for (std::uint64_t i = 0; i < count; ++i) {
        Element element{};
        from(element);
        all.insert(all.end(), std::move(element));
      }
    }
  }
};

template <>
struct Pack<std::string> : PackElements<std::string, char> {};
template <Packable T>
requires(!std::is_same_v<T, bool>) struct Pack<std::vector<T>> : PackElements<std::vector<T>, T> {
};
template <Packable K, Packable V>
struct Pack<std::map<K, V>> : PackElements<std::map<K, V>, std::pair<K, V>> {};
template <Packable K, Packable V>
struct Pack<std::unordered_map<K, V>> : PackElements<std::unordered_map<K, V>, std::pair<K, V>> {};

template <class A, class B>
requires Packable<std::remove_const_t<A>> && Packable<B>
struct Pack<std::pair<A, B>> {
  static void write(Writer& to, const std::pair<A, B>& both) { to(both.first, both.second); }
  static void read(Reader& from, std::pair<A, B>& both) { from(both.first, both.second); }
};
template <Packable... Ts>
struct Pack<std::tuple<Ts...>> {
  static void write(Writer& to, const std::tuple<Ts...>& all) { std::apply(to, all); }
  static void read(Reader& from, std::tuple<Ts...>& all) { std::apply(from, all); }
};
template <Packable T, std::size_t N>
requires(!PlainBytes<T>) struct Pack<std::array<T, N>> {
  static void write(Writer& to, const std::array<T, N>& all) { std::apply(to, all); }
  static void read(Reader& from, std::array<T, N>& all) { std::apply(from, all); }
};
template <Packable T>
struct Pack<std::optional<T>> {
  static void write(Writer& to, const std::optional<T>& maybe) {
    to(static_cast<std::uint8_t>(maybe.has_value()));
    if (maybe) to(*maybe);
  }
  static void read(Reader& from, std::optional<T>& maybe) {
    std::uint8_t there = 0;
    from(there);
    maybe.reset();
    if (there != 0) from(maybe.emplace());
  }
};
template <Packable... Ts>
struct Pack<std::variant<Ts...>> {
  static void write(Writer& to, const std::variant<Ts...>& one) {
    to(static_cast<std::uint32_t>(one.index()));
    std::visit([&](const auto& held) { to(held); }, one);
  }
  static void read(Reader& from, std::variant<Ts...>& one) {
    std::uint32_t index = 0;
    from(index);
    if (!read_one(from, one, index, std::index_sequence_for<Ts...>())) from.skip(from.left() + 1);
  }

 private:
  template <std::size_t... I>
  static bool read_one(Reader& from, std::variant<Ts...>& one, std::uint32_t index, std::index_sequence<I...>) {
    return ((index == I && (from(one.template emplace<I>()), true)) || ...);
  }
};

}  // namespace starling::farm
