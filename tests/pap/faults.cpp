// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A program whose MPI fails now and then (faulty.cpp), and returns its errors: each collective that the library takes
// is right, then fails, and is right again. Prints "all right" at the end.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int kCount = 30000;  // of four bytes: long enough to be scheduled
constexpr int kRepeats = 3;

int rank;
int size;
int (*fails)(int);

[[noreturn]] void fail(const char* call, int repeat, const char* what) {
  std::fprintf(stderr, "rank %d, repeat %d of %s: %s\n", rank, repeat, call, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

/// Makes the call; `is_right` looks at its result where it is one.
struct Call {
  const char* name;
  std::function<int(int repeat)> make;
  std::function<bool(int repeat)> is_right;
};

void repeat(const Call& call, int first, int last) {
  for (int i = first; i < last; ++i) {
    if (call.make(i) != MPI_SUCCESS) fail(call.name, i, "it fails");
    if (!call.is_right(i)) fail(call.name, i, "its result is wrong");
  }
}

/// A rank to which nothing is left to do when its neighbour fails may not notice.
void must_fail(const Call& call, bool all) {
  fails(1);
  const int code = call.make(kRepeats);
  fails(0);
  int error = MPI_SUCCESS;
  MPI_Error_class(code, &error);
  if (error != MPI_ERR_NO_MEM && (all || error != MPI_SUCCESS))
    fail(call.name, kRepeats, "the error is another, or none");
  int said = error == MPI_SUCCESS ? 0 : 1;
  int most = 0;
  PMPI_Allreduce(&said, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (most == 0) fail(call.name, kRepeats, "no rank has an error");
}

using Values = std::vector<int>;

bool are(const Values& values, std::size_t first, std::size_t count, int value) {
  for (std::size_t i = first; i < first + count; ++i) {
    if (values[i] != value) return false;
  }
  return true;
}

/// One rank fails in the midst of a reduction around late ranks: no other waits without end, whoever would have a wrong
/// result has an error, and later calls are right. What: as in faulty.cpp.
bool fails_in_the_midst(int what, int victim, int count, bool all_take) {
  Values mine(static_cast<std::size_t>(count));
  Values sum(mine.size());
  const auto make = [&](int i) {
    mine.assign(mine.size(), rank + i);
    sum.assign(sum.size(), -1);
    if (all_take) return MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  };
  const auto is_right = [&](int i) {
    return (rank != 0 && !all_take) || are(sum, 0, sum.size(), size * (size - 1) / 2 + i * size);
  };
  const Call call{all_take ? "MPI_Allreduce" : "MPI_Reduce", make, is_right};
  repeat(call, 0, kRepeats);
  if (rank == victim) fails(what);
  int failed = make(kRepeats) == MPI_SUCCESS ? 0 : 1;
  fails(0);
  if (failed == 0 && !is_right(kRepeats)) fail(call.name, kRepeats, "its result is wrong, and nobody says so");
  int victims = failed;
  PMPI_Bcast(&victims, 1, MPI_INT, victim, MPI_COMM_WORLD);
  if (victims != 0 && failed == 0 && (rank == 0 || all_take))
    fail(call.name, kRepeats, "another rank's error is not told");
  repeat(call, kRepeats + 1, 2 * kRepeats);
  return victims != 0;
}

void fail_in_the_midst() {
  constexpr int kCombining = 2;
  constexpr int kSending = 3;
  int count = kCount;
  for (const int what : {kCombining, kSending}) {
    int failures = 0;
    for (const bool all_take : {false, true}) {
      for (int victim = 0; victim < size; ++victim)
        failures += fails_in_the_midst(what, victim, count += 8, all_take) ? 1 : 0;  // a kind of call of its own
    }
    if (failures == 0) fail("reductions", 0, "none fails");
  }
}

/// What the ranks tell each other behind the program's back cannot be told by one of them for a while.
void exchanges_fail_for_a_while() {
  constexpr int kExchanges = 4;
  constexpr int kCalls = 12;
  Values mine(kCount);
  Values sum(kCount);
  for (int i = 0; i < kCalls; ++i) {
    if (rank == i % size) fails(kExchanges);
    mine.assign(mine.size(), rank + i);
    if (MPI_Allreduce(mine.data(), sum.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
      fail("MPI_Allreduce", i, "it fails");
    if (!are(sum, 0, sum.size(), size * (size - 1) / 2 + i * size)) fail("MPI_Allreduce", i, "its result is wrong");
  }
  fails(0);
  const auto failed = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "pap_failed_exchanges"));
  if (failed == nullptr || failed() == 0) fail("MPI_Allreduce", kCalls, "no exchange has failed");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  fails = reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "pap_fails"));
  if (fails == nullptr) fail("main", 0, "no faulty MPI is preloaded");
  const auto all = static_cast<std::size_t>(size);
  const auto at = static_cast<std::size_t>(rank);
  Values mine(kCount);
  Values one(kCount);
  Values each(kCount * all);
  const auto fill = [](Values& values, int value) { values.assign(values.size(), value); };
  const Call calls[] = {
      {"MPI_Reduce",
       [&](int i) {
         fill(mine, rank + i);
         fill(one, -1);
         return MPI_Reduce(mine.data(), one.data(), kCount, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
       },
       [&](int i) { return rank != 0 || are(one, 0, kCount, size * (size - 1) / 2 + i * size); }},
      {"MPI_Allreduce",
       [&](int i) {
         fill(mine, rank + i);
         fill(one, -1);
         return MPI_Allreduce(mine.data(), one.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
       },
       [&](int i) { return are(one, 0, kCount, size * (size - 1) / 2 + i * size); }},
      {"MPI_Bcast",
       [&](int i) {
         fill(one, rank == 0 ? i : -1);
         return MPI_Bcast(one.data(), kCount, MPI_INT, 0, MPI_COMM_WORLD);
       },
       [&](int i) { return are(one, 0, kCount, i); }},
      {"MPI_Gather",
       [&](int i) {
         fill(mine, rank + i);
         fill(each, -1);
         return MPI_Gather(mine.data(), kCount, MPI_INT, each.data(), kCount, MPI_INT, 0, MPI_COMM_WORLD);
       },
       [&](int i) {
         for (std::size_t r = 0; r < all && rank == 0; ++r) {
           if (!are(each, r * kCount, kCount, static_cast<int>(r) + i)) return false;
         }
         return true;
       }},
      {"MPI_Scatter",
       [&](int i) {
         for (std::size_t k = 0; k < each.size(); ++k) each[k] = static_cast<int>(k / kCount) + i;
         fill(one, -1);
         return MPI_Scatter(each.data(), kCount, MPI_INT, one.data(), kCount, MPI_INT, 0, MPI_COMM_WORLD);
       },
       [&](int i) { return are(one, 0, kCount, static_cast<int>(at) + i); }},
      {"MPI_Allgather",
       [&](int i) {
         fill(mine, rank + i);
         fill(each, -1);
         return MPI_Allgather(mine.data(), kCount, MPI_INT, each.data(), kCount, MPI_INT, MPI_COMM_WORLD);
       },
       [&](int i) {
         for (std::size_t r = 0; r < all; ++r) {
           if (!are(each, r * kCount, kCount, static_cast<int>(r) + i)) return false;
         }
         return true;
       }},
  };
  const bool is_plain = argc > 1;  // all ranks make the one call that fails
  if (is_plain && std::string(argv[1]) == "midst") {
    fail_in_the_midst();
    exchanges_fail_for_a_while();
    if (rank == 0) std::puts("all right");
    MPI_Finalize();
    return 0;
  }
  for (const Call& call : calls) {
    repeat(call, 0, kRepeats);
    must_fail(call, is_plain);
    repeat(call, kRepeats + 1, 2 * kRepeats);
  }
  if (rank == 0) std::puts("all right");
  MPI_Finalize();
}
