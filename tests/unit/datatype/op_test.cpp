// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Every operator on every predefined type: allowed exactly where the standard's table says so, and computing what a
// plain loop over the language type computes.
#include "datatype/op/op.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "datatype/types/arithmetic.hpp"

namespace starling::datatype::test {
namespace {

using Names = std::set<std::string>;

// MPI-5.0 6.9.2, by name.
// MPI_CHAR is not in the standard's table, but programs compute with it.
const Names kCIntegers = {"MPI_CHAR",
                          "MPI_INT",
                          "MPI_LONG",
                          "MPI_SHORT",
                          "MPI_UNSIGNED_SHORT",
                          "MPI_UNSIGNED",
                          "MPI_UNSIGNED_LONG",
                          "MPI_LONG_LONG",
                          "MPI_UNSIGNED_LONG_LONG",
                          "MPI_SIGNED_CHAR",
                          "MPI_UNSIGNED_CHAR",
                          "MPI_INT8_T",
                          "MPI_INT16_T",
                          "MPI_INT32_T",
                          "MPI_INT64_T",
                          "MPI_UINT8_T",
                          "MPI_UINT16_T",
                          "MPI_UINT32_T",
                          "MPI_UINT64_T"};
const Names kFortranIntegers = {"MPI_INTEGER",  "MPI_INTEGER1", "MPI_INTEGER2",
                                "MPI_INTEGER4", "MPI_INTEGER8", "MPI_INTEGER16"};
const Names kFloats = {"MPI_FLOAT", "MPI_DOUBLE", "MPI_REAL",  "MPI_DOUBLE_PRECISION", "MPI_LONG_DOUBLE", "MPI_REAL2",
                       "MPI_REAL4", "MPI_REAL8",  "MPI_REAL16"};
const Names kLogicals = {"MPI_LOGICAL",  "MPI_C_BOOL",   "MPI_CXX_BOOL", "MPI_LOGICAL1",
                         "MPI_LOGICAL2", "MPI_LOGICAL4", "MPI_LOGICAL8", "MPI_LOGICAL16"};
const Names kComplexes = {"MPI_COMPLEX",
                          "MPI_C_COMPLEX",
                          "MPI_C_DOUBLE_COMPLEX",
                          "MPI_C_LONG_DOUBLE_COMPLEX",
                          "MPI_CXX_FLOAT_COMPLEX",
                          "MPI_CXX_DOUBLE_COMPLEX",
                          "MPI_CXX_LONG_DOUBLE_COMPLEX",
                          "MPI_DOUBLE_COMPLEX",
                          "MPI_COMPLEX4",
                          "MPI_COMPLEX8",
                          "MPI_COMPLEX16",
                          "MPI_COMPLEX32"};
const Names kBytes = {"MPI_BYTE"};
const Names kMultiLanguage = {"MPI_AINT", "MPI_OFFSET", "MPI_COUNT"};
const Names kPairs = {"MPI_FLOAT_INT",       "MPI_DOUBLE_INT", "MPI_LONG_INT",          "MPI_2INT",    "MPI_SHORT_INT",
                      "MPI_LONG_DOUBLE_INT", "MPI_2REAL",      "MPI_2DOUBLE_PRECISION", "MPI_2INTEGER"};

Names operator+(const Names& a, const Names& b) {
  Names both = a;
  both.insert(b.begin(), b.end());
  return both;
}

Names allowed(PredefinedOp op) {
  const Names ordered = kCIntegers + kFortranIntegers + kFloats + kMultiLanguage;
  switch (op) {
    case PredefinedOp::kMin:
    case PredefinedOp::kMax: return ordered;
    case PredefinedOp::kSum:
    case PredefinedOp::kProd: return ordered + kComplexes;
    case PredefinedOp::kLand:
    case PredefinedOp::kLor:
    case PredefinedOp::kLxor: return kCIntegers + kLogicals + kMultiLanguage;
    case PredefinedOp::kBand:
    case PredefinedOp::kBor:
    case PredefinedOp::kBxor: return kCIntegers + kFortranIntegers + kBytes + kMultiLanguage;
    case PredefinedOp::kMinloc:
    case PredefinedOp::kMaxloc: return kPairs;
    default: return {};
  }
}

template <typename Body>
void for_each_pair(Body body) {
  for (std::size_t o = 0; o < kKernelOpCount; ++o) {
    for (std::size_t t = 0; t < kBasicCount; ++t) body(static_cast<PredefinedOp>(o), static_cast<Basic>(t));
  }
}

TEST(Operators, TakeTheTypesOfTheStandardAndMpiCharAndNoOthers) {
  for_each_pair([](PredefinedOp op, Basic type) {
    const bool expected = allowed(op).contains(name(type));
    EXPECT_EQ(valid(predefined(op), predefined(type)), expected) << name(op) << " on " << name(type);
    EXPECT_EQ(find_kernel(op, type) != nullptr, expected) << name(op) << " on " << name(type);
  });
}

TEST(Operators, NameBothSidesWhenTheyDoNotFit) {
  double value = 1;
  const Status status = predefined(PredefinedOp::kBand).apply(&value, &value, 1, predefined(Basic::kDouble));
  EXPECT_EQ(status.error_class(), ErrorClass::kOp);
  EXPECT_NE(status.message().find("MPI_BAND"), std::string::npos);
  EXPECT_NE(status.message().find("MPI_DOUBLE"), std::string::npos);
}

TEST(Operators, RefuseDerivedTypesUnlessTheyAreTheUsers) {
  const auto type = Datatype::contiguous(2, predefined(Basic::kInt));
  EXPECT_FALSE(valid(predefined(PredefinedOp::kSum), *type.value()));
  EXPECT_EQ(check(predefined(PredefinedOp::kSum), *type.value()).error_class(), ErrorClass::kOp);
  const auto user = Op::user([](void*, void*, int*, void*) {}, Commutes::kYes);
  EXPECT_TRUE(valid(*user.value(), *type.value()));
}

// ---- values: a plain loop for each language type ----

template <typename T>
struct Traits {
  static constexpr bool kInteger = false;
  static constexpr bool kComplex = false;
};
#define STARLING_INTEGER_TRAITS(type)       \
  template <>                               \
  struct Traits<type> {                     \
    static constexpr bool kInteger = true;  \
    static constexpr bool kComplex = false; \
  };
STARLING_INTEGER_TRAITS(std::int8_t)
STARLING_INTEGER_TRAITS(std::uint8_t)
STARLING_INTEGER_TRAITS(std::int16_t)
STARLING_INTEGER_TRAITS(std::uint16_t)
STARLING_INTEGER_TRAITS(std::int32_t)
STARLING_INTEGER_TRAITS(std::uint32_t)
STARLING_INTEGER_TRAITS(std::int64_t)
STARLING_INTEGER_TRAITS(std::uint64_t)
STARLING_INTEGER_TRAITS(Int128)
template <typename T>
struct Traits<Complex<T>> {
  static constexpr bool kInteger = false;
  static constexpr bool kComplex = true;
};

template <typename T>
T integer_result(PredefinedOp op, T a, T b) {
  const auto wide_a = static_cast<Uint128>(a);
  const auto wide_b = static_cast<Uint128>(b);
  switch (op) {
    case PredefinedOp::kSum: return static_cast<T>(wide_a + wide_b);
    case PredefinedOp::kProd: return static_cast<T>(wide_a * wide_b);
    case PredefinedOp::kMin: return b < a ? b : a;
    case PredefinedOp::kMax: return b < a ? a : b;
    case PredefinedOp::kBand: return static_cast<T>(wide_a & wide_b);
    case PredefinedOp::kBor: return static_cast<T>(wide_a | wide_b);
    case PredefinedOp::kBxor: return static_cast<T>(wide_a ^ wide_b);
    case PredefinedOp::kLand: return static_cast<T>(a && b ? 1 : 0);
    case PredefinedOp::kLor: return static_cast<T>(a || b ? 1 : 0);
    case PredefinedOp::kLxor: return static_cast<T>(!a != !b ? 1 : 0);
    default: ADD_FAILURE() << "no reference for " << name(op); return a;
  }
}

template <typename T>
T result(PredefinedOp op, const T& a, const T& b) {
  if constexpr (Traits<T>::kInteger) {
    return integer_result(op, a, b);
  } else if constexpr (Traits<T>::kComplex) {
    if (op == PredefinedOp::kSum) return {a.real + b.real, a.imaginary + b.imaginary};
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  } else {
    if (op == PredefinedOp::kSum) return a + b;
    if (op == PredefinedOp::kProd) return a * b;
    return (op == PredefinedOp::kMin) == (a < b) ? a : b;
  }
}

template <typename V, typename I>
struct Located {
  V value;
  I index;
};

template <typename T>
struct IsPair : std::false_type {};
template <typename V, typename I>
struct IsPair<Located<V, I>> : std::true_type {};

class Values {
 public:
  explicit Values(std::uint32_t seed) : random_(seed) {}

