// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program with late ranks, which knows nothing of the library that is preloaded below it, but that it says
// now and then how far it is: every collective that the library takes, again and again, with all kinds of arguments,
// each result checked. Prints "all right" at the end. With the word "brief" it makes only reduces: where waiting ranks
// spin on cores that others need, every call takes long. With the word "often" it makes many reduces to one root, as
// many as going around late ranks needs to be proved worth while, and with "started" as many nonblocking allreduces.
// With the word "die" ranks are killed in the middle of a reduce instead.
#include <mpi.h>
#include <unistd.h>

#include <complex>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <starling/pap.hpp>
#include <string_view>
#include <vector>

#include "lateness.hpp"

namespace {

constexpr int kCount = 30000;  // of four bytes: long enough to be scheduled
constexpr int kRepeats = 12;

int rank;
int size;
useconds_t late_us = 0;

[[noreturn]] void fail(const char* what, int repeat) {
  std::fprintf(stderr, "rank %d, repeat %d: %s is wrong\n", rank, repeat, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void check(bool good, const char* what, int repeat) {
  if (!good) fail(what, repeat);
}

void choose_lateness() { late_us = static_cast<useconds_t>(1e6 * starling::pap::test::lateness_s(kCount)); }

/// The last rank is always late, and now and then another.
void compute(int repeat) {
  usleep(rank == size - 1 ? late_us : 500);
  if (repeat % 5 == 4 && rank == 1) usleep(12000);
}

/// MPICH 4.0.2 crashes by itself when the input lies in place at another root than rank 0.
bool may_be_in_place(int root) {
#if defined(MPICH)
  return root == 0;
#else
  return root >= 0;
#endif
}

int value(int of_rank, int index, int repeat) { return (of_rank + 1) * (index % 101) + repeat; }
int sum(int index, int repeat) { return size * (size + 1) / 2 * (index % 101) + size * repeat; }

std::vector<int> input(int repeat) {
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; ++i) values[static_cast<std::size_t>(i)] = value(rank, i, repeat);
  return values;
}

void reduce_to_each_root(int roots, int repeats) {
  for (int root = 0; root < size && root < roots; ++root) {
    choose_lateness();
    for (int repeat = 0; repeat < repeats; ++repeat) {
      std::vector<int> mine = input(repeat);
      std::vector<int> result(kCount, -1);
      const bool in_place = repeat % 3 == 2 && may_be_in_place(root);
      if (in_place && rank == root) result = mine;
      compute(repeat);
      MPI_Reduce(in_place && rank == root ? MPI_IN_PLACE : mine.data(), result.data(), kCount, MPI_INT, MPI_SUM, root,
                 MPI_COMM_WORLD);
      check(mine == input(repeat), "the input of a reduce", repeat);
      for (int i = 0; i < kCount && rank == root; ++i) {
        check(result[static_cast<std::size_t>(i)] == sum(i, repeat), "a reduce", repeat);
      }
    }
  }
}

void allreduce() {
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<int> mine = input(repeat);
    std::vector<int> result = repeat % 2 == 1 ? mine : std::vector<int>(kCount, -1);
    compute(repeat);
    MPI_Allreduce(repeat % 2 == 1 ? MPI_IN_PLACE : mine.data(), result.data(), kCount, MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i)
      check(result[static_cast<std::size_t>(i)] == sum(i, repeat), "an allreduce", repeat);
  }
}

/// With two of them under way at a time, and something else to do beside them.
void iallreduce_often() {
  choose_lateness();
  for (int repeat = 0; repeat < 10 * kRepeats; ++repeat) {
    const std::vector<int> mine = input(repeat);
    const int one = 1;
    std::vector<int> result(kCount, -1);
    int ranks = 0;
    MPI_Request requests[2];
    usleep(rank == size - 1 ? late_us : 500);
    MPI_Iallreduce(mine.data(), result.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    usleep(late_us / 8);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(ranks == size, "a short iallreduce", repeat);
    for (int i = 0; i < kCount; ++i) {
      check(result[static_cast<std::size_t>(i)] == sum(i, repeat), "an iallreduce", repeat);
    }
  }
}

void bcast() {
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<int> values(kCount, -1);
    for (int i = 0; i < kCount && rank == 1; ++i) values[static_cast<std::size_t>(i)] = value(3, i, repeat);
    compute(repeat);
    // The same bytes, but not the same count everywhere.
    if (rank % 2 == 0) {
      MPI_Datatype pair = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(2, MPI_INT, &pair);
      MPI_Type_commit(&pair);
      MPI_Bcast(values.data(), kCount / 2, pair, 1, MPI_COMM_WORLD);
      MPI_Type_free(&pair);
    } else {
      MPI_Bcast(values.data(), kCount, MPI_INT, 1, MPI_COMM_WORLD);
    }
    for (int i = 0; i < kCount; ++i)
      check(values[static_cast<std::size_t>(i)] == value(3, i, repeat), "a bcast", repeat);
  }
}

void gather_and_scatter() {
  constexpr int kBlock = 10000;
  const auto all = static_cast<std::size_t>(kBlock * size);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const int root = 1;
    std::vector<int> mine(kBlock, value(rank, 1, repeat));
    std::vector<int> everybody(all, -1);
    compute(repeat);
    MPI_Gather(mine.data(), kBlock, MPI_INT, everybody.data(), kBlock, MPI_INT, root, MPI_COMM_WORLD);
    for (int from = 0; from < size && rank == root; ++from) {
      check(everybody[static_cast<std::size_t>(from * kBlock + 7)] == value(from, 1, repeat), "a gather", repeat);
    }
    std::vector<int> back(kBlock, -1);
    compute(repeat);
    MPI_Scatter(everybody.data(), kBlock, MPI_INT, back.data(), kBlock, MPI_INT, root, MPI_COMM_WORLD);
    check(back == mine, "a scatter", repeat);
    std::vector<int> in_place(all, -1);
    for (int i = 0; i < kBlock; ++i) in_place[static_cast<std::size_t>(rank * kBlock + i)] = mine.front();
    compute(repeat);
    MPI_Allgather(repeat % 2 == 0 ? MPI_IN_PLACE : mine.data(), kBlock, MPI_INT, in_place.data(), kBlock, MPI_INT,
                  MPI_COMM_WORLD);
    for (int from = 0; from < size; ++from) {
      check(in_place[static_cast<std::size_t>(from * kBlock + 9999)] == value(from, 1, repeat), "an allgather", repeat);
    }
  }
}

