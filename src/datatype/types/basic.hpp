// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The predefined datatypes as a table of facts: name, ABI code, size, alignment, extent, arithmetic.
// Thread safety: constants. Sources: MPI-5.0 chapters 3.2.2, 6.9.2, 6.9.4 and 20 (handle values).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace starling::datatype {

/// The group of MPI-5.0 6.9.2 that a type belongs to; it decides which operators take it.
enum class Group : std::uint8_t {
  kCInteger,
  kFortranInteger,
  kFloatingPoint,
  kLogical,
  kComplex,
  kByte,
  kMultiLanguage,
  kPair,
  kNone,  // wide and Fortran characters, packed data: no operator but replace and no_op
};

/// How the bits of a type are computed with. Many types share one.
enum class Arithmetic : std::uint8_t {
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kInt128,
  kFloat16,
  kFloat32,
  kFloat64,
  kLongDouble,
  kFloat128,
  kComplex16,
  kComplex32,
  kComplex64,
  kComplexLongDouble,
  kComplex128,
  kFloatInt,
  kDoubleInt,
  kLongInt,
  kIntInt,
  kShortInt,
  kLongDoubleInt,
  kFloatFloat,
  kDoubleDouble,
  kNone,
  /// Of plain char, whose sign is the processor's habit: on x86-64 it has one, on aarch64 not.
  kPlainChar = static_cast<char>(-1) < 0 ? kInt8 : kUint8
};
inline constexpr std::size_t kArithmeticCount = static_cast<std::size_t>(Arithmetic::kNone);

