// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How kernels read and write the elements of an array, and what narrow floating-point numbers are computed in.
//
// Elements are read and written through memcpy of constant size, so buffers may have any alignment and effective type;
// compilers turn that into vector loads. In an unnamed namespace for the reason that kernel_templates.hpp gives.
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "datatype/types/arithmetic.hpp"

namespace starling::datatype {
namespace {

template <typename T>
struct Element {
  static T load(const char* from) {
    T value;
    __builtin_memcpy(&value, from, sizeof(T));
    return value;
  }
  static void store(char* to, const T& value) { __builtin_memcpy(to, &value, sizeof(T)); }
};

template <typename T, typename Operator>
void combine(const void* in, void* inout, std::int64_t count) noexcept {
  const char* __restrict from = static_cast<const char*>(in);
  char* __restrict to = static_cast<char*>(inout);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::size_t offset = i * sizeof(T);
    Element<T>::store(to + offset, Operator::apply(Element<T>::load(from + offset), Element<T>::load(to + offset)));
  }
}

// Binary16 widens exactly to float; sums and products of two, rounded back from float, are correctly rounded.
float to_float(Half half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = half.bits & 0x7fffU;
  std::uint32_t bits = 0;
  if (magnitude >= 0x7c00U) {
    bits = 0x7f800000U | (magnitude & 0x3ffU) << 13;
  } else if (magnitude >= 0x400U) {
    bits = (magnitude << 13) + ((127U - 15U) << 23);
  } else {
    const float subnormal = static_cast<float>(magnitude) * 0x1p-24F;
    __builtin_memcpy(&bits, &subnormal, sizeof(bits));
  }
  bits |= sign;
  float value = 0;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

Half to_half(float value) {
  std::uint32_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  bits &= 0x7fffffffU;
  std::uint32_t half = 0;
  if (bits > 0x7f800000U) {
    half = 0x7e00U;  // a quiet NaN
  } else if (bits >= 0x477ff000U) {
    half = 0x7c00U;  // 65520 and more round to infinity
  } else if (bits >= 0x38800000U) {
    const std::uint32_t odd = (bits >> 13) & 1U;
    half = (bits - ((127U - 15U) << 23) + 0xfffU + odd) >> 13;
  } else {
    // Adding 0.5 lines the last place of a subnormal half up with the last place of the float, which rounds to even.
    float magnitude = 0;
    __builtin_memcpy(&magnitude, &bits, sizeof(bits));
    magnitude += 0.5F;
    std::uint32_t shifted = 0;
    __builtin_memcpy(&shifted, &magnitude, sizeof(shifted));
    half = shifted - 0x3f000000U;
  }
  return {static_cast<std::uint16_t>(half | sign)};
}

template <>
struct Element<Half> {
  static float load(const char* from) {
    Half half{};
    __builtin_memcpy(&half, from, sizeof(half));
    return to_float(half);
  }
  static void store(char* to, float value) {
    const Half half = to_half(value);
    __builtin_memcpy(to, &half, sizeof(half));
  }
};

template <>
struct Element<Complex<Half>> {
  static Complex<float> load(const char* from) {
    return {Element<Half>::load(from), Element<Half>::load(from + sizeof(Half))};
  }
  static void store(char* to, const Complex<float>& value) {
    Element<Half>::store(to, value.real);
    Element<Half>::store(to + sizeof(Half), value.imaginary);
  }
};

}  // namespace
}  // namespace starling::datatype
