// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Derived datatypes at either end of a message: the signatures agree, the layouts need not (MPI-5.0, 3.3.1 and 5.1).
#include <cstddef>
#include <numeric>
#include <vector>

#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

/// Rows and columns of an n by n matrix of ints; both carry n ints.
struct Matrix {
  explicit Matrix(int size) : n(size), values(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {
    MPI_Type_vector(n, 1, n, MPI_INT, &column);
    MPI_Type_commit(&column);
  }
  ~Matrix() { MPI_Type_free(&column); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  int& at(int row, int col) { return values[static_cast<std::size_t>(row * n + col)]; }

  int n;
  std::vector<int> values;
  MPI_Datatype column = MPI_DATATYPE_NULL;
};

MPI_CASE("a column arrives as a row and a row as a column", 2, 2) {
  for (const int n : {1, 2, 7, 100, 700}) {
    Matrix matrix(n);
    if (world.rank == 0) {
      std::iota(matrix.values.begin(), matrix.values.end(), 0);
      for (int i = 0; i < n; ++i) MPI_Send(&matrix.at(0, i), 1, matrix.column, 1, 1, world.comm);
      for (int i = 0; i < n; ++i) MPI_Send(&matrix.at(i, 0), n, MPI_INT, 1, 2, world.comm);
      continue;
    }
    for (int i = 0; i < n; ++i) MPI_Recv(&matrix.at(i, 0), n, MPI_INT, 0, 1, world.comm, MPI_STATUS_IGNORE);
    int wrong = 0;
    for (int row = 0; row < n; ++row) {
      for (int col = 0; col < n; ++col) wrong += matrix.at(row, col) != col * n + row;
    }
    CHECK_EQ(wrong, 0);
    for (int i = 0; i < n; ++i) MPI_Recv(&matrix.at(0, i), 1, matrix.column, 0, 2, world.comm, MPI_STATUS_IGNORE);
    for (int row = 0; row < n; ++row) {
      for (int col = 0; col < n; ++col) wrong += matrix.at(row, col) != col * n + row;
    }
    CHECK_EQ(wrong, 0);
  }
}

MPI_CASE("a large strided message arrives in a layout of another stride", 2, 2) {
  constexpr int kBlocks = 60000;
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  MPI_Datatype triples = MPI_DATATYPE_NULL;
  MPI_Type_vector(kBlocks, 2, 5, MPI_DOUBLE, &pairs);
  MPI_Type_vector(kBlocks * 2 / 3, 3, 4, MPI_DOUBLE, &triples);
  MPI_Type_commit(&pairs);
  MPI_Type_commit(&triples);
  if (world.rank == 0) {
    std::vector<double> values(kBlocks * 5, -1);
    for (int i = 0; i < kBlocks * 2; ++i) values[static_cast<std::size_t>(i / 2 * 5 + i % 2)] = i;
    for (int repeat = 0; repeat < 2; ++repeat) MPI_Send(values.data(), 1, pairs, 1, 1, world.comm);
  } else {
    std::vector<double> values(kBlocks * 2 / 3 * 4, -7);
    MPI_Status status;
    MPI_Recv(values.data(), 1, triples, 0, 1, world.comm, &status);
    int elements = 0;
    MPI_Get_elements(&status, triples, &elements);
    CHECK_EQ(elements, kBlocks * 2);
    int wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      wrong += values[i] != (i % 4 == 3 ? -7 : static_cast<double>(i / 4 * 3 + i % 4));
    }
    CHECK_EQ(wrong, 0);
    std::vector<double> dense(kBlocks * 2);
    MPI_Recv(dense.data(), kBlocks * 2, MPI_DOUBLE, 0, 1, world.comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < kBlocks * 2; ++i) wrong += dense[static_cast<std::size_t>(i)] != i;
    CHECK_EQ(wrong, 0);
  }
  MPI_Type_free(&pairs);
  MPI_Type_free(&triples);
}

struct Particle {
  char kind;
  double position[3];
  int id;
};

MPI_CASE("a struct type sends an array of structs without its padding", 1, 4) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  MPI_Datatype members = MPI_DATATYPE_NULL;
  MPI_Datatype particle = MPI_DATATYPE_NULL;
  const int lengths[] = {1, 3, 1};
  const MPI_Aint places[] = {offsetof(Particle, kind), offsetof(Particle, position), offsetof(Particle, id)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(3, lengths, places, types, &members);
  MPI_Type_create_resized(members, 0, sizeof(Particle), &particle);
  MPI_Type_commit(&particle);
  MPI_Type_free(&members);
  for (const int count : {1, 10, 5000}) {
    std::vector<Particle> out(static_cast<std::size_t>(count));
    std::vector<Particle> in(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) out[static_cast<std::size_t>(i)] = {char(i), {i + 0.5, i + 1.5, i + 2.5}, -i};
    MPI_Status status;
    MPI_Sendrecv(out.data(), count, particle, next, 1, in.data(), count, particle, previous, 1, world.comm, &status);
    int received = -1;
    MPI_Get_count(&status, particle, &received);
    CHECK_EQ(received, count);
    CHECK_EQ(bytes_of(status), count * (1 + 3 * 8 + 4));
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      const Particle& p = in[static_cast<std::size_t>(i)];
      wrong += p.kind != char(i) || p.position[0] != i + 0.5 || p.position[2] != i + 2.5 || p.id != -i;
    }
    CHECK_EQ(wrong, 0);
  }
  MPI_Type_free(&particle);
}

