// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reductions with every predefined operator on its kinds of types, and with operators of the user (MPI-5.0, 6.9).
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>

#include "mpi/collective/comms.hpp"

namespace starling::tests {
namespace {

constexpr int kElements = 100;

/// A number that every operator takes without overflow: 1 to 3.
template <typename T>
T operand(int rank, int place) {
  return static_cast<T>(1 + value_of(rank, place) % 3);
}

template <typename T, typename Apply>
void check_operator(Context& world, MPI_Op op, MPI_Datatype type, Apply apply) {
  std::vector<T> mine(kElements);
  std::vector<T> expected(kElements);
  std::vector<T> got(kElements);
  for (int i = 0; i < kElements; ++i) {
    mine[static_cast<std::size_t>(i)] = operand<T>(world.rank, i);
    T value = operand<T>(0, i);
    for (int rank = 1; rank < world.size; ++rank) value = apply(value, operand<T>(rank, i));
    expected[static_cast<std::size_t>(i)] = value;
  }
  MPI_Allreduce(mine.data(), got.data(), kElements, type, op, world.comm);
  CHECK(got == expected);
}

template <typename T>
void check_arithmetic(Context& world, MPI_Datatype type) {
  check_operator<T>(world, MPI_SUM, type, [](T a, T b) { return static_cast<T>(a + b); });
  check_operator<T>(world, MPI_PROD, type, [](T a, T b) { return static_cast<T>(a * b); });
}

template <typename T>
void check_order(Context& world, MPI_Datatype type) {
  check_operator<T>(world, MPI_MAX, type, [](T a, T b) { return std::max(a, b); });
  check_operator<T>(world, MPI_MIN, type, [](T a, T b) { return std::min(a, b); });
}

template <typename T>
void check_bits(Context& world, MPI_Datatype type) {
  check_operator<T>(world, MPI_BAND, type, [](T a, T b) { return static_cast<T>(a & b); });
  check_operator<T>(world, MPI_BOR, type, [](T a, T b) { return static_cast<T>(a | b); });
  check_operator<T>(world, MPI_BXOR, type, [](T a, T b) { return static_cast<T>(a ^ b); });
}

template <typename T>
void check_logic(Context& world, MPI_Datatype type) {
  check_operator<T>(world, MPI_LAND, type, [](T a, T b) { return static_cast<T>(a && b); });
  check_operator<T>(world, MPI_LOR, type, [](T a, T b) { return static_cast<T>(a || b); });
  // The logical value alone is defined, so compare with operands that are 0 or 1 after the first application.
  if (world.size > 1) check_operator<T>(world, MPI_LXOR, type, [](T a, T b) { return static_cast<T>(!a != !b); });
}

template <typename T>
void check_integer(Context& world, MPI_Datatype type) {
  check_arithmetic<T>(world, type);
  check_order<T>(world, type);
  check_bits<T>(world, type);
  check_logic<T>(world, type);
}

MPI_CASE("every operator works on every kind of integer", 1, 5) {
  check_integer<signed char>(world, MPI_SIGNED_CHAR);
  check_integer<unsigned char>(world, MPI_UNSIGNED_CHAR);
  check_integer<short>(world, MPI_SHORT);
  check_integer<unsigned short>(world, MPI_UNSIGNED_SHORT);
  check_integer<int>(world, MPI_INT);
  check_integer<unsigned>(world, MPI_UNSIGNED);
  check_integer<long>(world, MPI_LONG);
  check_integer<unsigned long>(world, MPI_UNSIGNED_LONG);
  check_integer<long long>(world, MPI_LONG_LONG);
  check_integer<unsigned long long>(world, MPI_UNSIGNED_LONG_LONG);
  check_integer<std::int8_t>(world, MPI_INT8_T);
  check_integer<std::uint8_t>(world, MPI_UINT8_T);
  check_integer<std::int16_t>(world, MPI_INT16_T);
  check_integer<std::uint16_t>(world, MPI_UINT16_T);
  check_integer<std::int32_t>(world, MPI_INT32_T);
  check_integer<std::uint32_t>(world, MPI_UINT32_T);
  check_integer<std::int64_t>(world, MPI_INT64_T);
  check_integer<std::uint64_t>(world, MPI_UINT64_T);
  check_arithmetic<MPI_Aint>(world, MPI_AINT);
  check_order<MPI_Count>(world, MPI_COUNT);
  check_arithmetic<MPI_Offset>(world, MPI_OFFSET);
}

MPI_CASE("operators work on bytes, floating-point, complex and boolean numbers", 1, 5) {
  check_bits<unsigned char>(world, MPI_BYTE);
  check_arithmetic<float>(world, MPI_FLOAT);
  check_order<float>(world, MPI_FLOAT);
  check_arithmetic<double>(world, MPI_DOUBLE);
  check_order<double>(world, MPI_DOUBLE);
  check_arithmetic<long double>(world, MPI_LONG_DOUBLE);
  check_order<long double>(world, MPI_LONG_DOUBLE);
  check_arithmetic<std::complex<float>>(world, MPI_C_FLOAT_COMPLEX);
  check_arithmetic<std::complex<double>>(world, MPI_C_DOUBLE_COMPLEX);
  check_arithmetic<std::complex<double>>(world, MPI_CXX_DOUBLE_COMPLEX);
  bool mine = world.rank == 0;
  bool all = false;
  MPI_Allreduce(&mine, &all, 1, MPI_CXX_BOOL, MPI_LOR, world.comm);
  CHECK(all);
  MPI_Allreduce(&mine, &all, 1, MPI_C_BOOL, MPI_LAND, world.comm);
  CHECK_EQ(all, world.size == 1);
}

template <typename T>
struct Located {
  T value;
  int place;
  bool operator==(const Located& other) const { return value == other.value && place == other.place; }
};

/// The extreme value and the lowest rank that has it.
template <typename T>
void check_location(Context& world, MPI_Datatype type) {
  std::vector<Located<T>> mine(kElements);
  std::vector<Located<T>> least(kElements);
  std::vector<Located<T>> most(kElements);
  for (int i = 0; i < kElements; ++i) mine[static_cast<std::size_t>(i)] = {operand<T>(world.rank, i), world.rank};
  MPI_Allreduce(mine.data(), least.data(), kElements, type, MPI_MINLOC, world.comm);
  MPI_Allreduce(mine.data(), most.data(), kElements, type, MPI_MAXLOC, world.comm);
  for (int i = 0; i < kElements; ++i) {
    Located<T> low{operand<T>(0, i), 0};
    Located<T> high = low;
    for (int rank = 1; rank < world.size; ++rank) {
      const T value = operand<T>(rank, i);
      if (value < low.value) low = {value, rank};
      if (value > high.value) high = {value, rank};
    }
    CHECK(least[static_cast<std::size_t>(i)] == low);
    CHECK(most[static_cast<std::size_t>(i)] == high);
  }
}

MPI_CASE("MPI_MINLOC and MPI_MAXLOC find the lowest rank with the extreme", 1, 5) {
  check_location<int>(world, MPI_2INT);
  check_location<double>(world, MPI_DOUBLE_INT);
  check_location<float>(world, MPI_FLOAT_INT);
  check_location<long>(world, MPI_LONG_INT);
  check_location<short>(world, MPI_SHORT_INT);
}

/// 2 by 2 matrices of remainders: their product is associative and not commutative.
struct Matrix {
  std::array<std::int64_t, 4> m;
  bool operator==(const Matrix& other) const { return m == other.m; }
};

Matrix operator*(const Matrix& a, const Matrix& b) {
  constexpr std::int64_t kPrime = 1000003;
  return {{(a.m[0] * b.m[0] + a.m[1] * b.m[2]) % kPrime, (a.m[0] * b.m[1] + a.m[1] * b.m[3]) % kPrime,
           (a.m[2] * b.m[0] + a.m[3] * b.m[2]) % kPrime, (a.m[2] * b.m[1] + a.m[3] * b.m[3]) % kPrime}};
}

Matrix matrix_of(int rank, int place) {
  return {{value_of(rank, 4 * place), value_of(rank, 4 * place + 1), value_of(rank, 4 * place + 2),
           value_of(rank, 4 * place + 3)}};
}

void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const Matrix*>(in);
  auto* right = static_cast<Matrix*>(inout);
  for (int i = 0; i < *count; ++i) right[i] = left[i] * right[i];
}

/// The datatype and the operator, freed at the end.
struct MatrixProduct {
  MatrixProduct() {
    MPI_Type_contiguous(4, MPI_INT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &op);
  }
  ~MatrixProduct() {
    MPI_Op_free(&op);
    MPI_Type_free(&type);
  }
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;

  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

std::vector<Matrix> matrices_of(int rank, int count) {
  std::vector<Matrix> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = matrix_of(rank, i);
  return all;
}

std::vector<Matrix> product_of(int first, int last, int count) {
  std::vector<Matrix> product = matrices_of(first, count);
  for (int rank = first + 1; rank < last; ++rank) {
    for (int i = 0; i < count; ++i) {
      product[static_cast<std::size_t>(i)] = product[static_cast<std::size_t>(i)] * matrix_of(rank, i);
    }
  }
  return product;
}

MPI_CASE("an operator that does not commute is applied in the order of the ranks", 1, 8) {
  const MatrixProduct product;
  int commutes = -1;
  MPI_Op_commutative(product.op, &commutes);
  CHECK_EQ(commutes, 0);
  on_each_comm(world, [&](const Comm& comm) {
    for (const int count : {1, 7, 300, 5000}) {
      const std::vector<Matrix> mine = matrices_of(comm.rank, count);
      std::vector<Matrix> got(mine.size());
      MPI_Allreduce(mine.data(), got.data(), count, product.type, product.op, comm.handle);
      CHECK(got == product_of(0, comm.size, count));
      for (int root = 0; root < comm.size; ++root) {
        got.assign(mine.size(), Matrix{});
        MPI_Reduce(mine.data(), got.data(), count, product.type, product.op, root, comm.handle);
        if (comm.rank == root) CHECK(got == product_of(0, comm.size, count));
      }
      MPI_Scan(mine.data(), got.data(), count, product.type, product.op, comm.handle);
      CHECK(got == product_of(0, comm.rank + 1, count));
      MPI_Exscan(mine.data(), got.data(), count, product.type, product.op, comm.handle);
      if (comm.rank > 0) CHECK(got == product_of(0, comm.rank, count));
    }
  });
}

MPI_CASE("MPI_Reduce_scatter_block keeps the order of the ranks", 1, 8) {
  const MatrixProduct product;
  for (const int count : {1, 50, 1000}) {
    const std::vector<Matrix> mine = matrices_of(world.rank, count * world.size);
    std::vector<Matrix> got(static_cast<std::size_t>(count));
    MPI_Reduce_scatter_block(mine.data(), got.data(), count, product.type, product.op, world.comm);
    const std::vector<Matrix> all = product_of(0, world.size, count * world.size);
    CHECK(std::equal(got.begin(), got.end(), all.begin() + world.rank * count));
  }
}

void keep_larger(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *count; ++i) {
    const int* left = reinterpret_cast<const int*>(static_cast<const char*>(in) + i * extent);
    int* right = reinterpret_cast<int*>(static_cast<char*>(inout) + i * extent);
    if (*left > *right) *right = *left;
  }
}

MPI_CASE("a user's operator sees the datatype of the call, gaps and all", 1, 8) {
  MPI_Datatype spaced = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &spaced);
  MPI_Type_commit(&spaced);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(keep_larger, 1, &op);
  for (const int count : {1, 100, 4000}) {
    std::vector<int> mine(static_cast<std::size_t>(3 * count), -5);
    std::vector<int> got(mine.size(), -6);
    for (int i = 0; i < count; ++i) mine[static_cast<std::size_t>(3 * i)] = value_of(world.rank, i);
    MPI_Allreduce(mine.data(), got.data(), count, spaced, op, world.comm);
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      int most = 0;
      for (int rank = 0; rank < world.size; ++rank) most = std::max(most, value_of(rank, i));
      wrong += got[static_cast<std::size_t>(3 * i)] != most;
      if (i + 1 < count) wrong += got[static_cast<std::size_t>(3 * i + 1)] != -6;
      if (i + 1 < count) wrong += got[static_cast<std::size_t>(3 * i + 2)] != -6;
    }
    CHECK_EQ(wrong, 0);
  }
  MPI_Op_free(&op);
  CHECK(op == MPI_OP_NULL);
  MPI_Type_free(&spaced);
}

