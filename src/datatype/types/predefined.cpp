// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The constant tables of the predefined datatypes.
#include <array>

#include "datatype/types/arithmetic.hpp"
#include "datatype/types/basic.hpp"
#include "datatype/types/datatype.hpp"

namespace starling::datatype {
namespace {

struct Shape {
  std::size_t size;
  std::size_t alignment;
  std::size_t extent;
  std::size_t true_extent;
  std::size_t elements;
};

template <typename T>
constexpr Shape scalar() {
  return {sizeof(T), alignof(T), sizeof(T), sizeof(T), 1};
}

template <typename Value, typename Index>
constexpr Shape pair() {
  using Both = Pair<Value, Index>;
  return {sizeof(Value) + sizeof(Index), alignof(Both), sizeof(Both), offsetof(Both, index) + sizeof(Index), 2};
}

constexpr Shape shape(Arithmetic arithmetic) {
  switch (arithmetic) {
#define STARLING_SCALAR_SHAPE(id, type) \
  case Arithmetic::id: return scalar<type>();
    STARLING_SCALARS(STARLING_SCALAR_SHAPE)
#undef STARLING_SCALAR_SHAPE
#define STARLING_PAIR_SHAPE(id, value, index) \
  case Arithmetic::id: return pair<value, index>();
    STARLING_PAIRS(STARLING_PAIR_SHAPE)
#undef STARLING_PAIR_SHAPE
    case Arithmetic::kNone: break;
  }
  return {0, 1, 0, 0, 0};
}

constexpr BasicInfo row(const char* text, std::uint8_t code, Group group, Arithmetic arithmetic) {
  const Shape s = shape(arithmetic);
  const auto byte = [](std::size_t value) { return static_cast<std::uint8_t>(value); };
  return {text,
          code,
          group,
          arithmetic,
          byte(s.size),
          byte(s.alignment),
          byte(s.extent),
          byte(s.true_extent),
          byte(s.elements)};
}

constexpr std::array<BasicInfo, kBasicCount + 1> kTable = {
#define STARLING_BASIC_ROW(id, code, text, group, arithmetic) row(#text, code, Group::group, Arithmetic::arithmetic),
    STARLING_BASIC_TYPES(STARLING_BASIC_ROW)
#undef STARLING_BASIC_ROW
        row("derived", 0, Group::kNone, Arithmetic::kNone)};

// Index into kTable for each code; kBasicCount where there is no type.
constexpr std::array<std::uint8_t, 256> kByCode = [] {
  std::array<std::uint8_t, 256> index{};
  index.fill(static_cast<std::uint8_t>(kBasicCount));
  for (std::size_t i = 0; i < kBasicCount; ++i) index[kTable[i].code] = static_cast<std::uint8_t>(i);
  return index;
}();

struct Elements {
  Basic first;
  Basic second;
};

// What the two halves of a pair type are, so that its signature equals that of the structure it stands for.
constexpr Elements elements_of(Basic type) {
  switch (type) {
    case Basic::kFloatInt: return {Basic::kFloat, Basic::kInt};
    case Basic::kDoubleInt: return {Basic::kDouble, Basic::kInt};
    case Basic::kLongInt: return {Basic::kLong, Basic::kInt};
    case Basic::k2Int: return {Basic::kInt, Basic::kInt};
    case Basic::kShortInt: return {Basic::kShort, Basic::kInt};
    case Basic::kLongDoubleInt: return {Basic::kLongDouble, Basic::kInt};
    case Basic::k2Real: return {Basic::kReal, Basic::kReal};
    case Basic::k2DoublePrecision: return {Basic::kDoublePrecision, Basic::kDoublePrecision};
    case Basic::k2Integer: return {Basic::kInteger, Basic::kInteger};
    default: return {type, Basic::kNone};
  }
}

constexpr std::uint64_t signature_of(Basic type) {
  // Any injective spreading of the small codes over 64 bits will do.
  return (kTable[static_cast<std::size_t>(type)].code + std::uint64_t{1}) * 0xD6E8FEB86659FD93U;
}

constexpr Layout layout_of(Basic type) {
  const BasicInfo& facts = kTable[static_cast<std::size_t>(type)];
  const Elements parts = elements_of(type);
  Layout layout;
  layout.size = facts.size;
  layout.ub = facts.extent;
  layout.true_ub = facts.true_extent;
  layout.elements = facts.elements;
  layout.signature = signature_of(parts.first);
  if (parts.second != Basic::kNone) layout.signature = layout.signature * kSignatureBase + signature_of(parts.second);
  layout.basic = type;
  layout.alignment = facts.alignment;
  layout.one_run = facts.true_extent == facts.size;
  layout.contiguous = facts.extent == facts.size;
  return layout;
}

// A constant that is never destroyed, so that threads which outlive main() may still use it.
union Constant {
  constexpr explicit Constant(Basic type) : value(ImmortalTag{}, type, layout_of(type)) {}
  Constant(const Constant&) = delete;
  Constant& operator=(const Constant&) = delete;
  ~Constant() {}  // NOLINT(modernize-use-equals-default): a union with this member has no default one
  Datatype value;
};

constinit const Constant kPredefined[] = {
#define STARLING_BASIC_CONSTANT(id, code, text, group, arithmetic) Constant(Basic::id),
    STARLING_BASIC_TYPES(STARLING_BASIC_CONSTANT)
#undef STARLING_BASIC_CONSTANT
};

}  // namespace

const Datatype& predefined(Basic type) noexcept { return kPredefined[static_cast<std::size_t>(type)].value; }

const BasicInfo& info(Basic type) noexcept { return kTable[static_cast<std::size_t>(type)]; }

const char* name(Basic type) noexcept { return info(type).name; }

std::optional<Basic> basic_from_code(std::uint32_t code) noexcept {
  if (code >= kByCode.size() || kByCode[code] == kBasicCount) return std::nullopt;
  return static_cast<Basic>(kByCode[code]);
}

}  // namespace starling::datatype
