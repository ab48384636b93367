// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Single constructors and inquiries: sizes, extents with padding, subarrays, names (MPI-5.0, 5.1).
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

int size_of(MPI_Datatype type) {
  int size = -1;
  MPI_Type_size(type, &size);
  return size;
}

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = -1;
  MPI_Type_get_extent(type, &lower, &extent);
  return extent;
}

MPI_CASE("predefined types have the sizes of their C types", 1, 1) {
  struct Known {
    MPI_Datatype type;
    std::size_t size;
  };
  const Known all[] = {{MPI_CHAR, 1},
                       {MPI_SHORT, sizeof(short)},
                       {MPI_INT, sizeof(int)},
                       {MPI_LONG, sizeof(long)},
                       {MPI_LONG_LONG, sizeof(long long)},
                       {MPI_UNSIGNED_LONG, sizeof(long)},
                       {MPI_FLOAT, 4},
                       {MPI_DOUBLE, 8},
                       {MPI_LONG_DOUBLE, sizeof(long double)},
                       {MPI_WCHAR, sizeof(wchar_t)},
                       {MPI_C_BOOL, sizeof(bool)},
                       {MPI_INT16_T, 2},
                       {MPI_UINT64_T, 8},
                       {MPI_C_DOUBLE_COMPLEX, 16},
                       {MPI_AINT, sizeof(MPI_Aint)},
                       {MPI_COUNT, sizeof(MPI_Count)},
                       {MPI_OFFSET, sizeof(MPI_Offset)},
                       {MPI_BYTE, 1},
                       {MPI_PACKED, 1}};
  for (const Known& known : all) {
    CHECK_EQ(static_cast<std::size_t>(size_of(known.type)), known.size);
    CHECK_EQ(static_cast<std::size_t>(extent_of(known.type)), known.size);
  }
  struct DoubleInt {
    double value;
    int place;
  };
  CHECK_EQ(size_of(MPI_DOUBLE_INT), 12);
  CHECK_EQ(extent_of(MPI_DOUBLE_INT), static_cast<MPI_Aint>(sizeof(DoubleInt)));
}

MPI_CASE("a struct's extent is that of the C struct, padding at its end included", 1, 1) {
  struct Item {
    double value;
    char letter;
  };
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {offsetof(Item, value), offsetof(Item, letter)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype item = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places, types, &item);
  CHECK_EQ(size_of(item), 9);
  CHECK_EQ(extent_of(item), static_cast<MPI_Aint>(sizeof(Item)));
  MPI_Aint lower = -1;
  MPI_Aint extent = -1;
  MPI_Type_get_true_extent(item, &lower, &extent);
  CHECK_EQ(lower, 0);
  CHECK_EQ(extent, 9);
  MPI_Type_free(&item);
}

MPI_CASE("a subarray picks its part in either order", 1, 1) {
  const int sizes[] = {5, 7};
  const int parts[] = {2, 3};
  const int starts[] = {1, 4};
  std::vector<int> matrix(35);
  std::iota(matrix.begin(), matrix.end(), 0);
  for (const bool c_order : {true, false}) {
    MPI_Datatype part = MPI_DATATYPE_NULL;
    int order = MPI_ORDER_FORTRAN;
    if (c_order) order = MPI_ORDER_C;
    MPI_Type_create_subarray(2, sizes, parts, starts, order, MPI_INT, &part);
    MPI_Type_commit(&part);
    CHECK_EQ(size_of(part), 6 * static_cast<int>(sizeof(int)));
    CHECK_EQ(extent_of(part), static_cast<MPI_Aint>(35 * sizeof(int)));
    int got[6];
    MPI_Sendrecv(matrix.data(), 1, part, 0, 1, got, 6, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    int next = 0;
    if (c_order) {
      for (int row = 1; row < 3; ++row) {
        for (int column = 4; column < 7; ++column) CHECK_EQ(got[next++], row * 7 + column);
      }
    } else {
      for (int column = 4; column < 7; ++column) {
        for (int row = 1; row < 3; ++row) CHECK_EQ(got[next++], column * 5 + row);
      }
    }
    MPI_Type_free(&part);
  }
}

MPI_CASE("a copy lives on when the original is freed", 1, 1) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 3, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_dup(pair, &copy);
  MPI_Type_free(&pair);
  CHECK(pair == MPI_DATATYPE_NULL);
  int out[4] = {1, 2, 3, 4};
  int in[2] = {};
  MPI_Sendrecv(out, 1, copy, 0, 1, in, 2, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK_EQ(in[0], 1);
  CHECK_EQ(in[1], 4);
  MPI_Type_free(&copy);
}

MPI_CASE("types made of a freed type keep what they need of it", 1, 1) {
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &inner);
  MPI_Type_contiguous(2, inner, &outer);
  MPI_Type_free(&inner);
  MPI_Type_commit(&outer);
  CHECK_EQ(size_of(outer), 6 * static_cast<int>(sizeof(int)));
  CHECK_EQ(extent_of(outer), static_cast<MPI_Aint>(10 * sizeof(int)));
  MPI_Type_free(&outer);
}