MPI_CASE("MPI_Reduce_local combines two buffers", 1, 2) {
  std::vector<int> in = values_of(1, 50);
  std::vector<int> inout = values_of(2, 50);
  MPI_Reduce_local(in.data(), inout.data(), 50, MPI_INT, MPI_SUM);
  for (int i = 0; i < 50; ++i) CHECK_EQ(inout[static_cast<std::size_t>(i)], value_of(1, i) + value_of(2, i));
  CHECK(in == values_of(1, 50));
  const MatrixProduct product;
  std::vector<Matrix> left = matrices_of(1, 9);
  std::vector<Matrix> right = matrices_of(2, 9);
  MPI_Reduce_local(left.data(), right.data(), 9, product.type, product.op);
  for (int i = 0; i < 9; ++i) CHECK(right[static_cast<std::size_t>(i)] == matrix_of(1, i) * matrix_of(2, i));
}

MPI_CASE("the predefined operators know that they commute", 1, 1) {
  for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_BXOR, MPI_MAXLOC}) {
    int commutes = 0;
    MPI_Op_commutative(op, &commutes);
    CHECK_EQ(commutes, 1);
  }
}

MPI_CASE("a floating-point sum is the same on every rank and in every run", 2, 8) {
  constexpr int kMany = 1000;
  std::vector<double> mine(kMany);
  for (int i = 0; i < kMany; ++i) mine[static_cast<std::size_t>(i)] = 1.0 / (1 + value_of(world.rank, i));
  std::vector<double> first(kMany);
  MPI_Allreduce(mine.data(), first.data(), kMany, MPI_DOUBLE, MPI_SUM, world.comm);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::vector<double> again(kMany);
    MPI_Allreduce(mine.data(), again.data(), kMany, MPI_DOUBLE, MPI_SUM, world.comm);
    CHECK(again == first);
  }
  std::vector<double> others(first);
  MPI_Bcast(others.data(), kMany, MPI_DOUBLE, 0, world.comm);
  CHECK(others == first);
}

}  // namespace
}  // namespace starling::tests
