// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction operations as objects: which types each takes (MPI-5.0, 6.9.2), who commutes, what the user's see (6.9.5).
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

enum Group : unsigned {
  kCInteger = 1,
  kFortranInteger = 2,
  kReal = 4,
  kLogical = 8,
  kComplex = 16,
  kByte = 32,
  kMultiLanguage = 64,
  kPair = 128,
  kCharacter = 256,
};

struct Type {
  MPI_Datatype type;
  Group group;
};
const Type kTypes[] = {{MPI_INT, kCInteger},
                       {MPI_LONG, kCInteger},
                       {MPI_SHORT, kCInteger},
                       {MPI_UNSIGNED_SHORT, kCInteger},
                       {MPI_UNSIGNED, kCInteger},
                       {MPI_UNSIGNED_LONG, kCInteger},
                       {MPI_LONG_LONG, kCInteger},
                       {MPI_UNSIGNED_LONG_LONG, kCInteger},
                       {MPI_CHAR, kCInteger},  // not in the standard's table; see below
                       {MPI_SIGNED_CHAR, kCInteger},
                       {MPI_UNSIGNED_CHAR, kCInteger},
                       {MPI_INT8_T, kCInteger},
                       {MPI_INT16_T, kCInteger},
                       {MPI_INT32_T, kCInteger},
                       {MPI_INT64_T, kCInteger},
                       {MPI_UINT8_T, kCInteger},
                       {MPI_UINT16_T, kCInteger},
                       {MPI_UINT32_T, kCInteger},
                       {MPI_UINT64_T, kCInteger},
                       {MPI_INTEGER, kFortranInteger},
                       {MPI_INTEGER1, kFortranInteger},
                       {MPI_INTEGER2, kFortranInteger},
                       {MPI_INTEGER4, kFortranInteger},
                       {MPI_INTEGER8, kFortranInteger},
                       {MPI_INTEGER16, kFortranInteger},
                       {MPI_FLOAT, kReal},
                       {MPI_DOUBLE, kReal},
                       {MPI_LONG_DOUBLE, kReal},
                       {MPI_REAL, kReal},
                       {MPI_DOUBLE_PRECISION, kReal},
#if MPI_VERSION >= 5
                       {MPI_REAL2, kReal},
                       {MPI_COMPLEX4, kComplex},
#endif
                       {MPI_REAL4, kReal},
                       {MPI_REAL8, kReal},
                       {MPI_REAL16, kReal},
                       {MPI_LOGICAL, kLogical},
                       {MPI_C_BOOL, kLogical},
                       {MPI_CXX_BOOL, kLogical},
                       {MPI_COMPLEX, kComplex},
                       {MPI_DOUBLE_COMPLEX, kComplex},
                       {MPI_C_FLOAT_COMPLEX, kComplex},
                       {MPI_C_DOUBLE_COMPLEX, kComplex},
                       {MPI_C_LONG_DOUBLE_COMPLEX, kComplex},
                       {MPI_CXX_FLOAT_COMPLEX, kComplex},
                       {MPI_CXX_DOUBLE_COMPLEX, kComplex},
                       {MPI_CXX_LONG_DOUBLE_COMPLEX, kComplex},
                       {MPI_COMPLEX8, kComplex},
                       {MPI_COMPLEX16, kComplex},
                       {MPI_COMPLEX32, kComplex},
                       {MPI_BYTE, kByte},
                       {MPI_AINT, kMultiLanguage},
                       {MPI_OFFSET, kMultiLanguage},
                       {MPI_COUNT, kMultiLanguage},
                       {MPI_FLOAT_INT, kPair},
                       {MPI_DOUBLE_INT, kPair},
                       {MPI_LONG_INT, kPair},
                       {MPI_2INT, kPair},
                       {MPI_SHORT_INT, kPair},
                       {MPI_LONG_DOUBLE_INT, kPair},
                       {MPI_2REAL, kPair},
                       {MPI_2DOUBLE_PRECISION, kPair},
                       {MPI_2INTEGER, kPair},
                       {MPI_WCHAR, kCharacter},
                       {MPI_CHARACTER, kCharacter}};