MPI_CASE("MPI_BOTTOM with absolute addresses gathers scattered variables", 2, 2) {
  int a = world.rank == 0 ? 1 : 0;
  std::vector<double> b(1000, world.rank == 0 ? 2.5 : 0);
  char c = world.rank == 0 ? 'x' : ' ';
  const int lengths[] = {1, 1000, 1};
  MPI_Aint places[3];
  MPI_Get_address(&a, &places[0]);
  MPI_Get_address(b.data(), &places[1]);
  MPI_Get_address(&c, &places[2]);
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype all = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths, places, types, &all);
  MPI_Type_commit(&all);
  if (world.rank == 0) {
    MPI_Send(MPI_BOTTOM, 1, all, 1, 1, world.comm);
  } else {
    MPI_Recv(MPI_BOTTOM, 1, all, 0, 1, world.comm, MPI_STATUS_IGNORE);
    CHECK_EQ(a, 1);
    CHECK(b == std::vector<double>(1000, 2.5));
    CHECK_EQ(c, 'x');
  }
  MPI_Type_free(&all);
}

MPI_CASE("a type freed while its message is on the way serves to the end", 2, 2) {
  std::vector<int> values(300000, world.rank == 0 ? 6 : 0);
  MPI_Datatype every_third = MPI_DATATYPE_NULL;
  MPI_Type_vector(100000, 1, 3, MPI_INT, &every_third);
  MPI_Type_commit(&every_third);
  MPI_Request request = MPI_REQUEST_NULL;
  if (world.rank == 0) {
    MPI_Isend(values.data(), 1, every_third, 1, 1, world.comm, &request);
  } else {
    MPI_Irecv(values.data(), 1, every_third, 0, 1, world.comm, &request);
  }
  MPI_Type_free(&every_third);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (world.rank != 1) return;
  int wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] != (i % 3 ? 0 : 6);
  CHECK_EQ(wrong, 0);
}

MPI_CASE("a part of a type's elements is counted by MPI_Get_elements", 1, 2) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  int out[5] = {1, 2, 3, 4, 5};
  int in[6] = {};
  MPI_Status status;
  MPI_Sendrecv(out, 5, MPI_INT, 0, 1, in, 3, pair, 0, 1, MPI_COMM_SELF, &status);
  int count = 0;
  MPI_Get_count(&status, pair, &count);
  CHECK_EQ(count, MPI_UNDEFINED);
  MPI_Get_elements(&status, pair, &count);
  CHECK_EQ(count, 5);
  MPI_Sendrecv(out, 4, MPI_INT, 0, 1, in, 3, pair, 0, 1, MPI_COMM_SELF, &status);
  MPI_Get_count(&status, pair, &count);
  CHECK_EQ(count, 2);
  MPI_Type_free(&pair);
}

}  // namespace
}  // namespace starling::tests
