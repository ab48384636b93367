// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Archive: one text for counting, writing and reading what a message or a moving element consists of.
//
// A class says what it consists of once:
//     void serialize(starling::array::Archive& archive) { archive(temperature, neighbours); }
// Numbers, enumerations, trivially copyable structs, strings, standard containers, pairs, tuples, optionals and
// unique_ptr need nothing. A class with both a serialize and a trivial copy is serialized.
//
// **Thread safety**: none; an archive belongs to one call. **Invariants**: never reads or writes beyond its bytes: it
// throws ArchiveError. The format is that of the machine: all processes of a job have the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace starling::array {

class Session;
class Archive;

/// A serialize that reads other than it wrote. The text says how many bytes were left over or missing.
class ArchiveError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

template <class T>
concept HasSerialize = requires(T& value, Archive& archive) {
  value.serialize(archive);
};
template <class T>
concept MapLike = requires(T& t) {
  typename T::mapped_type;
  t.begin();
  t.clear();
};
template <class T>
concept SetLike = !MapLike<T> && requires(T & t) {
  typename T::key_type;
  t.begin();
  t.clear();
};
template <class T>
concept SequenceLike = !SetLike<T> && !MapLike<T> && requires(T & t) {
  typename T::value_type;
  t.resize(1);
  t.begin();
};
template <class T>
concept OptionalLike = requires(T& t) {
  typename T::value_type;
  t.has_value();
  t.reset();
  t.emplace();
};
template <class T>
concept OwnerLike = requires(T& t) {
  typename T::element_type;
  typename T::deleter_type;
  t.release();
};
template <class T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};
template <class T>
concept PlainBytes = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_member_pointer_v<T>;

}  // namespace detail

class Archive {
 public:
  /// Counts bytes; used() is their number.
  static Archive counting() { return Archive(Mode::kCount, nullptr, 0, nullptr); }
  /// Writes into `size` bytes.
  static Archive writing(void* bytes, std::size_t size) { return Archive(Mode::kWrite, bytes, size, nullptr); }
  /// Reads `size` bytes; handles such as futures that it reads belong to the session.
  static Archive reading(const void* bytes, std::size_t size, Session* session = nullptr) {
    return Archive(Mode::kRead, const_cast<void*>(bytes), size, session);
  }

  bool is_reading() const { return mode_ == Mode::kRead; }
  /// Bytes counted, written or read so far.
  std::size_t used() const { return used_; }
  std::size_t left() const { return size_ - used_; }
  /// Where the handles that are read belong to; null outside a session.
  Session* session() const { return session_; }
  const char* position() const { return bytes_ + used_; }
  /// Passes over bytes that another archive reads.
  void skip(std::size_t count) {
    if (count > left()) overrun(count);
    used_ += count;
  }

  template <class... T>
  Archive& operator()(T&&... values) {
    (item(const_cast<std::remove_const_t<std::remove_reference_t<T>>&>(values)), ...);
    return *this;
  }

  /// `count` bytes as they are.
  void bytes(void* data, std::size_t count) {
    if (mode_ != Mode::kCount) {
      if (count > size_ - used_) overrun(count);
      if (count != 0) std::memcpy(is_reading() ? data : bytes_ + used_, is_reading() ? bytes_ + used_ : data, count);
    }
    used_ += count;
  }

 private:
  enum class Mode : std::uint8_t { kCount, kWrite, kRead };
  Archive(Mode mode, void* bytes, std::size_t size, Session* session)
      : bytes_(static_cast<char*>(bytes)), size_(size), session_(session), mode_(mode) {}
  [[noreturn]] void overrun(std::size_t wanted) const;

  /// The length of a container; while reading not more than could be there, so that a wrong one allocates nothing.
  std::size_t length(std::size_t now, std::size_t least_bytes_each);

  template <class T>
  void item(T& value);
  template <class T>
  void sequence(T& value);
  template <class T>
  bool copy_to(T& value, std::size_t count);
  template <class T>
  void keyed(T& value);

  char* bytes_;
  std::size_t size_;
  std::size_t used_ = 0;
  Session* session_;
  Mode mode_;
};

/// Values that lie as in an array are copied from it at once: resize() would fill the memory with zeros first. Returns
/// false where they do not.
template <class T>
bool Archive::copy_to(T& value, std::size_t count) {
  using Value = typename T::value_type;
  if (count > left() / sizeof(Value)) overrun(count * sizeof(Value));
  if (reinterpret_cast<std::uintptr_t>(position()) % alignof(Value) != 0) return false;
  const auto* begin = reinterpret_cast<const Value*>(position());
  value.assign(begin, begin + count);
  used_ += count * sizeof(Value);
  return true;
}

template <class T>
void Archive::sequence(T& value) {
  using Value = typename T::value_type;
  const std::size_t count = length(value.size(), std::is_empty_v<Value> ? 0 : 1);
  if constexpr (detail::PlainBytes<Value> && !detail::HasSerialize<Value> && requires(const Value* at) {
                  value.assign(at, at);
                  value.data();
                }) {
    if (is_reading() && copy_to(value, count)) return;
  }
  if (is_reading()) value.resize(count);
  if constexpr (detail::PlainBytes<Value> && !detail::HasSerialize<Value> && requires { value.data(); }) {
    bytes(value.data(), count * sizeof(Value));
  } else if constexpr (std::is_same_v<Value, bool>) {
    for (std::size_t i = 0; i < count; ++i) {
      bool bit = value[i];
      item(bit);
      value[i] = bit;
    }
  } else {
    for (auto& each : value) item(each);
  }
}

template <class T>
void Archive::keyed(T& value) {
  const std::size_t count = length(value.size(), 1);
  if (!is_reading()) {
    for (auto& each : value) {
      if constexpr (detail::MapLike<T>) {
        (*this)(each.first, each.second);
      } else {
        (*this)(each);
      }
    }
    return;
  }
  value.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (detail::MapLike<T>) {
      std::pair<typename T::key_type, typename T::mapped_type> each{};
      (*this)(each.first, each.second);
      value.insert(std::move(each));
    } else {
      typename T::key_type each{};
      item(each);
      value.insert(std::move(each));
    }
  }
}

template <class T>
void Archive::item(T& value) {
  if constexpr (detail::HasSerialize<T>) {
    value.serialize(*this);
  } else if constexpr (detail::PlainBytes<T>) {
    bytes(&value, sizeof(T));
  } else if constexpr (detail::SequenceLike<T>) {
    sequence(value);
  } else if constexpr (detail::MapLike<T> || detail::SetLike<T>) {
    keyed(value);
  } else if constexpr (detail::OptionalLike<T>) {
    bool there = value.has_value();
    item(there);
    if (is_reading() && there) value.emplace();
    if (is_reading() && !there) value.reset();
    if (there) item(*value);
  } else if constexpr (detail::OwnerLike<T>) {
    bool there = value != nullptr;
    item(there);
    if (is_reading()) value.reset(there ? new typename T::element_type() : nullptr);
    if (there) item(*value);
  } else if constexpr (detail::TupleLike<T>) {
    std::apply([this](auto&... each) { (*this)(each...); }, value);
  } else {
    static_assert(detail::HasSerialize<T>, "give this type a 'void serialize(starling::array::Archive&)'");
  }
}

}  // namespace starling::array