/// Bytes of the first number of a type that an operator writes: not the padding of a long double, nor of a pair.
std::size_t bytes_of(MPI_Datatype type) {
  const MPI_Datatype padded[] = {MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX,
                                 MPI_LONG_DOUBLE_INT};
  for (const MPI_Datatype one : padded) {
    if (one == type) return 10;
  }
  int size = 0;
  MPI_Type_size(type, &size);
  return type == MPI_SHORT_INT ? 2 : static_cast<std::size_t>(size);
}

std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  MPI_Type_get_name(type, name, &length);
  return name;
}

struct Operator {
  MPI_Op op;
  unsigned groups;
  bool keeps_equals;  ///< x OP x is x
};
constexpr unsigned kOrdered = kCInteger | kFortranInteger | kReal | kMultiLanguage;
constexpr unsigned kBits = kCInteger | kFortranInteger | kByte | kMultiLanguage;
const Operator kOperators[] = {{MPI_MAX, kOrdered, true},
                               {MPI_MIN, kOrdered, true},
                               {MPI_SUM, kOrdered | kComplex, false},
                               {MPI_PROD, kOrdered | kComplex, false},
                               {MPI_LAND, kCInteger | kLogical, false},
                               {MPI_LOR, kCInteger | kLogical, false},
                               {MPI_LXOR, kCInteger | kLogical, false},
                               {MPI_BAND, kBits, true},
                               {MPI_BOR, kBits, true},
                               {MPI_BXOR, kBits, false},
                               {MPI_MAXLOC, kPair, true},
                               {MPI_MINLOC, kPair, true}};

MPI_CASE("each predefined operator takes the types of its row in the standard's table, on every rank", 1, 4) {
  const ReturnErrors errors;
  for (const Operator& one : kOperators) {
    for (const Type& type : kTypes) {
      alignas(16) unsigned char in[64] = {}, out[64];
      std::memset(out, 0x55, sizeof out);
      const int code = MPI_Allreduce(in, out, 1, type.type, one.op, world.comm);
      // Logical operators on multi-language types are neither promised nor forbidden.
      if (type.group == kMultiLanguage && (one.groups & kLogical) != 0) continue;
      if ((one.groups & type.group) == 0) {
        CHECK_EQ(class_of(code), MPI_ERR_OP);
        continue;
      }
      CHECK_EQ(code, MPI_SUCCESS);
      // Zero OP zero is zero under every operator.
      if (std::memcmp(out, in, bytes_of(type.type)) != 0) FAIL(name_of(type.type) + " is not zero");
    }
  }
}

MPI_CASE("MPI_CHAR is a small integer to every operator, as programs expect", 1, 8) {
  const char values[] = {static_cast<char>(-3), 120, 5, 0};  // 253 where char has no sign
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
  for (const MPI_Op op : ops) {
    char in[4], out[4], as_signed[4];
    for (int i = 0; i < 4; ++i) {
      in[i] = values[i];
      out[i] = as_signed[i] = values[(i + 1) % 4];
    }
    MPI_Reduce_local(in, out, 4, MPI_CHAR, op);
    MPI_Reduce_local(in, as_signed, 4, std::is_signed_v<char> ? MPI_SIGNED_CHAR : MPI_UNSIGNED_CHAR, op);
    CHECK(std::equal(out, out + 4, as_signed));
    if (op == MPI_MIN) CHECK(out[0] == std::min(values[0], values[1]) && out[3] == std::min(values[3], values[0]));
    char all = 0;
    MPI_Allreduce(values, &all, 1, MPI_CHAR, op, world.comm);
    if (op == MPI_SUM) CHECK_EQ(all, static_cast<char>(-3 * world.size));
    if (op == MPI_MAX) CHECK_EQ(all, values[0]);
  }
}