  template <typename T>
  void next(T& value) {
    if constexpr (IsPair<T>::value) {
      // Few distinct values, so that ties occur.
      value.value = static_cast<decltype(value.value)>(random_() % 4);
      value.index = static_cast<decltype(value.index)>(random_() % 9);
    } else if constexpr (Traits<T>::kComplex) {
      next(value.real);
      next(value.imaginary);
    } else if constexpr (Traits<T>::kInteger) {
      // Often zero, for the logical operators.
      value = random_() % 3 == 0 ? T{0} : static_cast<T>((static_cast<Uint128>(random_()) << 64) + random_());
    } else {
      value = static_cast<T>(static_cast<double>(random_()) / 1e18 - 9);
    }
  }

 private:
  std::mt19937_64 random_;
};

template <typename T>
T load(const std::vector<std::byte>& from, std::size_t offset) {
  T value;
  std::memcpy(&value, from.data() + offset, sizeof(T));
  return value;
}

template <typename T>
bool same(const T& a, const T& b) {
  if constexpr (IsPair<T>::value) {
    return a.value == b.value && a.index == b.index;
  } else if constexpr (Traits<T>::kComplex) {
    return a.real == b.real && a.imaginary == b.imaginary;
  } else {
    return a == b;
  }
}

template <typename T>
T expected_of(PredefinedOp op, const T& a, const T& b) {
  if constexpr (IsPair<T>::value) {
    const bool a_first = op == PredefinedOp::kMinloc ? a.value < b.value : a.value > b.value;
    if (a_first) return a;
    if (a.value == b.value) return {a.value, a.index < b.index ? a.index : b.index};
    return b;
  } else {
    return result(op, a, b);
  }
}

// One operator on one type: several lengths, starts off any alignment, and guard bytes behind the last element.
template <typename T>
void expect_computes(PredefinedOp op, Basic type) {
  ASSERT_EQ(predefined(type).extent(), static_cast<std::int64_t>(sizeof(T)));
  Values values(static_cast<std::uint32_t>(type));
  for (const std::size_t count : {1U, 2U, 3U, 17U, 64U, 131U}) {
    for (const std::size_t offset : {0U, 1U}) {
      std::vector<std::byte> in(offset + count * sizeof(T));
      std::vector<std::byte> inout(offset + count * sizeof(T) + 16, std::byte{0xAB});
      for (std::size_t i = 0; i < count; ++i) {
        T a{};
        T b{};
        values.next(a);
        values.next(b);
        std::memcpy(in.data() + offset + i * sizeof(T), &a, sizeof(T));
        std::memcpy(inout.data() + offset + i * sizeof(T), &b, sizeof(T));
      }
      const std::vector<std::byte> before = inout;
      ASSERT_TRUE(
          predefined(op)
              .apply(in.data() + offset, inout.data() + offset, static_cast<std::int64_t>(count), predefined(type))
              .ok());
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = offset + i * sizeof(T);
        const T expected = expected_of(op, load<T>(in, at), load<T>(before, at));
        ASSERT_TRUE(same(load<T>(inout, at), expected))
            << name(op) << " on " << name(type) << ", element " << i << " of " << count;
      }
      for (std::size_t i = 0; i < 16; ++i) ASSERT_EQ(inout[inout.size() - 1 - i], std::byte{0xAB});
    }
  }
}

void expect_computes(PredefinedOp op, Basic type) {
  switch (info(type).arithmetic) {
#define STARLING_CHECK_SCALAR(id, language_type)                                                           \
  case Arithmetic::id:                                                                                     \
    if constexpr (!std::is_same_v<language_type, Half> && !std::is_same_v<language_type, Complex<Half>>) { \
      expect_computes<language_type>(op, type);                                                            \
    }                                                                                                      \
    break;
    STARLING_SCALARS(STARLING_CHECK_SCALAR)
#undef STARLING_CHECK_SCALAR
#define STARLING_CHECK_PAIR(id, value, index) \
  case Arithmetic::id: expect_computes<Located<value, index>>(op, type); break;
    STARLING_PAIRS(STARLING_CHECK_PAIR)
#undef STARLING_CHECK_PAIR
    case Arithmetic::kNone: FAIL() << name(type) << " has no arithmetic";
  }
}

TEST(Operators, ComputeWhatAPlainLoopComputes) {
  for_each_pair([](PredefinedOp op, Basic type) {
    if (find_kernel(op, type)) expect_computes(op, type);
  });
}

TEST(Operators, DoNothingForNoElementsAndRefuseNegativeCounts) {
  const Op& sum = predefined(PredefinedOp::kSum);
  EXPECT_TRUE(sum.apply(nullptr, nullptr, 0, predefined(Basic::kInt)).ok());
  EXPECT_EQ(sum.apply(nullptr, nullptr, -1, predefined(Basic::kInt)).error_class(), ErrorClass::kCount);
}

TEST(Operators, ReplaceAndKeepForOneSidedCommunication) {
  const int in[] = {1, 2};
  int inout[] = {3, 4};
  const Op& keep = predefined(PredefinedOp::kNoOp);
  ASSERT_TRUE(keep.apply(in, inout, 2, predefined(Basic::kInt)).ok());
  EXPECT_EQ(inout[0], 3);
  const Op& replace = predefined(PredefinedOp::kReplace);
  ASSERT_TRUE(replace.apply(in, inout, 2, predefined(Basic::kInt)).ok());
  EXPECT_EQ(inout[1], 2);
  EXPECT_TRUE(replace.is_for_rma_only());
  EXPECT_FALSE(replace.commutative());
  EXPECT_FALSE(predefined(PredefinedOp::kSum).is_for_rma_only());
}

// ---- the user's functions ----

struct Seen {
  int calls = 0;
  std::int64_t elements = 0;
  std::int64_t largest = 0;
  void* handle = nullptr;
};

Seen& seen() {
  static Seen record;
  return record;
}

void record_call(std::int64_t count, void* handle_address) {
  seen().calls += 1;
  seen().elements += count;
  seen().largest = std::max(seen().largest, count);
  seen().handle = *static_cast<void**>(handle_address);
}

TEST(UserOperators, SeeTheirOperandsInOrderWithTheHandle) {
  seen() = {};
  const auto op = Op::user(
      [](void* in, void* inout, int* count, void* handle_address) {
        record_call(*count, handle_address);
        for (int i = 0; i < *count; ++i) {
          int& target = static_cast<int*>(inout)[i];
          target = 10 * static_cast<int*>(in)[i] + target;
        }
      },
      Commutes::kNo);
  ASSERT_TRUE(op.ok());
  EXPECT_FALSE(op.value()->commutative());
  const int in[] = {1, 2};
  int inout[] = {3, 4};
  ASSERT_TRUE(op.value()->apply(in, inout, 2, predefined(Basic::kInt)).ok());
  EXPECT_EQ(inout[0], 13);
  EXPECT_EQ(inout[1], 24);
  EXPECT_EQ(seen().handle, predefined(Basic::kInt).user_handle());
}

TEST(UserOperators, OfTheSmallFormGetLongVectorsInSlices) {
  seen() = {};
  const auto op = Op::user([](void*, void*, int* count, void* handle_address) { record_call(*count, handle_address); },
                           Commutes::kYes);
  const std::int64_t count = 2 * std::int64_t{std::numeric_limits<int>::max()} + 5;
  ASSERT_TRUE(
      op.value()->apply(nullptr, nullptr, count, *Datatype::contiguous(0, predefined(Basic::kInt)).value()).ok());
  EXPECT_EQ(seen().calls, 3);
  EXPECT_EQ(seen().elements, count);
  EXPECT_EQ(seen().largest, std::numeric_limits<int>::max());
}

TEST(UserOperators, OfTheLargeFormGetThemAtOnce) {
  seen() = {};
  const auto op = Op::user_large(
      [](void*, void*, std::int64_t* count, void* handle_address) { record_call(*count, handle_address); },
      Commutes::kYes);
  const std::int64_t count = std::int64_t{1} << 40;
  ASSERT_TRUE(
      op.value()->apply(nullptr, nullptr, count, *Datatype::contiguous(0, predefined(Basic::kInt)).value()).ok());
  EXPECT_EQ(seen().calls, 1);
  EXPECT_EQ(seen().elements, count);
}

TEST(UserOperators, NeedAFunction) {
  EXPECT_EQ(Op::user(nullptr, Commutes::kYes).status().error_class(), ErrorClass::kArg);
  EXPECT_EQ(Op::user_large(nullptr, Commutes::kYes).status().error_class(), ErrorClass::kArg);
}

}  // namespace
}  // namespace starling::datatype::test
