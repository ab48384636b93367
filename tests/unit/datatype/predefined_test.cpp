// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "datatype/types/datatype.hpp"
#include "typemap.hpp"

namespace starling::datatype::test {
namespace {

template <typename T>
void expect_like(Basic type) {
  EXPECT_EQ(predefined(type).size(), static_cast<std::int64_t>(sizeof(T))) << name(type);
  EXPECT_EQ(predefined(type).extent(), static_cast<std::int64_t>(sizeof(T))) << name(type);
  EXPECT_EQ(info(type).alignment, alignof(T)) << name(type);
}

TEST(PredefinedTypes, HaveTheSizesOfTheirLanguageTypes) {
  expect_like<char>(Basic::kChar);
  expect_like<signed char>(Basic::kSignedChar);
  expect_like<unsigned char>(Basic::kUnsignedChar);
  expect_like<std::byte>(Basic::kByte);
  expect_like<wchar_t>(Basic::kWchar);
  expect_like<short>(Basic::kShort);
  expect_like<unsigned short>(Basic::kUnsignedShort);
  expect_like<int>(Basic::kInt);
  expect_like<unsigned>(Basic::kUnsigned);
  expect_like<long>(Basic::kLong);
  expect_like<unsigned long>(Basic::kUnsignedLong);
  expect_like<long long>(Basic::kLongLong);
  expect_like<unsigned long long>(Basic::kUnsignedLongLong);
  expect_like<std::int8_t>(Basic::kInt8);
  expect_like<std::uint16_t>(Basic::kUint16);
  expect_like<std::int32_t>(Basic::kInt32);
  expect_like<std::uint64_t>(Basic::kUint64);
  expect_like<float>(Basic::kFloat);
  expect_like<double>(Basic::kDouble);
  expect_like<long double>(Basic::kLongDouble);
  expect_like<std::complex<float>>(Basic::kCFloatComplex);
  expect_like<std::complex<double>>(Basic::kCxxDoubleComplex);
  expect_like<std::complex<long double>>(Basic::kCLongDoubleComplex);
  expect_like<bool>(Basic::kCBool);
  expect_like<bool>(Basic::kCxxBool);
  expect_like<std::intptr_t>(Basic::kAint);
  expect_like<std::int64_t>(Basic::kCount);
  expect_like<std::int64_t>(Basic::kOffset);
}

TEST(PredefinedTypes, OfSizedFortranKindsHaveTheSizeInTheirName) {
  for (std::size_t i = 0; i < kBasicCount; ++i) {
    const auto type = static_cast<Basic>(i);
    const std::string text = name(type);
    for (const char* prefix : {"MPI_LOGICAL", "MPI_INTEGER", "MPI_REAL", "MPI_COMPLEX"}) {
      if (text.rfind(prefix, 0) != 0 || text == prefix) continue;
      EXPECT_EQ(std::to_string(predefined(type).size()), text.substr(std::string(prefix).size()));
    }
  }
}

TEST(PredefinedTypes, OfPairsHaveTheLayoutOfTheStructure) {
  struct ShortInt {
    short value;
    int index;
  };
  struct LongDoubleInt {
    long double value;
    int index;
  };
  const Datatype& short_int = predefined(Basic::kShortInt);
  EXPECT_EQ(short_int.size(), 6);
  EXPECT_EQ(short_int.extent(), static_cast<std::int64_t>(sizeof(ShortInt)));
  EXPECT_FALSE(short_int.is_contiguous());
  const Datatype& long_double_int = predefined(Basic::kLongDoubleInt);
  EXPECT_EQ(long_double_int.size(), static_cast<std::int64_t>(sizeof(long double) + sizeof(int)));
  EXPECT_EQ(long_double_int.extent(), static_cast<std::int64_t>(sizeof(LongDoubleInt)));
  EXPECT_TRUE(predefined(Basic::k2Int).is_contiguous());
}

TEST(PredefinedTypes, AgreeWithTheirTypemaps) {
  for (std::size_t i = 0; i < kBasicCount; ++i) {
    const auto kind = static_cast<Basic>(i);
    const Datatype& type = predefined(kind);
    const Typemap map(kind);
    SCOPED_TRACE(name(kind));
    EXPECT_TRUE(type.committed());
    EXPECT_TRUE(type.is_predefined());
    EXPECT_EQ(type.basic(), kind);
    EXPECT_EQ(type.size(), map.size());
    EXPECT_EQ(type.extent(), map.extent());
    EXPECT_EQ(type.true_extent(), map.true_ub() - map.true_lb());
    EXPECT_EQ(type.is_contiguous(), map.is_contiguous());
    EXPECT_EQ(type.signature_hash(), map.signature());
    EXPECT_EQ(type.contents().combiner, Combiner::kNamed);
  }
}

TEST(PredefinedTypes, AreFoundByTheirAbiCode) {
  std::set<std::uint32_t> codes;
  for (std::size_t i = 0; i < kBasicCount; ++i) {
    const auto type = static_cast<Basic>(i);
    const std::uint32_t code = info(type).code;
    EXPECT_TRUE(codes.insert(code).second) << "two types have the code of " << name(type);
    EXPECT_EQ(basic_from_code(code), type);
    EXPECT_EQ(predefined(type).user_handle(), reinterpret_cast<void*>(std::uintptr_t{0x200} + code));
  }
  for (std::uint32_t code = 0; code < 300; ++code) EXPECT_EQ(basic_from_code(code).has_value(), codes.contains(code));
}

TEST(PredefinedTypes, IgnoreReferenceCounting) {
  const Datatype& type = predefined(Basic::kInt);
  for (int i = 0; i < 3; ++i) type.release();
  auto ref = Ref<const Datatype>::share(&type);
  EXPECT_EQ(ref->size(), 4);
}

}  // namespace
}  // namespace starling::datatype::test
