// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ByteWriter and ByteReader: values as a row of bytes, for what processes of one build on machines of one kind tell
// each other: numbers as they lie in memory, texts and lists behind their length. Who reads what strangers may have
// written asks ok() before using it.
// Thread safety: values. Invariants: a reader never reads beyond its bytes; once it has failed it returns zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace starling {

class ByteWriter {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T> ByteWriter& put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  ByteWriter& put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
    return *this;
  }
  /// put(element) is called for each element.
  template <typename T, typename Put>
  ByteWriter& put_list(const std::vector<T>& list, Put&& put_element) {
    put(static_cast<std::uint64_t>(list.size()));
    for (const T& element : list) put_element(*this, element);
    return *this;
  }

  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::string take() noexcept { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) noexcept : rest_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] T get() noexcept {
    T value{};
    const std::string_view taken = take(sizeof value);
    if (!taken.empty()) std::memcpy(&value, taken.data(), sizeof value);
    return value;
  }
  [[nodiscard]] std::string get_text() { return std::string(take(get<std::uint64_t>())); }
  /// get_element(reader) returns the next element.
  template <typename T, typename Get>
  [[nodiscard]] std::vector<T> get_list(Get&& get_element) {
    std::vector<T> list;
    // No more elements than bytes: a damaged length ends in a failure, not in an endless loop.
    for (std::uint64_t left = get<std::uint64_t>(); left > 0 && ok_; --left) list.push_back(get_element(*this));
    if (!ok_) list.clear();
    return list;
  }

  /// Everything that was asked for was there.
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  /// ... and nothing more.
  [[nodiscard]] bool ok_and_at_end() const noexcept { return ok_ && rest_.empty(); }

 private:
  std::string_view take(std::uint64_t bytes) noexcept {
    ok_ = ok_ && bytes <= rest_.size();
    if (!ok_) return {};
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace starling
