// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets agree bit for bit, and half precision rounds correctly.
#include "datatype/op/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "datatype/op/op.hpp"

namespace starling::datatype::test {
namespace {

#if defined(__x86_64__)
/// Random bits are combined by the baseline and by a table of another instruction set.
void expect_bits_of_baseline(const KernelTable& table) {
  constexpr std::int64_t kCount = 203;
  constexpr std::size_t kLargestElement = 32;
  std::mt19937 random(1);
  for (std::size_t op = 0; op < kKernelOpCount; ++op) {
    for (std::size_t arithmetic = 0; arithmetic < kArithmeticCount; ++arithmetic) {
      const Kernel baseline = kBaselineKernels.entries[op][arithmetic];
      const Kernel wide = table.entries[op][arithmetic];
      ASSERT_EQ(baseline == nullptr, wide == nullptr);
      const bool extended = arithmetic == static_cast<std::size_t>(Arithmetic::kLongDouble) ||
                            arithmetic == static_cast<std::size_t>(Arithmetic::kComplexLongDouble) ||
                            arithmetic == static_cast<std::size_t>(Arithmetic::kLongDoubleInt);
      // Random bits are not always numbers of the 80-bit format, and its padding is not computed.
      if (!baseline || extended) continue;
      std::vector<unsigned char> in(kCount * kLargestElement);
      std::vector<unsigned char> inout(in.size());
      for (unsigned char& byte : in) byte = static_cast<unsigned char>(random() & 0x3F);
      for (unsigned char& byte : inout) byte = static_cast<unsigned char>(random() & 0x3F);
      std::vector<unsigned char> other = inout;
      baseline(in.data(), inout.data(), kCount);
      wide(in.data(), other.data(), kCount);
      EXPECT_EQ(inout, other) << name(static_cast<PredefinedOp>(op)) << ", arithmetic " << arithmetic;
    }
  }
}

TEST(Kernels, ForAvx2GiveTheBitsOfTheBaseline) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor has no AVX2";
  expect_bits_of_baseline(kAvx2Kernels);
}

TEST(Kernels, ForAvx512GiveTheBitsOfTheBaseline) {
  if (!has_avx512()) GTEST_SKIP() << "this processor has no AVX-512";
  expect_bits_of_baseline(kAvx512Kernels);
}
#endif

double value_of(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1F;
  const int fraction = half & 0x3FF;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction != 0 ? std::nan("") : HUGE_VAL;
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// The nearest half, ties to even, by search.
std::uint16_t nearest_half(double value) {
  if (std::isnan(value)) return 0x7E00;
  const double magnitude = std::fabs(value);
  std::uint16_t low = 0;
  std::uint16_t high = 0x7C00;
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (value_of(middle) <= magnitude ? low : high) = middle;
  }
  // What follows the largest finite number is 2^16 for the purpose of rounding.
  const double above = high == 0x7C00 ? 65536 : value_of(high);
  const double to_low = magnitude - value_of(low);
  const double to_high = above - magnitude;
  std::uint16_t nearest = to_low < to_high || (to_low == to_high && (low & 1) == 0) ? low : high;
  if (std::isinf(magnitude)) nearest = 0x7C00;
  return static_cast<std::uint16_t>(nearest | (std::signbit(value) ? 0x8000 : 0));
}

std::uint16_t apply_half(PredefinedOp op, std::uint16_t a, std::uint16_t b) {
  EXPECT_TRUE(predefined(op).apply(&a, &b, 1, predefined(Basic::kReal2)).ok());
  return b;
}

bool same_half(std::uint16_t a, std::uint16_t b) {
  return a == b || (std::isnan(value_of(a)) && std::isnan(value_of(b)));
}

TEST(HalfPrecision, KeepsEveryValueThroughASumWithZero) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    // Minus zero is the neutral element of addition.
    ASSERT_TRUE(same_half(apply_half(PredefinedOp::kSum, half, 0x8000), half)) << std::hex << bits;
  }
}

TEST(HalfPrecision, RoundsSumsAndProductsToTheNearest) {
  std::mt19937 random(2);
  for (int i = 0; i < 50000; ++i) {
    const auto a = static_cast<std::uint16_t>(random());
    const auto b = static_cast<std::uint16_t>(random());
    // Sums and products of two halves are exact in double.
    const double sum = value_of(a) + value_of(b);
    const double product = value_of(a) * value_of(b);
    ASSERT_TRUE(same_half(apply_half(PredefinedOp::kSum, a, b), nearest_half(sum)))
        << value_of(a) << " " << value_of(b);
    ASSERT_TRUE(same_half(apply_half(PredefinedOp::kProd, a, b), nearest_half(product)))
        << value_of(a) << " " << value_of(b);
  }
}

TEST(HalfPrecision, AddsAndMultipliesComplexNumbers) {
  const std::uint16_t in[] = {nearest_half(1.5), nearest_half(-2)};
  std::uint16_t inout[] = {nearest_half(3), nearest_half(0.25)};
  ASSERT_TRUE(predefined(PredefinedOp::kProd).apply(in, inout, 1, predefined(Basic::kComplex4)).ok());
  EXPECT_EQ(value_of(inout[0]), 1.5 * 3 + 2 * 0.25);
  EXPECT_EQ(value_of(inout[1]), 1.5 * 0.25 - 2 * 3);
  ASSERT_TRUE(predefined(PredefinedOp::kSum).apply(in, inout, 1, predefined(Basic::kComplex4)).ok());
  EXPECT_EQ(value_of(inout[0]), 6.5);
}

}  // namespace
}  // namespace starling::datatype::test