// One row for each predefined type: id, low byte of its ABI handle 0x200 + code, MPI name, group, arithmetic.
// Sizes and alignments follow from the arithmetic. In the ABI, Fortran's default kinds are the usual 4 and 8 bytes.
#define STARLING_BASIC_TYPES(ROW)                                                             \
  ROW(kAint, 0x01, MPI_AINT, kMultiLanguage, kInt64)                                          \
  ROW(kCount, 0x02, MPI_COUNT, kMultiLanguage, kInt64)                                        \
  ROW(kOffset, 0x03, MPI_OFFSET, kMultiLanguage, kInt64)                                      \
  ROW(kPacked, 0x07, MPI_PACKED, kNone, kUint8)                                               \
  ROW(kShort, 0x08, MPI_SHORT, kCInteger, kInt16)                                             \
  ROW(kInt, 0x09, MPI_INT, kCInteger, kInt32)                                                 \
  ROW(kLong, 0x0a, MPI_LONG, kCInteger, kInt64)                                               \
  ROW(kLongLong, 0x0b, MPI_LONG_LONG, kCInteger, kInt64)                                      \
  ROW(kUnsignedShort, 0x0c, MPI_UNSIGNED_SHORT, kCInteger, kUint16)                           \
  ROW(kUnsigned, 0x0d, MPI_UNSIGNED, kCInteger, kUint32)                                      \
  ROW(kUnsignedLong, 0x0e, MPI_UNSIGNED_LONG, kCInteger, kUint64)                             \
  ROW(kUnsignedLongLong, 0x0f, MPI_UNSIGNED_LONG_LONG, kCInteger, kUint64)                    \
  ROW(kFloat, 0x10, MPI_FLOAT, kFloatingPoint, kFloat32)                                      \
  ROW(kCFloatComplex, 0x12, MPI_C_COMPLEX, kComplex, kComplex32)                              \
  ROW(kCxxFloatComplex, 0x13, MPI_CXX_FLOAT_COMPLEX, kComplex, kComplex32)                    \
  ROW(kDouble, 0x14, MPI_DOUBLE, kFloatingPoint, kFloat64)                                    \
  ROW(kCDoubleComplex, 0x16, MPI_C_DOUBLE_COMPLEX, kComplex, kComplex64)                      \
  ROW(kCxxDoubleComplex, 0x17, MPI_CXX_DOUBLE_COMPLEX, kComplex, kComplex64)                  \
  ROW(kLogical, 0x18, MPI_LOGICAL, kLogical, kInt32)                                          \
  ROW(kInteger, 0x19, MPI_INTEGER, kFortranInteger, kInt32)                                   \
  ROW(kReal, 0x1a, MPI_REAL, kFloatingPoint, kFloat32)                                        \
  ROW(kComplex, 0x1b, MPI_COMPLEX, kComplex, kComplex32)                                      \
  ROW(kDoublePrecision, 0x1c, MPI_DOUBLE_PRECISION, kFloatingPoint, kFloat64)                 \
  ROW(kDoubleComplex, 0x1d, MPI_DOUBLE_COMPLEX, kComplex, kComplex64)                         \
  ROW(kCharacter, 0x1e, MPI_CHARACTER, kNone, kUint8)                                         \
  ROW(kLongDouble, 0x20, MPI_LONG_DOUBLE, kFloatingPoint, kLongDouble)                        \
  ROW(kCLongDoubleComplex, 0x24, MPI_C_LONG_DOUBLE_COMPLEX, kComplex, kComplexLongDouble)     \
  ROW(kCxxLongDoubleComplex, 0x25, MPI_CXX_LONG_DOUBLE_COMPLEX, kComplex, kComplexLongDouble) \
  ROW(kFloatInt, 0x28, MPI_FLOAT_INT, kPair, kFloatInt)                                       \
  ROW(kDoubleInt, 0x29, MPI_DOUBLE_INT, kPair, kDoubleInt)                                    \
  ROW(kLongInt, 0x2a, MPI_LONG_INT, kPair, kLongInt)                                          \
  ROW(k2Int, 0x2b, MPI_2INT, kPair, kIntInt)                                                  \
  ROW(kShortInt, 0x2c, MPI_SHORT_INT, kPair, kShortInt)                                       \
  ROW(kLongDoubleInt, 0x2d, MPI_LONG_DOUBLE_INT, kPair, kLongDoubleInt)                       \
  ROW(k2Real, 0x30, MPI_2REAL, kPair, kFloatFloat)                                            \
  ROW(k2DoublePrecision, 0x31, MPI_2DOUBLE_PRECISION, kPair, kDoubleDouble)                   \
  ROW(k2Integer, 0x32, MPI_2INTEGER, kPair, kIntInt)                                          \
  ROW(kCBool, 0x38, MPI_C_BOOL, kLogical, kUint8)                                             \
  ROW(kCxxBool, 0x39, MPI_CXX_BOOL, kLogical, kUint8)                                         \
  ROW(kWchar, 0x3c, MPI_WCHAR, kNone, kInt32)                                                 \
  ROW(kInt8, 0x40, MPI_INT8_T, kCInteger, kInt8)                                              \
  ROW(kUint8, 0x41, MPI_UINT8_T, kCInteger, kUint8)                                           \
  ROW(kChar, 0x43, MPI_CHAR, kCInteger, kPlainChar)                                           \
  ROW(kSignedChar, 0x44, MPI_SIGNED_CHAR, kCInteger, kInt8)                                   \
  ROW(kUnsignedChar, 0x45, MPI_UNSIGNED_CHAR, kCInteger, kUint8)                              \
  ROW(kByte, 0x47, MPI_BYTE, kByte, kUint8)                                                   \
  ROW(kInt16, 0x48, MPI_INT16_T, kCInteger, kInt16)                                           \
  ROW(kUint16, 0x49, MPI_UINT16_T, kCInteger, kUint16)                                        \
  ROW(kInt32, 0x50, MPI_INT32_T, kCInteger, kInt32)                                           \
  ROW(kUint32, 0x51, MPI_UINT32_T, kCInteger, kUint32)                                        \
  ROW(kInt64, 0x58, MPI_INT64_T, kCInteger, kInt64)                                           \
  ROW(kUint64, 0x59, MPI_UINT64_T, kCInteger, kUint64)                                        \
  ROW(kLogical1, 0xc0, MPI_LOGICAL1, kLogical, kInt8)                                         \
  ROW(kInteger1, 0xc1, MPI_INTEGER1, kFortranInteger, kInt8)                                  \
  ROW(kLogical2, 0xc8, MPI_LOGICAL2, kLogical, kInt16)                                        \
  ROW(kInteger2, 0xc9, MPI_INTEGER2, kFortranInteger, kInt16)                                 \
  ROW(kReal2, 0xca, MPI_REAL2, kFloatingPoint, kFloat16)                                      \
  ROW(kLogical4, 0xd0, MPI_LOGICAL4, kLogical, kInt32)                                        \
  ROW(kInteger4, 0xd1, MPI_INTEGER4, kFortranInteger, kInt32)                                 \
  ROW(kReal4, 0xd2, MPI_REAL4, kFloatingPoint, kFloat32)                                      \
  ROW(kComplex4, 0xd3, MPI_COMPLEX4, kComplex, kComplex16)                                    \
  ROW(kLogical8, 0xd8, MPI_LOGICAL8, kLogical, kInt64)                                        \
  ROW(kInteger8, 0xd9, MPI_INTEGER8, kFortranInteger, kInt64)                                 \
  ROW(kReal8, 0xda, MPI_REAL8, kFloatingPoint, kFloat64)                                      \
  ROW(kComplex8, 0xdb, MPI_COMPLEX8, kComplex, kComplex32)                                    \
  ROW(kLogical16, 0xe0, MPI_LOGICAL16, kLogical, kInt128)                                     \
  ROW(kInteger16, 0xe1, MPI_INTEGER16, kFortranInteger, kInt128)                              \
  ROW(kReal16, 0xe2, MPI_REAL16, kFloatingPoint, kFloat128)                                   \
  ROW(kComplex16, 0xe3, MPI_COMPLEX16, kComplex, kComplex64)                                  \
  ROW(kComplex32, 0xeb, MPI_COMPLEX32, kComplex, kComplex128)

enum class Basic : std::uint8_t {
#define STARLING_BASIC_ID(id, code, text, group, arithmetic) id,
  STARLING_BASIC_TYPES(STARLING_BASIC_ID)
#undef STARLING_BASIC_ID
      kNone,  // not a predefined type, or a derived type that mixes several
};
inline constexpr std::size_t kBasicCount = static_cast<std::size_t>(Basic::kNone);

struct BasicInfo {
  const char* name;
  std::uint8_t code;  ///< its ABI handle is 0x200 + code
  Group group;
  Arithmetic arithmetic;
  std::uint8_t size;         ///< bytes of data
  std::uint8_t alignment;    ///< bytes
  std::uint8_t extent;       ///< bytes from one element of an array to the next
  std::uint8_t true_extent;  ///< bytes from the first to the last byte of data
  std::uint8_t elements;     ///< 2 for the pair types, else 1
};

[[nodiscard]] const BasicInfo& info(Basic type) noexcept;

/// "MPI_INT" and so on; "derived" for Basic::kNone.
[[nodiscard]] const char* name(Basic type) noexcept;

/// The type whose ABI handle is 0x200 + code, if there is one.
[[nodiscard]] std::optional<Basic> basic_from_code(std::uint32_t code) noexcept;

}  // namespace starling::datatype