std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = -1;
  MPI_Type_get_name(type, name, &length);
  return std::string(name, static_cast<std::size_t>(length));
}

MPI_CASE("names of types", 1, 1) {
  CHECK_EQ(name_of(MPI_INT), "MPI_INT");
  CHECK_EQ(name_of(MPI_C_FLOAT_COMPLEX), "MPI_C_COMPLEX");
#if MPI_VERSION >= 5
  CHECK_EQ(name_of(MPI_DATATYPE_NULL), "MPI_DATATYPE_NULL");
#endif
  CHECK_EQ(name_of(MPI_DOUBLE_INT), "MPI_DOUBLE_INT");
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  CHECK_EQ(name_of(type), "");
  MPI_Type_set_name(type, "pair");
  CHECK_EQ(name_of(type), "pair");
  MPI_Type_free(&type);
}

MPI_CASE("attributes of types", 1, 1) {
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  char place = 0;
  MPI_Type_set_attr(type, keyval, &place);
  MPI_Type_dup(type, &copy);
  void* value = nullptr;
  int found = 0;
  MPI_Type_get_attr(copy, keyval, &value, &found);
  CHECK(found && value == &place);
  MPI_Type_delete_attr(copy, keyval);
  MPI_Type_get_attr(copy, keyval, &value, &found);
  CHECK_EQ(found, 0);
  MPI_Type_free(&type);
  MPI_Type_free(&copy);
  MPI_Type_free_keyval(&keyval);
}

MPI_CASE("MPI_Type_match_size finds the type of a size", 1, 1) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
  CHECK_EQ(size_of(type), 8);
  MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &type);
  CHECK_EQ(size_of(type), 4);
}

MPI_CASE("the inquiries that ended in x before large counts still answer", 1, 1) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, -4, 16, &type);
  MPI_Type_commit(&type);
  MPI_Count size = -1, lower = 0, extent = -1, true_lower = -1, true_extent = -1;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &lower, &extent);
  MPI_Type_get_true_extent_x(type, &true_lower, &true_extent);
  CHECK_EQ(size, MPI_Count{4});
  CHECK_EQ(lower, MPI_Count{-4});
  CHECK_EQ(extent, MPI_Count{16});
  CHECK_EQ(true_lower, MPI_Count{0});
  CHECK_EQ(true_extent, MPI_Count{4});
  MPI_Status status = {};
  MPI_Count elements = -1;
  MPI_Status_set_elements_x(&status, MPI_INT, 3);
  MPI_Get_elements_x(&status, type, &elements);
  CHECK_EQ(elements, MPI_Count{3});
  MPI_Type_free(&type);
}

MPI_CASE("addresses and their differences", 1, 1) {
  double values[10] = {};
  MPI_Aint first = 0;
  MPI_Aint last = 0;
  MPI_Get_address(&values[0], &first);
  MPI_Get_address(&values[9], &last);
  CHECK_EQ(MPI_Aint_diff(last, first), static_cast<MPI_Aint>(9 * sizeof(double)));
  CHECK_EQ(MPI_Aint_add(first, 9 * sizeof(double)), last);
}

MPI_CASE("several packs follow one another in one buffer", 1, 2) {
  char buffer[200];
  int position = 0;
  const int number = 42;
  const double values[3] = {1.5, 2.5, 3.5};
  MPI_Pack(&number, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_SELF);
  MPI_Pack(values, 3, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_SELF);
  char received[200];
  MPI_Sendrecv(buffer, position, MPI_PACKED, 0, 1, received, sizeof received, MPI_PACKED, 0, 1, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  int place = 0;
  int got_number = 0;
  double got_values[3] = {};
  MPI_Unpack(received, position, &place, &got_number, 1, MPI_INT, MPI_COMM_SELF);
  MPI_Unpack(received, position, &place, got_values, 3, MPI_DOUBLE, MPI_COMM_SELF);
  CHECK_EQ(place, position);
  CHECK_EQ(got_number, 42);
  CHECK_EQ(got_values[2], 3.5);
}

MPI_CASE("packing beyond the buffer is an error", 1, 1) {
  const ReturnErrors quiet;
  int values[10] = {};
  char buffer[20];
  int position = 0;
  CHECK(MPI_Pack(values, 10, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_SELF) != MPI_SUCCESS);
}

}  // namespace
}  // namespace starling::tests
