// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The C++ types behind enum Arithmetic. Internal to the component; used for sizes and by the reduction kernels.
// Thread safety: types only. It defines no function, because the kernels are compiled for several instruction sets and
// the linker may keep any one copy of an inline function.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling::datatype {

__extension__ typedef __int128 Int128;            // NOLINT(modernize-use-using): __extension__ needs typedef
__extension__ typedef unsigned __int128 Uint128;  // NOLINT(modernize-use-using)
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Float128;  // NOLINT(modernize-use-using)
#else
using Float128 = long double;  // where long double is IEEE binary128
#endif

/// IEEE binary16 as stored; the kernels compute with it as float.
struct Half {
  std::uint16_t bits;
};

template <typename T>
struct Complex {
  T real;
  T imaginary;
};

template <typename V, typename I>
struct Pair {
  V value;
  I index;
};

#define STARLING_SCALARS(ROW)                   \
  ROW(kInt8, std::int8_t)                       \
  ROW(kUint8, std::uint8_t)                     \
  ROW(kInt16, std::int16_t)                     \
  ROW(kUint16, std::uint16_t)                   \
  ROW(kInt32, std::int32_t)                     \
  ROW(kUint32, std::uint32_t)                   \
  ROW(kInt64, std::int64_t)                     \
  ROW(kUint64, std::uint64_t)                   \
  ROW(kInt128, Int128)                          \
  ROW(kFloat16, Half)                           \
  ROW(kFloat32, float)                          \
  ROW(kFloat64, double)                         \
  ROW(kLongDouble, long double)                 \
  ROW(kFloat128, Float128)                      \
  ROW(kComplex16, Complex<Half>)                \
  ROW(kComplex32, Complex<float>)               \
  ROW(kComplex64, Complex<double>)              \
  ROW(kComplexLongDouble, Complex<long double>) \
  ROW(kComplex128, Complex<Float128>)

#define STARLING_PAIRS(ROW)                      \
  ROW(kFloatInt, float, std::int32_t)            \
  ROW(kDoubleInt, double, std::int32_t)          \
  ROW(kLongInt, std::int64_t, std::int32_t)      \
  ROW(kIntInt, std::int32_t, std::int32_t)       \
  ROW(kShortInt, std::int16_t, std::int32_t)     \
  ROW(kLongDoubleInt, long double, std::int32_t) \
  ROW(kFloatFloat, float, float)                 \
  ROW(kDoubleDouble, double, double)

}  // namespace starling::datatype
