// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/pack/external32.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/format.hpp"
#include "datatype/pack/pack.hpp"
#include "datatype/types/arithmetic.hpp"
#include "datatype/types/typemap_runs.hpp"

namespace starling::datatype {
namespace {

/// How one number changes on its way.
enum class Change : std::uint8_t {
  kOrder,           ///< the same bytes, the most significant first
  kSignedNarrow,    ///< a signed integer with fewer bytes
  kUnsignedNarrow,  ///< an unsigned one
  kQuad,            ///< long double as IEEE binary128
};

struct Number {
  std::uint8_t here = 0;   ///< bytes
  std::uint8_t there = 0;  ///< bytes
  Change change = Change::kOrder;
};

/// What a basic type consists of: one number, or two (complex types and pairs).
struct Recipe {
  Number first;
  Number second;
  [[nodiscard]] std::int64_t here() const noexcept { return first.here + second.here; }
  [[nodiscard]] std::int64_t there() const noexcept { return first.there + second.there; }
};

constexpr Number kLong{8, 4, Change::kSignedNarrow};
constexpr Number kUnsignedLong{8, 4, Change::kUnsignedNarrow};
constexpr Number kWideCharacter{4, 2, Change::kUnsignedNarrow};
constexpr Number kLongDouble{sizeof(long double), 16, Change::kQuad};
constexpr Number kNothing{};

constexpr Number same(std::size_t bytes) {
  return {static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(bytes), Change::kOrder};
}

Recipe recipe_of(Basic type) noexcept {
  switch (type) {
    case Basic::kLong: return {kLong, kNothing};
    case Basic::kUnsignedLong: return {kUnsignedLong, kNothing};
    case Basic::kWchar: return {kWideCharacter, kNothing};
    case Basic::kLongInt: return {kLong, same(4)};
    default: break;
  }
  const BasicInfo& facts = info(type);
  switch (facts.arithmetic) {
    case Arithmetic::kLongDouble: return {kLongDouble, kNothing};
    case Arithmetic::kComplexLongDouble: return {kLongDouble, kLongDouble};
    case Arithmetic::kLongDoubleInt: return {kLongDouble, same(4)};
    case Arithmetic::kDoubleInt: return {same(8), same(4)};
    case Arithmetic::kShortInt: return {same(2), same(4)};
    default: break;
  }
  const bool two = facts.group == Group::kComplex || facts.group == Group::kPair;
  const std::size_t bytes = facts.size / (two ? 2U : 1U);
  return {same(bytes), two ? same(bytes) : kNothing};
}

/// Copies and, where this machine keeps the least significant byte first, turns the bytes around.
void copy_in_order(const std::byte* from, std::byte* to, std::size_t bytes) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::reverse_copy(from, from + bytes, to);
  } else {
    std::copy_n(from, bytes, to);
  }
}

/// The integer in `bytes` bytes of this machine's order, its sign spread when asked for.
std::int64_t load_integer(const std::byte* from, std::size_t bytes, Change change) noexcept {
  std::uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, from, bytes);
  } else {
    std::memcpy(reinterpret_cast<std::byte*>(&value) + sizeof value - bytes, from, bytes);
  }
  const auto unused = static_cast<unsigned>(64 - 8 * bytes);
  const auto shifted = static_cast<std::int64_t>(value << unused);
  return change == Change::kSignedNarrow ? shifted >> unused
                                         : static_cast<std::int64_t>(static_cast<std::uint64_t>(shifted) >> unused);
}

void store_integer(std::int64_t value, std::byte* to, std::size_t bytes) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(to, &value, bytes);
  } else {
    std::memcpy(to, reinterpret_cast<const std::byte*>(&value) + sizeof value - bytes, bytes);
  }
}

