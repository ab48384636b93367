// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TypedBuffer: memory for typed data whose gaps are watched: it is compared as a whole, so a byte written beside the
// data shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "datatype/pack/pack.hpp"
#include "datatype/types/datatype.hpp"
#include "support/pattern.hpp"

namespace starling::collective::test {

using Bytes = std::vector<std::byte>;

class TypedBuffer {
 public:
  TypedBuffer(std::int64_t elements, const datatype::Datatype& type)
      : type_(&type), raw_(static_cast<std::size_t>(elements * type.extent() + kMargin), std::byte{0xEE}) {}

  [[nodiscard]] void* data() noexcept { return raw_.data(); }
  [[nodiscard]] const datatype::Datatype& type() const noexcept { return *type_; }

  /// Stores packed bytes as elements from `first` on.
  void put(std::int64_t first, const Bytes& packed) {
    const auto count = static_cast<std::int64_t>(packed.size()) / type_->size();
    datatype::UnpackCursor cursor(*type_, raw_.data() + first * type_->extent(), count);
    cursor.unpack(packed.data(), packed.size());
  }

  [[nodiscard]] bool operator==(const TypedBuffer& other) const noexcept {
    return raw_.size() == other.raw_.size() && std::memcmp(raw_.data(), other.raw_.data(), raw_.size()) == 0;
  }
  /// Equal in the first elements, gaps included.
  [[nodiscard]] bool starts_like(const TypedBuffer& other, std::int64_t elements) const noexcept {
    return std::memcmp(raw_.data(), other.raw_.data(), static_cast<std::size_t>(elements * type_->extent())) == 0;
  }

 private:
  static constexpr std::int64_t kMargin = 64;
  const datatype::Datatype* type_;
  Bytes raw_;
};

/// Bytes that depend on who and what they are for.
inline Bytes pattern(std::int64_t bytes, std::int64_t from, std::int64_t to) {
  Bytes result(static_cast<std::size_t>(bytes));
  tests::fill_pattern(result.data(), result.size(), tests::key_of(from, to));
  return result;
}

/// Two types of the same three integers: side by side, and with gaps.
struct TestTypes {
  Ref<datatype::Datatype> plain;
  Ref<datatype::Datatype> gaps;

  TestTypes() {
    const datatype::Datatype& integer = datatype::predefined(datatype::Basic::kInt32);
    plain = datatype::Datatype::contiguous(3, integer).value();
    gaps = datatype::Datatype::vector(3, 1, 2, integer).value();
    plain->commit();
    gaps->commit();
  }
  /// Which of them a rank uses: all plain, all with gaps, or mixed.
  enum class Mix : std::uint8_t { kPlain, kGaps, kMixed };
  [[nodiscard]] const datatype::Datatype& of(Mix mix, std::int32_t rank) const {
    const bool with_gaps = mix == Mix::kGaps || (mix == Mix::kMixed && rank % 2 == 1);
    return with_gaps ? *gaps : *plain;
  }
};

}  // namespace starling::collective::test