void multiply(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* from = static_cast<std::complex<double>*>(in);
  auto* into = static_cast<std::complex<double>*>(inout);
  for (int i = 0; i < *length; ++i) into[i] *= from[i];
}

/// Takes the left one: the order of ranks decides, so that no schedule may change it.
void leftmost(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] = static_cast<int*>(in)[i];
}

void user_operators() {
  MPI_Op product = MPI_OP_NULL;
  MPI_Op left = MPI_OP_NULL;
  MPI_Op_create(multiply, 1, &product);
  MPI_Op_create(leftmost, 0, &left);
  constexpr int kNumbers = 4000;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<std::complex<double>> mine(kNumbers, std::complex<double>(0, 1));
    std::vector<std::complex<double>> result(kNumbers);
    compute(repeat);
    MPI_Reduce(mine.data(), result.data(), kNumbers, MPI_CXX_DOUBLE_COMPLEX, product, 0, MPI_COMM_WORLD);
    const std::complex<double> powers[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (const auto& number : result) check(rank != 0 || number == powers[size % 4], "a user's product", repeat);

    const std::vector<int> own(kCount, rank);
    std::vector<int> first(kCount, -1);
    MPI_Reduce(own.data(), first.data(), kCount, MPI_INT, left, 0, MPI_COMM_WORLD);
    check(rank != 0 || first.front() == 0, "a reduce in the order of ranks", repeat);
  }
  MPI_Op_free(&product);
  MPI_Op_free(&left);
}

void add_pairs(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) {
    static_cast<int*>(inout)[4 * i] += static_cast<int*>(in)[4 * i];
    static_cast<int*>(inout)[4 * i + 2] += static_cast<int*>(in)[4 * i + 2];
  }
}

