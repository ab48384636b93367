// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The reduction kernels as templates, included by one source file for each instruction set.
//
// Everything lives in an unnamed namespace and calls nothing from the standard library: the linker keeps one copy of
// an inline function, and that must not be the one compiled for a newer processor than the machine has.
// The two results of instruction sets are bit for bit the same, because
// contraction of a * b + c is off for these files.
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "datatype/op/kernel_elements.hpp"
#include "datatype/op/kernels.hpp"

namespace starling::datatype {
namespace {

// Unsigned and at least as wide as int: sums and products of signed numbers wrap instead of being undefined.
template <typename T>
struct Wide {
  using Type = std::conditional_t<(sizeof(T) <= 4), std::uint32_t, std::uint64_t>;
};
template <>
struct Wide<Uint128> {
  using Type = Uint128;
};

struct WrappingSum {
  template <typename T>
  static T apply(T a, T b) {
    using U = typename Wide<T>::Type;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  }
};
struct WrappingProduct {
  template <typename T>
  static T apply(T a, T b) {
    using U = typename Wide<T>::Type;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  }
};
struct Sum {
  template <typename T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Product {
  template <typename T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct ComplexProduct {
  // The textbook formula, as Fortran computes it: no second attempt when infinities give NaN.
  template <typename T>
  static Complex<T> apply(const Complex<T>& a, const Complex<T>& b) {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  }
};
struct Minimum {
  template <typename T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Maximum {
  template <typename T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct BitwiseAnd {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitwiseOr {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitwiseXor {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
// Without branches, so that they vectorise.
struct LogicalAnd {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<int>(a != 0) & static_cast<int>(b != 0));
  }
};
struct LogicalOr {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>((a | b) != 0);
  }
};
struct LogicalXor {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>((a != 0) != (b != 0));
  }
};

// A complex sum is a sum of twice as many reals.
template <typename T>
void combine_complex_sum(const void* in, void* inout, std::int64_t count) noexcept {
  combine<T, Sum>(in, inout, 2 * count);
}

// Value and index are moved apart, because the padding between and after them is not ours to write.
template <typename V, typename I, typename Order>
void combine_located(const void* in, void* inout, std::int64_t count) noexcept {
  using Both = Pair<V, I>;
  const char* __restrict from = static_cast<const char*>(in);
  char* __restrict to = static_cast<char*>(inout);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i, from += sizeof(Both), to += sizeof(Both)) {
    const V a = Element<V>::load(from);
    const V b = Element<V>::load(to);
    const I a_index = Element<I>::load(from + offsetof(Both, index));
    const I b_index = Element<I>::load(to + offsetof(Both, index));
    if (Order::before(a, b)) {
      Element<V>::store(to, a);
      Element<I>::store(to + offsetof(Both, index), a_index);
    } else if (a == b && a_index < b_index) {
      Element<I>::store(to + offsetof(Both, index), a_index);
    }
  }
}

struct Less {
  template <typename T>
  static bool before(T a, T b) {
    return a < b;
  }
};
struct Greater {
  template <typename T>
  static bool before(T a, T b) {
    return a > b;
  }
};

class TableBuilder {
  // The helpers come first: a constant expression may not use a template member that is defined after it.
  constexpr Kernel& at(PredefinedOp op, Arithmetic arithmetic) {
    return table_.entries[static_cast<std::size_t>(op)][static_cast<std::size_t>(arithmetic)];
  }

  // T orders; what does not depend on the sign is shared through U.
  template <typename T, typename U>
  constexpr void add_integer(Arithmetic a) {
    at(PredefinedOp::kMin, a) = combine<T, Minimum>;
    at(PredefinedOp::kMax, a) = combine<T, Maximum>;
    at(PredefinedOp::kSum, a) = combine<U, WrappingSum>;
    at(PredefinedOp::kProd, a) = combine<U, WrappingProduct>;
    at(PredefinedOp::kBand, a) = combine<U, BitwiseAnd>;
    at(PredefinedOp::kBor, a) = combine<U, BitwiseOr>;
    at(PredefinedOp::kBxor, a) = combine<U, BitwiseXor>;
    at(PredefinedOp::kLand, a) = combine<U, LogicalAnd>;
    at(PredefinedOp::kLor, a) = combine<U, LogicalOr>;
    at(PredefinedOp::kLxor, a) = combine<U, LogicalXor>;
  }

  template <typename T>
  constexpr void add_real(Arithmetic real, Arithmetic complex) {
    at(PredefinedOp::kMin, real) = combine<T, Minimum>;
    at(PredefinedOp::kMax, real) = combine<T, Maximum>;
    at(PredefinedOp::kSum, real) = combine<T, Sum>;
    at(PredefinedOp::kProd, real) = combine<T, Product>;
    at(PredefinedOp::kSum, complex) = combine_complex_sum<T>;
    at(PredefinedOp::kProd, complex) = combine<Complex<T>, ComplexProduct>;
  }

 public:
  constexpr TableBuilder() : table_{} {
    add_integer<std::int8_t, std::uint8_t>(Arithmetic::kInt8);
    add_integer<std::uint8_t, std::uint8_t>(Arithmetic::kUint8);
    add_integer<std::int16_t, std::uint16_t>(Arithmetic::kInt16);
    add_integer<std::uint16_t, std::uint16_t>(Arithmetic::kUint16);
    add_integer<std::int32_t, std::uint32_t>(Arithmetic::kInt32);
    add_integer<std::uint32_t, std::uint32_t>(Arithmetic::kUint32);
    add_integer<std::int64_t, std::uint64_t>(Arithmetic::kInt64);
    add_integer<std::uint64_t, std::uint64_t>(Arithmetic::kUint64);
    add_integer<Int128, Uint128>(Arithmetic::kInt128);
    add_real<Half>(Arithmetic::kFloat16, Arithmetic::kComplex16);
    add_real<float>(Arithmetic::kFloat32, Arithmetic::kComplex32);
    add_real<double>(Arithmetic::kFloat64, Arithmetic::kComplex64);
    add_real<long double>(Arithmetic::kLongDouble, Arithmetic::kComplexLongDouble);
    add_real<Float128>(Arithmetic::kFloat128, Arithmetic::kComplex128);
#define STARLING_ADD_PAIR(id, value, index)                                        \
  at(PredefinedOp::kMinloc, Arithmetic::id) = combine_located<value, index, Less>; \
  at(PredefinedOp::kMaxloc, Arithmetic::id) = combine_located<value, index, Greater>;
    STARLING_PAIRS(STARLING_ADD_PAIR)
#undef STARLING_ADD_PAIR
  }
  [[nodiscard]] constexpr KernelTable table() const { return table_; }

 private:
  KernelTable table_;
};

}  // namespace
}  // namespace starling::datatype