MPI_CASE("operators that keep equal operands give them back bit for bit", 1, 1) {
  for (const Operator& one : kOperators) {
    if (!one.keeps_equals) continue;
    for (const Type& type : kTypes) {
      if ((one.groups & type.group) == 0) continue;
      int size = 0;
      MPI_Type_size(type.type, &size);
      std::vector<unsigned char> in(static_cast<std::size_t>(size) + 16), out(in.size());
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = out[i] = static_cast<unsigned char>(1 + i % 3);
      MPI_Reduce_local(in.data(), out.data(), 1, type.type, one.op);
      // The bytes behind the ten of a long double hold no value, and need not be copied.
      const bool has_padding = type.type == MPI_LONG_DOUBLE || type.type == MPI_LONG_DOUBLE_INT;
      const auto end = has_padding ? in.begin() + 10 : in.end();
      if (!std::equal(in.begin(), end, out.begin())) FAIL(name_of(type.type) + " has changed");
    }
  }
}

MPI_CASE("an operator tells whether it commutes", 1, 1) {
  int commute = -1;
  for (const Operator& one : kOperators) {
    MPI_Op_commutative(one.op, &commute);
    CHECK_EQ(commute, 1);
  }
  for (const int asked : {0, 1}) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, asked, &op);
    MPI_Op_commutative(op, &commute);
    CHECK_EQ(commute, asked);
    MPI_Op_free(&op);
    CHECK(op == MPI_OP_NULL);
  }
}

/// x OP y of strings of digits: appends, so that the order shows.
struct Digits {
  int length;
  char text[28];
};

void append(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    Digits joined = static_cast<Digits*>(in)[i];
    Digits& second = static_cast<Digits*>(inout)[i];
    std::memcpy(joined.text + joined.length, second.text, static_cast<std::size_t>(second.length));
    joined.length += second.length;
    second = joined;
  }
}
void append_large(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  int small = static_cast<int>(*count);
  append(in, inout, &small, type);
}

MPI_CASE("an operator of either form that does not commute joins the ranks in their order", 1, 8) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(sizeof(Digits)), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Op ops[2] = {MPI_OP_NULL, MPI_OP_NULL};
  MPI_Op_create(append, 0, &ops[0]);
  MPI_Op_create_c(append_large, 0, &ops[1]);
  std::string expected, before;
  for (int rank = 0; rank < world.size; ++rank) expected += static_cast<char>('0' + rank);
  before = expected.substr(0, static_cast<std::size_t>(world.rank) + 1);
  for (MPI_Op op : ops) {
    for (const int count : {1, 3, 500}) {
      const std::vector<Digits> mine(static_cast<std::size_t>(count), Digits{1, {static_cast<char>('0' + world.rank)}});
      std::vector<Digits> all(mine.size());
      MPI_Allreduce(mine.data(), all.data(), count, type, op, world.comm);
      for (const Digits& one : all) CHECK_EQ(std::string(one.text, static_cast<std::size_t>(one.length)), expected);
      MPI_Scan(mine.data(), all.data(), count, type, op, world.comm);
      for (const Digits& one : all) CHECK_EQ(std::string(one.text, static_cast<std::size_t>(one.length)), before);
      MPI_Reduce(mine.data(), all.data(), count, type, op, world.size - 1, world.comm);
      if (world.rank == world.size - 1) {
        for (const Digits& one : all) CHECK_EQ(std::string(one.text, static_cast<std::size_t>(one.length)), expected);
      }
    }
    MPI_Op_free(&op);
  }
  MPI_Type_free(&type);
}

MPI_CASE("wrong operators are refused", 1, 1) {
  const ReturnErrors errors;
  int in = 1, out = 2;
  CHECK_EQ(class_of(MPI_Reduce_local(&in, &out, 1, MPI_INT, MPI_OP_NULL)), MPI_ERR_OP);
  CHECK_EQ(class_of(MPI_Reduce_local(&in, &out, 1, MPI_INT, MPI_REPLACE)), MPI_ERR_OP);
  CHECK_EQ(class_of(MPI_Reduce_local(&in, &out, -1, MPI_INT, MPI_SUM)), MPI_ERR_COUNT);
  MPI_Op op = MPI_SUM;
  CHECK_EQ(class_of(MPI_Op_free(&op)), MPI_ERR_OP);
  CHECK_EQ(class_of(MPI_Op_create(nullptr, 1, &op)), MPI_ERR_ARG);
  CHECK_EQ(out, 2);
}

}  // namespace
}  // namespace starling::tests