/// False: the number does not fit its external size.
bool write_number(const Number& number, const std::byte* from, std::byte* to) noexcept {
  std::array<std::byte, 16> buffer{};
  switch (number.change) {
    case Change::kOrder: copy_in_order(from, to, number.here); return true;
    case Change::kQuad: {
      long double value = 0;
      std::memcpy(&value, from, sizeof value);
      const auto quad = static_cast<Float128>(value);
      std::memcpy(buffer.data(), &quad, sizeof quad);
      copy_in_order(buffer.data(), to, number.there);
      return true;
    }
    case Change::kSignedNarrow:
    case Change::kUnsignedNarrow: {
      const std::int64_t value = load_integer(from, number.here, number.change);
      store_integer(value, buffer.data(), number.there);
      copy_in_order(buffer.data(), to, number.there);
      return load_integer(buffer.data(), number.there, number.change) == value;
    }
  }
  return false;
}

/// Every external number fits this machine's type.
void read_number(const Number& number, const std::byte* from, std::byte* to) noexcept {
  std::array<std::byte, 16> buffer{};
  switch (number.change) {
    case Change::kOrder: copy_in_order(from, to, number.here); return;
    case Change::kQuad: {
      copy_in_order(from, buffer.data(), number.there);
      Float128 quad = 0;
      std::memcpy(&quad, buffer.data(), sizeof quad);
      const auto value = static_cast<long double>(quad);
      std::memcpy(to, &value, sizeof value);
      return;
    }
    case Change::kSignedNarrow:
    case Change::kUnsignedNarrow:
      copy_in_order(from, buffer.data(), number.there);
      store_integer(load_integer(buffer.data(), number.there, number.change), to, number.here);
      return;
  }
}

Status too_large(Basic type, const Recipe& recipe) {
  return Status::error(ErrorClass::kValueTooLarge,
                       formatted("a value of type {} does not fit the {} bytes that external32 gives it; use a type "
                                 "of fixed size such as MPI_INT64_T",
                                 name(type), recipe.first.there));
}

/// Bytes of this machine's representation that are converted at once.
constexpr std::int64_t kPiece = 4096;

}  // namespace

Result<std::int64_t> external32_bytes(std::int64_t count, const Datatype& type) {
  if (count < 0) return Status::error(ErrorClass::kCount, formatted("count is {}, but must not be negative", count));
  std::int64_t one = 0;
  STARLING_TRY(for_each_run(type, 1, [&](Basic basic, std::int64_t n) {
    one += n * recipe_of(basic).there();
    return Status{};
  }));
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(one, count, &bytes)) {
    return Status::error(ErrorClass::kCount, formatted("{} elements of the datatype exceed 64-bit sizes", count));
  }
  return bytes;
}

Status external32_pack(const void* from, std::int64_t count, const Datatype& type, std::byte* out) {
  PackCursor cursor(type, from, count);
  std::array<std::byte, kPiece> piece;
  return for_each_run(type, count, [&](Basic basic, std::int64_t n) -> Status {
    const Recipe recipe = recipe_of(basic);
    while (n > 0) {
      const std::int64_t now = std::min(n, kPiece / recipe.here());
      cursor.pack(piece.data(), static_cast<std::size_t>(now * recipe.here()));
      const std::byte* in = piece.data();
      for (std::int64_t i = 0; i < now; ++i, in += recipe.here(), out += recipe.there()) {
        if (!write_number(recipe.first, in, out)) return too_large(basic, recipe);
        if (recipe.second.here != 0)
          static_cast<void>(write_number(recipe.second, in + recipe.first.here, out + recipe.first.there));
      }
      n -= now;
    }
    return {};
  });
}

Status external32_unpack(const std::byte* in, void* to, std::int64_t count, const Datatype& type) {
  UnpackCursor cursor(type, to, count);
  std::array<std::byte, kPiece> piece;
  return for_each_run(type, count, [&](Basic basic, std::int64_t n) -> Status {
    const Recipe recipe = recipe_of(basic);
    while (n > 0) {
      const std::int64_t now = std::min(n, kPiece / recipe.here());
      std::byte* out = piece.data();
      for (std::int64_t i = 0; i < now; ++i, in += recipe.there(), out += recipe.here()) {
        read_number(recipe.first, in, out);
        if (recipe.second.here != 0) read_number(recipe.second, in + recipe.first.there, out + recipe.first.here);
      }
      cursor.unpack(piece.data(), static_cast<std::size_t>(now * recipe.here()));
      n -= now;
    }
    return {};
  });
}

}  // namespace starling::datatype