/// Elements of 16 bytes with two numbers and two holes, whose content must survive.
void types_with_holes() {
  MPI_Datatype two = MPI_DATATYPE_NULL;
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &two);
  MPI_Type_create_resized(two, 0, 16, &spread);
  MPI_Type_commit(&spread);
  MPI_Op add = MPI_OP_NULL;
  MPI_Op_create(add_pairs, 1, &add);
  constexpr int kElements = 8000;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<int> mine(4 * kElements, rank + 1);
    std::vector<int> result(4 * kElements, -7);
    compute(repeat);
    MPI_Reduce(mine.data(), result.data(), kElements, spread, add, 0, MPI_COMM_WORLD);
    for (int i = 0; i < kElements && rank == 0; ++i) {
      const int* element = &result[static_cast<std::size_t>(4 * i)];
      check(element[0] == size * (size + 1) / 2 && element[2] == element[0], "a sum of pairs", repeat);
      check(element[1] == -7 && element[3] == -7, "a hole between numbers", repeat);
    }
  }
  MPI_Op_free(&add);
  MPI_Type_free(&spread);
  MPI_Type_free(&two);
}

void communicators_that_come_and_go() {
  for (int repeat = 0; repeat < 3; ++repeat) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, -rank, &part);
    if (part == MPI_COMM_NULL) continue;
    for (int call = 0; call < 6; ++call) {
      const std::vector<int> mine(kCount, 1);
      std::vector<int> result(kCount, 0);
      compute(call);
      MPI_Allreduce(mine.data(), result.data(), kCount, MPI_INT, MPI_SUM, part);
      check(result.back() == size - 1, "an allreduce on part of the ranks", call);
    }
    MPI_Comm_free(&part);
  }
}

/// Who computes for a while says how far it is, and is heard.
void with_progress() {
  check(starling_pap_progress != nullptr, "that nobody listens to starling::pap::progress", 0);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const std::vector<int> mine = input(repeat);
    std::vector<int> result(kCount, -1);
    for (int part = 0; part < 4; ++part) {
      usleep(rank == repeat % size ? 2000 : 200);
      starling::pap::progress(0.25 * (part + 1));
    }
    MPI_Allreduce(mine.data(), result.data(), kCount, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < kCount; ++i) {
      check(result[static_cast<std::size_t>(i)] == sum(i, repeat), "an allreduce after progress", repeat);
    }
  }
  MPI_Comm_free(&comm);
}

bool deadly = false;

/// A sum. Once it is deadly it kills whoever combines, but for the root.
void deadly_sum(void* in, void* inout, int* length, MPI_Datatype*) {
  if (deadly && rank != 0) std::raise(SIGKILL);
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

/// The last calls are made long after the library has begun to go around the late rank.
void die_in_the_middle() {
  MPI_Op sum_op = MPI_OP_NULL;
  MPI_Op_create(deadly_sum, 1, &sum_op);
  choose_lateness();
  for (int repeat = 0; repeat < 2 * kRepeats; ++repeat) {
    deadly = repeat >= kRepeats;
    const std::vector<int> mine(kCount, 1);
    std::vector<int> result(kCount, 0);
    usleep(rank == size - 1 ? late_us : 500);
    MPI_Reduce(mine.data(), result.data(), kCount, MPI_INT, sum_op, 0, MPI_COMM_WORLD);
  }
  MPI_Op_free(&sum_op);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "die") {
    die_in_the_middle();
    if (rank == 0) std::puts("nobody died");
    MPI_Finalize();
    return 0;
  }
  if (word == "often") {
    reduce_to_each_root(1, 10 * kRepeats);
  } else if (word == "started") {
    iallreduce_often();
  } else {
    reduce_to_each_root(3, kRepeats);
  }
  if (word != "brief" && word != "often" && word != "started") {
    allreduce();
    bcast();
    gather_and_scatter();
    user_operators();
    types_with_holes();
    communicators_that_come_and_go();
    with_progress();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::puts("all right");
  MPI_Finalize();
  return 0;
}
