// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Types for Fortran kinds and for pairs of a value and an index (MPI-5.0, 6.9.4 and 19.1.9).
#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

int bytes_of(MPI_Datatype type) {
  int size = -1;
  MPI_Type_size(type, &size);
  return size;
}

MPI_Datatype real(int p, int r) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_f90_real(p, r, &type);
  return type;
}
MPI_Datatype complex(int p, int r) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_f90_complex(p, r, &type);
  return type;
}
MPI_Datatype integer(int r) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_f90_integer(r, &type);
  return type;
}

MPI_CASE("a Fortran kind is the smallest that holds precision and range", 1, 1) {
  CHECK_EQ(bytes_of(real(6, 37)), 4);
  CHECK_EQ(bytes_of(real(7, 37)), 8);
  CHECK_EQ(bytes_of(real(6, 38)), 8);
  CHECK_EQ(bytes_of(real(MPI_UNDEFINED, 307)), 8);
  CHECK_EQ(bytes_of(real(15, MPI_UNDEFINED)), 8);
  CHECK_EQ(bytes_of(real(33, 4931)), 16);
  CHECK_EQ(bytes_of(complex(15, 307)), 16);
  const int ranges[] = {2, 4, 9, 18, 38};
  const int sizes[] = {1, 2, 4, 8, 16};
  for (int i = 0; i < 5; ++i) CHECK_EQ(bytes_of(integer(ranges[i])), sizes[i]);
  CHECK_EQ(bytes_of(integer(10)), 8);
}

MPI_CASE("a Fortran kind that does not exist is refused", 1, 1) {
  const ReturnErrors errors;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK(refused_as(MPI_Type_create_f90_real(34, 10, &type), MPI_ERR_ARG));
  CHECK(refused_as(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &type), MPI_ERR_ARG));
  CHECK(refused_as(MPI_Type_create_f90_complex(5, 5000, &type), MPI_ERR_ARG));
  CHECK(refused_as(MPI_Type_create_f90_integer(39, &type), MPI_ERR_ARG));
}

MPI_CASE("the type of a Fortran kind is one, committed, and cannot be freed", 1, 1) {
  const ReturnErrors errors;
  MPI_Datatype type = real(15, 307);
  CHECK(real(15, 307) == type);
  CHECK_EQ(class_of(MPI_Type_free(&type)), MPI_ERR_TYPE);
  const double in = 1.5;
  double sum = 2.0;
  MPI_Reduce_local(&in, &sum, 1, type, MPI_SUM);
  CHECK_EQ(sum, 3.5);
}

MPI_CASE("the type of a Fortran kind reports its parameters", 1, 1) {
  int integers = -1, addresses = -1, types = -1, combiner = -1;
  int parameters[2] = {};
  MPI_Type_get_envelope(real(10, MPI_UNDEFINED), &integers, &addresses, &types, &combiner);
  CHECK_EQ(combiner, MPI_COMBINER_F90_REAL);
  CHECK_EQ(integers, 2);
  CHECK_EQ(types, 0);
  MPI_Type_get_contents(real(10, MPI_UNDEFINED), 2, 0, 0, parameters, nullptr, nullptr);
  CHECK_EQ(parameters[0], 10);
  CHECK_EQ(parameters[1], MPI_UNDEFINED);
  MPI_Type_get_envelope(integer(7), &integers, &addresses, &types, &combiner);
  CHECK_EQ(combiner, MPI_COMBINER_F90_INTEGER);
  CHECK_EQ(integers, 1);
  // As part of another type it stays what it is: the same handle.
  MPI_Datatype pair = MPI_DATATYPE_NULL, part = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, real(10, MPI_UNDEFINED), &pair);
  MPI_Type_get_contents(pair, 1, 0, 1, parameters, nullptr, &part);
  CHECK(part == real(10, MPI_UNDEFINED));
  MPI_Type_free(&pair);
}

#if MPI_VERSION >= 5
MPI_CASE("MPI_Type_get_value_index finds the pair types", 1, 1) {
  const MPI_Datatype expected[][3] = {
      {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},      {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
      {MPI_LONG, MPI_INT, MPI_LONG_INT},        {MPI_INT, MPI_INT, MPI_2INT},
      {MPI_SHORT, MPI_INT, MPI_SHORT_INT},      {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
      {MPI_REAL, MPI_REAL, MPI_2REAL},          {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
      {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER}, {MPI_CHAR, MPI_INT, MPI_DATATYPE_NULL}};
  for (const auto& row : expected) {
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Type_get_value_index(row[0], row[1], &pair);
    CHECK(pair == row[2]);
  }
}
#endif

}  // namespace
}  // namespace starling::tests
